import type { CivicAddress, PostalAddress } from '../../emergency/civic-address.js'
import type { ForwardedCaller } from '../../numbers/forwarded-caller.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { StatusEvent } from './call-record.js'
import type { EmergencyNumber } from './emergency-number.js'
import type { RecordingWish } from './recording-wish.js'

export interface UrlDocument {
  readonly type: 'url'
  readonly url: string
  readonly method: WebhookMethod
  readonly fallbackUrl?: string
  readonly fallbackMethod: WebhookMethod
  /** Additional parameters besides the call's own, in wire names. */
  readonly params?: Readonly<Record<string, string>>
}

export type CallDocument =
  | UrlDocument
  | {
      readonly type: 'inline'
      readonly text: string
      /** The request that is made when the markup cannot be run. */
      readonly fallback?: { readonly url: string; readonly method: WebhookMethod }
    }
  /** A child call. It runs the markup of the URL, if any, and is then connected with its parent. */
  | {
      readonly type: 'dialed'
      readonly screening?: { readonly url: string; readonly method: WebhookMethod }
    }
  /** A call without markup: it is connected with one party, and ends when that party's call ends. */
  | { readonly type: 'bridge'; readonly party: BridgeParty }
  /** No document: the leg belongs to another account's call too, whose document runs on it. */
  | { readonly type: 'shared-leg' }
  /** A built-in document, for a call that the server places itself. */
  | { readonly type: 'internal'; readonly name: InternalDocumentName }

/** The party that a call without markup is connected with. */
export interface BridgeParty {
  readonly to:
    | { readonly type: 'number'; readonly e164: string }
    /** SIP URIs, or `client:` plus a username, tried in order. */
    | { readonly type: 'sip'; readonly targets: readonly [BridgeTarget, ...BridgeTarget[]] }
  /** True for a call of the account's own equipment, which gets more specific refusals than other callers. */
  readonly isOwn: boolean
  /** The account's numbers that forwarded the call, in order. */
  readonly forwardedBy?: readonly string[]
}

export interface BridgeTarget {
  readonly uri: string
  readonly gateway?: GatewaySlots | undefined
}

/** The gateway of a target, whose concurrent calls are limited. */
export interface GatewaySlots {
  readonly id: number
  readonly limit: number
  /** Which caller is shown for a forwarded call; the original caller when absent. */
  readonly forwardedCaller?: ForwardedCaller
}

export type InternalDocumentName = 'caller-id-verification' | 'emergency-call' | 'address-test'

export interface StatusCallbackPlan {
  readonly url: string
  readonly method: WebhookMethod
  readonly events: readonly StatusEvent[]
}

export const DEFAULT_STATUS_EVENTS: readonly StatusEvent[] = ['completed']

export interface MachineDetectionPlan {
  /**
   * `enable`: the result is reported as soon as it is known. `detect-message-end`: it is reported when a
   * machine's greeting has ended.
   */
  readonly mode: 'enable' | 'detect-message-end'
  /** Time limit, ms; without a verdict until then the result is `unknown`. */
  readonly timeoutMs: number
  /** Speech longer than this comes from a machine, ms. */
  readonly speechThresholdMs: number
  /** Silence that ends speech, ms. */
  readonly speechEndThresholdMs: number
  readonly messageEndSilenceMs?: number | undefined
  /** Time after the verdict `human` in which it may be corrected, ms; undefined: no correction. */
  readonly correctionWindowMs?: number | undefined
  /** Silence from the answer on after which the result is `unknown`, ms. */
  readonly silenceTimeoutMs: number
  readonly callback?: { readonly url: string; readonly method: WebhookMethod }
}

/** The caller of an emergency call as its number's record was when the call started. */
export interface EmergencyPlan {
  readonly number: EmergencyNumber
  /** The number that the emergency service calls back, in E.164. */
  readonly callbackNumber: string
  readonly callerName: string
  readonly address: PostalAddress
  readonly location: CivicAddress
  /** The service that validated the address. */
  readonly source: string
}

export interface SealedAuth {
  readonly username: string
  readonly passwordSealed: string
}

export interface PlannedTarget {
  readonly uri: string
  readonly auth?: SealedAuth
  readonly gateway?: GatewaySlots
}

/** Everything that was requested for a call. It is stored with the call, so that it survives a restart. */
export interface CallPlan {
  /** The application that answers the call; absent when the webhooks are set without one. */
  readonly applicationSid?: string
  /** Number of applications that dialled each other in the chain up to this call. */
  readonly applicationDepth?: number
  /** Number of loopback calls in the chain up to this call, or to its parent. */
  readonly insideHops?: number
  /** Number of hops left after this call, if its INVITE has Max-Forwards (RFC 7332). */
  readonly maxForwards?: number
  readonly document: CallDocument
  readonly statusCallback?: StatusCallbackPlan
  /** Maximum ring time in seconds. */
  readonly timeoutSeconds: number
  /** Maximum duration after the answer in seconds; the default when absent. */
  readonly timeLimitSeconds?: number
  readonly sendDigits?: string
  readonly callReason?: string
  readonly sipAuth?: SealedAuth
  /** The targets of a Sip noun, in order. `to` is the first one. */
  readonly sipTargets?: readonly PlannedTarget[]
  /** Headers of the INVITE to a SIP URI, by name as written. */
  readonly sipHeaders?: Readonly<Record<string, string>>
  /** The numbers of this server that forwarded an incoming call to this one, in order. */
  readonly forwardedBy?: readonly string[]
  /** A recording that starts at the answer. */
  readonly recording?: RecordingWish
  readonly machineDetection?: MachineDetectionPlan
  /** Set for a call to an emergency number, and for its caller's call; no limit applies to it. */
  readonly emergency?: EmergencyPlan
}

/** A change of a live call, as plain JSON because another node may have to make it. */
export interface UpdateCall {
  /** The requested end; it has priority over a document. */
  readonly end?: 'completed' | 'canceled'
  readonly document?: CallDocument
  readonly statusCallback?: StatusCallbackChange
  readonly timeLimitSeconds?: number
}

/**
 * The outcome of a change on another node: made, or refused because the call is not in progress. If the
 * change fails on that node, its request fails and there is no outcome.
 */
export type RemoteUpdateOutcome = 'made' | 'not-in-progress'

/** Returns the plan of a live call with another document. Its digits have already been sent. */
export function planOfDocument(plan: CallPlan, document: CallDocument): CallPlan {
  const { sendDigits: _, ...rest } = plan
  return { ...rest, document }
}

/** A change of the status callback; an absent field is unchanged. */
export interface StatusCallbackChange {
  readonly url?: string
  readonly method?: WebhookMethod
  /** The events that replace all former ones; an empty list means the default. */
  readonly events?: readonly StatusEvent[]
}

/** Returns the callback after the change; undefined while it has no URL. */
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
