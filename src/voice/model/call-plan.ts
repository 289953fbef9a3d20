import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { StatusEvent } from './call-status.js'
import type { RecordingWish } from './recording-wish.js'

export interface UrlDocument {
  readonly type: 'url'
  readonly url: string
  readonly method: WebhookMethod
  readonly fallbackUrl?: string
  readonly fallbackMethod: WebhookMethod
  /** Parameters besides the call's own, in wire names. */
  readonly params?: Readonly<Record<string, string>>
}

export type CallDocument =
  | UrlDocument
  | {
      readonly type: 'inline'
      readonly text: string
      /** Asked when the markup cannot be run. */
      readonly fallback?: { readonly url: string; readonly method: WebhookMethod }
    }
  /** A child's: to be connected with its parent, after it has heard what the URL says, if any. */
  | {
      readonly type: 'dialed'
      readonly screening?: { readonly url: string; readonly method: WebhookMethod }
    }

export interface StatusCallbackPlan {
  readonly url: string
  readonly method: WebhookMethod
  readonly events: readonly StatusEvent[]
}

export const DEFAULT_STATUS_EVENTS: readonly StatusEvent[] = ['completed']

export interface MachineDetectionPlan {
  /** Told as soon as it is known who answered, or only when a machine's greeting has ended. */
  readonly mode: 'enable' | 'detect-message-end'
  /** Undecided until then: unknown. */
  readonly timeoutMs: number
  /** Speech longer than this is a machine's. */
  readonly speechThresholdMs: number
  /** Silence of this length ends speech. */
  readonly speechEndThresholdMs: number
  /** Silence of this length from the answer on: unknown. */
  readonly silenceTimeoutMs: number
  readonly callback?: { readonly url: string; readonly method: WebhookMethod }
}

export interface SealedAuth {
  readonly username: string
  readonly passwordSealed: string
}

/** Everything that a call was asked to do. It is stored with the call, for the process after a restart. */
export interface CallPlan {
  readonly document: CallDocument
  readonly statusCallback?: StatusCallbackPlan
  /** How long it may ring. */
  readonly timeoutSeconds: number
  /** How long it may talk; absent: as long as any call. */
  readonly timeLimitSeconds?: number
  readonly sendDigits?: string
  readonly callReason?: string
  readonly sipAuth?: SealedAuth
  /** Where a Sip noun leads to, the first choice first; `to` is the first. */
  readonly sipTargets?: readonly { readonly uri: string; readonly auth?: SealedAuth }[]
  /** Headers of the INVITE to a SIP URI, by name as written. */
  readonly sipHeaders?: Readonly<Record<string, string>>
  /** A recording from the answer on. */
  readonly recording?: RecordingWish
  readonly machineDetection?: MachineDetectionPlan
}

/** A change of the status callback: an absent field stays as it is. */
export interface StatusCallbackChange {
  readonly url?: string
  readonly method?: WebhookMethod
  /** Replaces all; none stands for the default. */
  readonly events?: readonly StatusEvent[]
}

/** The callback after the change; undefined while it has no URL. */
export function changedStatusCallback(
  current: StatusCallbackPlan | undefined,
  change: StatusCallbackChange,
): StatusCallbackPlan | undefined {
  const url = change.url ?? current?.url
  if (url === undefined) return undefined
  const events = change.events ?? current?.events ?? []
  return {
    url,
    method: change.method ?? current?.method ?? 'POST',
    events: events.length === 0 ? DEFAULT_STATUS_EVENTS : events,
  }
}
