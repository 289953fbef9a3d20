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
  /** Parameters that are sent beside the call's own, in wire names. */
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
  /**
   * A child call. It is connected with its parent, after it has heard the markup of the URL, if
   * any.
   */
  | {
      readonly type: 'dialed'
      readonly screening?: { readonly url: string; readonly method: WebhookMethod }
    }
  /** A call without markup: it is connected with one party, and ends as that party's call does. */
  | { readonly type: 'bridge'; readonly party: BridgeParty }
  /** Nothing: the leg is another account's call as well, whose document runs on it. */
  | { readonly type: 'shared-leg' }
  /** A document of the server's own, for a call that it places for itself. */
  | { readonly type: 'internal'; readonly name: InternalDocumentName }

/** The party that a call without markup is connected with. */
export interface BridgeParty {
  readonly to:
    | { readonly type: 'number'; readonly e164: string }
    /** SIP URIs, or `client:` and a user name, that are tried one after another. */
    | { readonly type: 'sip'; readonly targets: readonly [BridgeTarget, ...BridgeTarget[]] }
  /** True for a call of the account's own equipment, which learns what a stranger would not. */
  readonly isOwn: boolean
  /** The account's numbers that have forwarded the call, the one that was called first. */
  readonly forwardedBy?: readonly string[]
}

export interface BridgeTarget {
  readonly uri: string
  readonly gateway?: GatewaySlots | undefined
}

/** The gateway that a target is part of, whose calls at once are counted. */
export interface GatewaySlots {
  readonly id: number
  readonly limit: number
  /** Absent: the caller. */
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
   * `enable`: reported as soon as it is known who answered. `detect-message-end`: reported when a
   * machine's greeting has ended.
   */
  readonly mode: 'enable' | 'detect-message-end'
  /** The limit in ms; when it passes without a verdict, the result is `unknown`. */
  readonly timeoutMs: number
  /** Speech of more than this many ms is a machine's. */
  readonly speechThresholdMs: number
  /** The silence in ms that ends speech. */
  readonly speechEndThresholdMs: number
  readonly messageEndSilenceMs?: number | undefined
  /** The time in ms after `human` in which that verdict may be corrected; none when undefined. */
  readonly correctionWindowMs?: number | undefined
  /** The silence in ms from the answer on after which the result is `unknown`. */
  readonly silenceTimeoutMs: number
  readonly callback?: { readonly url: string; readonly method: WebhookMethod }
}

/** What an emergency call shows of its caller: the record of a number, as it was when the call began. */
export interface EmergencyPlan {
  readonly number: EmergencyNumber
  /** The number that the emergency service calls back, in E.164. */
  readonly callbackNumber: string
  readonly callerName: string
  readonly address: PostalAddress
  readonly location: CivicAddress
  /** What has judged the address. */
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

/**
 * Everything that a call was asked to do. It is stored with the call, so that a restarted process
 * has it.
 */
export interface CallPlan {
  /** The application that answers the call; absent when its webhooks were given otherwise. */
  readonly applicationSid?: string
  /** How many applications have dialled one the other on the way to this call. */
  readonly applicationDepth?: number
  /** The number of loopback calls in the chain up to this one, or to its parent. */
  readonly insideHops?: number
  /** How many hops may still follow this call, where its INVITE says so (RFC 7332). */
  readonly maxForwards?: number
  readonly document: CallDocument
  readonly statusCallback?: StatusCallbackPlan
  /** The longest ringing time. */
  readonly timeoutSeconds: number
  /** The longest time after the answer; absent when the limit of every call holds. */
  readonly timeLimitSeconds?: number
  readonly sendDigits?: string
  readonly callReason?: string
  readonly sipAuth?: SealedAuth
  /** The targets of a Sip noun, first choice first. `to` is the first one. */
  readonly sipTargets?: readonly PlannedTarget[]
  /** Headers of the INVITE to a SIP URI, by name as written. */
  readonly sipHeaders?: Readonly<Record<string, string>>
  /** The numbers here that have led an incoming call on to this one, the one that was called first. */
  readonly forwardedBy?: readonly string[]
  /** A recording from the answer on. */
  readonly recording?: RecordingWish
  readonly machineDetection?: MachineDetectionPlan
  /** Given for a call to an emergency number, or for one that leads there: no limit stops it. */
  readonly emergency?: EmergencyPlan
}

/** A change of a live call. It is plain JSON: another node may be asked to make it. */
export interface UpdateCall {
  /** The requested end; it wins over a document. */
  readonly end?: 'completed' | 'canceled'
  readonly document?: CallDocument
  readonly statusCallback?: StatusCallbackChange
  readonly timeLimitSeconds?: number
}

/**
 * The outcome of a change that another node asked for: made, or refused because the call is not in
 * progress. What failed on the call's own node has no outcome: its request failed.
 */
export type RemoteUpdateOutcome = 'made' | 'not-in-progress'

/** The plan of a live call that is given another document. Its digits were sent after the answer. */
export function planOfDocument(plan: CallPlan, document: CallDocument): CallPlan {
  const { sendDigits: _, ...rest } = plan
  return { ...rest, document }
}

/** A change of the status callback: an absent field stays as it is. */
export interface StatusCallbackChange {
  readonly url?: string
  readonly method?: WebhookMethod
  /** The events that replace all former ones. An empty list stands for the default. */
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
