/** The calls that a document places for its own call. */

import { DomainError } from '../../platform/errors.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { GatewaySlots } from '../model/call-plan.js'
import type { Leg, SipHeader } from '../telephony/port.js'
import type { DocumentRequest } from './document.js'
import type { DialMachineDetection, DialStatusEvent } from './parse/dial-noun.js'
import type { SipTarget } from './parse/dial-sip.js'

/** A SIP address to call, and the gateway that it belongs to. */
export type DialTarget = SipTarget & { readonly gateway?: GatewaySlots | undefined }

export interface ChildCallRequest {
  readonly to:
    | { readonly type: 'number'; readonly number: string }
    | {
        readonly type: 'sip'
        /** The targets, tried in order until one is reached. */
        readonly targets: readonly [DialTarget, ...DialTarget[]]
        readonly headers: Readonly<Record<string, string>>
      }
  /** The caller ID; the call's From when undefined. */
  readonly callerId: string | undefined
  readonly callReason: string | undefined
  readonly timeoutSeconds: number
  readonly sendDigits: string | undefined
  /** The markup that the called party hears before it is connected. Its URL is absolute. */
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
   * Called when the network of an unanswered party sends early media (RFC 3960). The leg may be bridged until
   * the signal aborts; it is not used otherwise until the promise settles.
   */
  onEarlyAudio(leg: Leg, signal: AbortSignal): Promise<void>
  /**
   * Called when the party has answered, its digits were sent and it passed its screening. The leg may be
   * bridged until the signal aborts. The child hangs up when the promise settles, unless another document has
   * replaced the child's by then.
   */
  onReady(leg: Leg, signal: AbortSignal): Promise<void>
  /** Called once, as the last event. */
  onOver(end: ChildCallEnd): void
}

export interface ChildCallEnd {
  /** The child's final status. `taken`: another document runs on the child, and its call continues. */
  readonly status: 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled' | 'taken'
  readonly durationSeconds: number
  readonly sipStatus: number | undefined
  readonly sipCallId: string | undefined
  /** The headers of the final response to the child's INVITE. */
  readonly sipHeaders: readonly SipHeader[]
}

export interface ChildCall {
  readonly sid: string
  /** Ends the child in any state. Does nothing when it has ended. */
  hangup(): void
  /** Lets the answered child continue without its parent, with this document. Its status is then `taken`. */
  takeAway(request: DocumentRequest): void
  /**
   * Lets the connected child continue without its parent until `onReady` settles. Its status is then `taken`.
   */
  release(): void
}

/**
 * A party cannot be called. 13224 to 13227: its number; 13247: the caller ID; 21420 and 21205: the
 * application; 10004: too many concurrent calls; 20402: the balance of the account is too low.
 */
export class DialRefusedError extends DomainError {
  override readonly name = 'DialRefusedError'
  readonly code = 'dial-refused'
  readonly number: 10004 | 13224 | 13225 | 13226 | 13227 | 13247 | 20402 | 21205 | 21420
  constructor(number: DialRefusedError['number'], message: string) {
    super(message)
    this.number = number
  }
}
