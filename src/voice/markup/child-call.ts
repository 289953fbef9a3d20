/** The calls that a document places for its own call. */

import { DomainError } from '../../platform/errors.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { Leg, SipHeader } from '../telephony/port.js'
import type { DocumentRequest } from './document.js'
import type { DialMachineDetection, DialStatusEvent } from './parse/dial-noun.js'
import type { SipTarget } from './parse/dial-sip.js'

export interface ChildCallRequest {
  readonly to:
    | { readonly type: 'number'; readonly number: string }
    | {
        readonly type: 'sip'
        /** Tried one after another while nobody is reached. */
        readonly targets: readonly [SipTarget, ...SipTarget[]]
        readonly headers: Readonly<Record<string, string>>
      }
  /** Undefined: the From of the call. */
  readonly callerId: string | undefined
  readonly callReason: string | undefined
  readonly timeoutSeconds: number
  readonly sendDigits: string | undefined
  /** The markup that the called party hears first; its URL is absolute. */
  readonly screening: { readonly url: string; readonly method: WebhookMethod } | undefined
  readonly statusCallback:
    | {
        readonly url: string
        readonly method: WebhookMethod
        readonly events: readonly DialStatusEvent[]
      }
    | undefined
  readonly machineDetection: DialMachineDetection | undefined
}

export interface ChildCallEvents {
  /**
   * Not answered, but its network says something already (RFC 3960): the leg may be bridged until the
   * signal aborts, and nothing else is done with it until the promise settles.
   */
  onEarlyAudio(leg: Leg, signal: AbortSignal): Promise<void>
  /**
   * Answered, its digits sent, its screening passed: the leg may be bridged until the signal aborts.
   * The child hangs up when the promise settles, unless another document has taken it by then.
   */
  onReady(leg: Leg, signal: AbortSignal): Promise<void>
  /** Once, the last event. */
  onOver(end: ChildCallEnd): void
}

export interface ChildCallEnd {
  /** `taken`: another document runs on it now, and it lives on. */
  readonly status: 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled' | 'taken'
  readonly durationSeconds: number
  readonly sipStatus: number | undefined
  readonly sipCallId: string | undefined
  /** The headers of the final response to its INVITE. */
  readonly sipHeaders: readonly SipHeader[]
}

export interface ChildCall {
  readonly sid: string
  /** Ends it however far it is; nothing happens when it is over. */
  hangup(): void
  /** The answered child goes on by itself, with this document: it is `taken`. */
  takeAway(request: DocumentRequest): void
}

/**
 * A party that cannot be called: 13224 to 13227 its number, 13247 the caller ID it would be shown,
 * 10004 too many calls at once.
 */
export class DialRefusedError extends DomainError {
  override readonly name = 'DialRefusedError'
  readonly code = 'dial-refused'
  readonly number: 10004 | 13224 | 13225 | 13226 | 13227 | 13247
  constructor(number: DialRefusedError['number'], message: string) {
    super(message)
    this.number = number
  }
}
