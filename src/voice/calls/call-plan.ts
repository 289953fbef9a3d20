import type { StatusEvent } from './call-machine.js'

export type HttpMethod = 'GET' | 'POST'

export interface UrlDocument {
  readonly type: 'url'
  readonly url: string
  readonly method: HttpMethod
  readonly fallbackUrl?: string
  readonly fallbackMethod: HttpMethod
}

export type CallDocument = UrlDocument | { readonly type: 'inline'; readonly text: string }

export interface StatusCallbackPlan {
  readonly url: string
  readonly method: HttpMethod
  readonly events: readonly StatusEvent[]
}

export const DEFAULT_STATUS_EVENTS: readonly StatusEvent[] = ['completed']

/** What a call shall do; stored with it, so that a restart still knows whom to tell. */
export interface CallPlan {
  readonly document: CallDocument
  readonly statusCallback?: StatusCallbackPlan
  readonly timeoutSeconds: number
  readonly sendDigits?: string
  readonly callReason?: string
  /** The password is sealed. */
  readonly sipAuth?: { readonly username: string; readonly passwordSealed: string }
}
