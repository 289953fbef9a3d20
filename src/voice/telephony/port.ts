/**
 * The telephony port: legs and their signalling; leg-media.ts has their audio. Its one adapter drives
 * drachtio and FreeSWITCH; the lab speaks the same two protocols, so nothing above can tell them apart.
 *
 * A leg is one SIP dialog plus one media endpoint. Its events are given when it is made, so none is
 * lost. `onEnded` fires exactly once, after which every operation rejects with LegEndedError and
 * nothing of the leg (dialog, endpoint, socket, timer) is left.
 */
import { DomainError } from '../../platform/errors.js'
import type { Load } from '../../platform/under-way.js'
import type { Codec } from './codecs.js'
import type { DialogFacts, DialogName, InviteFacts } from './dialog-facts.js'
import type { LegMedia } from './leg-media.js'
import type { MediaSecurity } from './sdp.js'

export interface TelephonyHealth {
  readonly signaling: ServerHealth
  readonly media: ServerHealth
  /** Why a server of the kind cannot be used, in a sentence; undefined when all can. */
  readonly signalingFault?: string | undefined
  readonly mediaFault?: string | undefined
  /** Why parties may hear nothing though calls are answered; undefined while audio is not in doubt. */
  readonly audioFault?: string | undefined
}

export interface Telephony extends AsyncDisposable {
  readonly health: TelephonyHealth
  /** Called at every change; the returned function unsubscribes. */
  onHealth(listener: (health: TelephonyHealth) => void): () => void
  /**
   * Sets the one handler of new calls. Nothing is allocated for a call before the handler accepts
   * it.
   */
  onInvite(handler: (invite: IncomingInvite) => void): void
  /**
   * Sets the one handler of requests outside a dialog other than INVITE. Without a handler none is
   * answered.
   */
  onOutsideRequest(handler: (request: OutsideRequest) => void): void
  /** Sends an INVITE and returns at once. The result arrives as events. */
  dial(request: DialRequest, events: LegEvents): Leg
  /**
   * Recovery: sends BYE in a dialog that an earlier process left behind. Resolves to true when the
   * BYE was answered or nothing more can be done, to false when no server that can send it is up
   * now.
   */
  endDialog(dialog: DialogFacts): Promise<boolean>
  /**
   * Recovery: takes back an INVITE of ours, or refuses a peer's, that an earlier process left without a
   * final response; ends the dialog when it was answered meanwhile. Resolves as `endDialog` does.
   */
  endInvite(invite: InviteFacts): Promise<boolean>
  /** True while a drachtio that is up takes and sends SIP over TLS. */
  hasTls(): boolean
  /**
   * Recovery: brings a recording here that an earlier process began. Resolves to false when no media
   * server has the file, or none shares no folder with us.
   */
  bringRecording(path: string): Promise<boolean>
  /**
   * Recovery: resolves when the channels that an earlier process left on the media servers that are up
   * have ended, and nothing writes their recordings any more; or when the time for their end is over. Channels
   * that appear within three seconds after the server was connected are among them.
   */
  orphansEnded(): Promise<void>
  /** The number of legs that are not over yet. */
  legCount(): number
  /** What the media servers have to do with channels. */
  channelLoad(): Load
  /** The drachtio and FreeSWITCH servers, in the order of their settings. */
  servers(): readonly ServerView[]
  /**
   * Gives no new call to the servers of these names, and to all others again. Calls that are under way
   * go on, and what is connected with them is placed beside them.
   */
  drain(names: ReadonlySet<string>): void
  /** Sends an OPTIONS to a contact, which keeps the way to it open through a NAT. */
  keepAlive(contact: FlowAddress): Promise<KeepAliveOutcome>
  /**
   * Sends a text to a contact (MESSAGE, RFC 3428). Resolves with its final status, or with undefined
   * when none came in time or nothing could be sent. Rejects with UnsafeArgumentError.
   */
  sendText(contact: FlowAddress, text: SipText): Promise<number | undefined>
  /**
   * Sends an OPTIONS to a server by any drachtio. Resolves with its final status, or undefined when
   * none came in time; a 408 or 503 that our own stack made counts as no answer.
   */
  probe(server: { readonly uri: string; readonly proxy: string }): Promise<number | undefined>
  /**
   * Registers us at a registrar. Resolves with undefined when no answer came in time. Rejects with
   * UnsafeArgumentError.
   */
  register(request: RegisterRequest): Promise<RegisterOutcome | undefined>
}

/**
 * answered: the contact sent a final response · silent: none came in time · lost: nothing can be sent
 * to it, its connection is gone (RFC 5626 §4.2.2) · unsent: its own server is not up here, and another
 * one could not reach it
 */
export type KeepAliveOutcome = 'answered' | 'silent' | 'lost' | 'unsent'

/** A peer that is reached by the way on which its own request came. */
export interface FlowAddress {
  /** The Request-URI: the peer's own contact. */
  readonly uri: string
  /** The next hop: the network address of the peer. */
  readonly proxy: string
  /** The drachtio server that the peer's request came through, as `OutsideRequest.server`. */
  readonly server: string
}

export interface SipText {
  /** The user part of From: the number of who has written it. */
  readonly from: string
  readonly body: string
}

export interface RegisterRequest {
  /** The Request-URI: `sip:registrar.example`. */
  readonly registrar: string
  /** The next hop: `sip:192.0.2.1:5060;transport=udp`. */
  readonly proxy?: string
  /** The user and host of From and To; the user is also that of the Contact. */
  readonly user: string
  readonly host: string
  /** 0 removes the registration. */
  readonly expiresSeconds: number
  /** The same for all of one registration; `cseq` grows with each, by two or more. */
  readonly callId: string
  readonly cseq: number
  readonly auth?: DialAuth | undefined
}

export interface RegisterOutcome {
  readonly status: number
  /** The lifetime that the registrar has granted. */
  readonly expiresSeconds?: number | undefined
  /** The shortest lifetime that it grants, with 423. */
  readonly minExpiresSeconds?: number | undefined
  readonly retryAfterSeconds?: number | undefined
}

export interface SipAddress {
  readonly user?: string | undefined
  readonly host: string
  readonly port?: number | undefined
  readonly displayName?: string | undefined
  readonly uri: string
}

export interface SipHeader {
  readonly name: string
  readonly value: string
}

/** Audio in the clear, SRTP, an INVITE that leaves the offer to us, or an offer that cannot be answered. */
export type OfferedAudio = MediaSecurity | 'none' | 'unusable' | 'no-common-codec'

export interface IncomingInvite {
  readonly callId: string
  readonly requestUri: SipAddress
  readonly from: SipAddress
  readonly to: SipAddress
  /** Given for a loopback call: this server has placed it, and its addresses are ours. */
  readonly loopback?: LoopbackHops | undefined
  /** The network address that sent the packet. Headers do not influence it. Empty for a loopback call. */
  readonly source: { readonly address: string; readonly port: number; readonly transport: string }
  readonly userAgent: string | undefined
  /**
   * The kind of audio that is offered. A call whose offer is unusable, or has no codec that the media
   * servers speak, would end with 488.
   */
  readonly audio: OfferedAudio
  /** Headers for the application, in order: `X-…`, `User-to-User` and others. */
  readonly headers: readonly SipHeader[]
  /** How many hops its INVITE may still take (Max-Forwards); undefined where it does not say. */
  readonly maxForwards?: number | undefined
  /** What recovery needs to refuse the INVITE; undefined for a loopback call, which ends by itself. */
  readonly facts: InviteFacts | undefined
  reject(status: number, reason?: string, headers?: ResponseHeaders): void
  /** Sends no answer and forgets the request. Meant for scanners. */
  drop(): void
  /**
   * Takes the call. The returned leg rings and answers it, with G.711 where that is offered. Where a wish
   * has another codec first, the first that is offered is taken.
   */
  accept(events: LegEvents, wish?: readonly Codec[]): Leg
}

export interface DialRequest {
  /** The Max-Forwards of the INVITE (RFC 3261 §8.1.1.6); the stack's own when undefined. */
  readonly maxForwards?: number | undefined
  /** Request URI: `sip:+15550001111@192.0.2.1:5060;transport=udp`. */
  readonly uri: string
  readonly from: DialCaller
  /** Given for a number of this server: the handler of new calls is offered the call, and no SIP is sent. */
  readonly loopback?: LoopbackHops | undefined
  /** The To header when it differs from the request URI; also `urn:service:sos` (RFC 5031). */
  readonly to?: string
  /** Next hop when it differs from the request URI's host: `sip:192.0.2.1:5060`. */
  readonly proxy?: string
  /** The drachtio server that the peer can be reached through; any of them when absent. */
  readonly server?: string
  /** The leg that the new one will be connected with: they get one media server where that can be. */
  readonly beside?: LegMedia | undefined
  /** Headers by name. Several values become several headers (RFC 8224 §4: Identity). */
  readonly headers?: ResponseHeaders
  /** What the body has beside the SDP: it is then of several parts (RFC 5621). */
  readonly parts?: readonly BodyPart[]
  readonly auth?: DialAuth
  /** The codecs that are offered, the preferred one first; all when absent. */
  readonly codecs?: readonly Codec[] | undefined
  /**
   * True to offer SRTP (RFC 4568) and nothing else: a peer that answers in the clear is hung up. Its
   * default is plain RTP. Where the server has TLS the keys go over nothing else (RFC 4568 §8.3): a
   * leg whose next hop is another one ends at once.
   */
  readonly isMediaSecure?: boolean
  /** Ring time, after which the leg is cancelled and ends as 'no-answer'. */
  readonly timeoutMs: number
  /**
   * The time in which the peer must say that it rings; without that the leg ends as 'unreachable'.
   * Only the ring time counts when absent. A 100 does not count: it is not passed on to us.
   */
  readonly progressTimeoutMs?: number
  /** Channel variables that are set on the endpoint, for dialplans. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The caller of the From header; our own address stands for a missing host. */
export interface DialCaller {
  readonly user: string
  readonly host?: string | undefined
  readonly displayName?: string | undefined
}

/** Credentials for a challenge. */
export interface DialAuth {
  readonly username: string
  readonly password: string
  /** The only realm that the credentials are for; a challenge of another one stays unanswered. */
  readonly realm?: string | undefined
}

export interface LegEvents {
  /** Called when an INVITE of ours was sent, and again for its retry with credentials. */
  onInvited?(): void
  /** Called when an outbound leg receives an 18x response. */
  onProgress?(progress: { readonly status: number; readonly hasEarlyMedia: boolean }): void
  /** Called when media flows: a 200 was received and acknowledged, or our 200 was acknowledged. */
  onAnswered?(): void
  onEnded(end: LegEnd): void
  /** Called for each SIP step; the call's event log records it. */
  onSip?(step: SipStep): void
  /** Called once, when the leg has a channel; the call's event log records it. */
  onMedia?(media: LegChannel): void
  /** Called when a fault of a server keeps the leg, or its party's audio, from getting through. */
  onFault?(why: string): void
}

/** Where the audio of a leg is handled. */
export interface LegChannel {
  /** The media server's name, as `MediaConnection` has it: `192.0.2.1:8021`. */
  readonly server: string
  /** The id of the channel there. */
  readonly channel: string
}

export interface Digit {
  readonly digit: string
  readonly durationMs: number
}

/** The keys that a leg's peer presses, in RTP or by INFO. */
export interface Digits {
  /** Calls the listener with each digit, in order; the returned function unsubscribes. */
  subscribe(listener: (digit: Digit) => void): () => void
}

export interface SipStep {
  readonly direction: 'sent' | 'received'
  /** The message's method or status line: `INVITE`, `180 Ringing`, `BYE` … */
  readonly message: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface LegEnd {
  /**
   * remote-hangup BYE received · local-hangup we ended it after answer · canceled before answer, by
   * either side · rejected final 3xx–6xx · no-answer our ring limit ran out · unreachable no route,
   * transport failure or no final response · media-lost, signaling-lost the server went away ·
   * no-ack our 200 was never acknowledged
   */
  readonly cause:
    | 'remote-hangup'
    | 'local-hangup'
    | 'canceled'
    | 'rejected'
    | 'no-answer'
    | 'unreachable'
    | 'media-lost'
    | 'signaling-lost'
    | 'no-ack'
  /** The SIP status of the end: 200 after an answered call, else 487, 486, 408, 503 … */
  readonly sipStatus: number
  readonly reason?: string | undefined
  /** The `Retry-After` of a refusal, in seconds. */
  readonly retryAfterSeconds?: number | undefined
  /**
   * What kept the INVITE of an unreachable leg from its peer. no-tls: there was no TLS connection ·
   * clear-keys: its SRTP keys would have gone without TLS; nothing was sent
   */
  readonly obstacle?: 'no-tls' | 'clear-keys' | undefined
}

export interface Leg {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly sipCallId: string
  /**
   * Headers for the application: those of the peer's INVITE, or of its final response once there is
   * one.
   */
  readonly remoteHeaders: readonly SipHeader[]
  readonly state: 'setup' | 'ringing' | 'answered' | 'ended'
  /** The leg's audio: usable once the leg rings with media, or is answered. */
  readonly media: LegMedia
  readonly digits: Digits
  /**
   * The dialog's facts from the answer until a BYE was exchanged. A leg whose server was lost keeps
   * them after its end.
   */
  readonly dialogFacts: DialogFacts | undefined
  /** The INVITEs without a final response. A leg whose server was lost keeps them after its end. */
  readonly openInvites: readonly InviteFacts[]
  /**
   * Sends 180, or 183 with audio when `withMedia`. For an inbound, unanswered leg only. Makes the
   * endpoint at once, so that the answer is quicker.
   */
  ring(options?: { readonly withMedia?: boolean }): Promise<void>
  /** Sends 200. Resolves when the ACK came. For an inbound, unanswered leg only. */
  answer(): Promise<void>
  /**
   * Ends the leg with CANCEL, BYE or a final response, as its stage demands. An unanswered inbound
   * leg is refused with `status` (default 603): it ends as 'rejected' with a status, as 'canceled'
   * without one. Resolves when the leg is over. May be called at any time and more than once.
   */
  hangup(options?: { readonly status?: number; readonly reason?: string }): Promise<void>
  /**
   * Sends a REFER to `target` (a `sip:`, `sips:` or `tel:` URI) and follows the peer's NOTIFYs (RFC
   * 3515). For answered legs only, one referral at a time. Resolves also when the leg ends
   * meanwhile. Rejects with the signal's reason when aborted. Rejects with UnsafeArgumentError when
   * `target` is no such URI; nothing is sent then.
   */
  refer(target: string, signal: AbortSignal): Promise<ReferralOutcome>
  /**
   * Sets a listener for the peer's REFERs; the returned function unsubscribes. The newest of
   * several listeners is called. Without a listener a REFER is refused.
   */
  onReferral(listener: (referral: IncomingReferral) => void): () => void
}

/** A REFER from the peer. The listener accepts or refuses it at once. */
export interface IncomingReferral {
  /** The URI in the Refer-To header, as written; at most 256 characters, 1,024 with `replaces`. */
  readonly target: string
  /** The dialog that the sender wants replaced: the REFER of an attended transfer (RFC 3891). */
  readonly replaces: DialogName | undefined
  refuse(): void
  accept(): void
  /**
   * Sends the NOTIFY that the referral succeeded; the peer may then hang up. Called after `accept`.
   */
  notifySuccess(): void
}

export interface ReferralOutcome {
  /**
   * refused: the peer refused the REFER, or did not answer it · notified: a NOTIFY said how the new
   * call ended up · unknown: the peer accepted and sent no final NOTIFY · leg-over: this leg ended
   * before that
   */
  readonly how: 'refused' | 'notified' | 'unknown' | 'leg-over'
  /** The final response to the REFER; undefined when none came. */
  readonly sipStatus: number | undefined
  /** The new call's last status in a NOTIFY; undefined when no NOTIFY had one. */
  readonly notifiedStatus: number | undefined
}

/** A part of a body, by whose id a header can name it (RFC 2392). */
export interface BodyPart {
  readonly contentType: string
  /** The Content-ID without its angle brackets: `name@host`. */
  readonly contentId: string
  readonly content: string
}

/** Headers by name. Several values become several headers: a challenge cannot be part of a list. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

/** The number of loopback calls in a chain up to this one: each was placed by the one before. */
export interface LoopbackHops {
  readonly hops: number
}

export class LegEndedError extends DomainError {
  override readonly name = 'LegEndedError'
  readonly code = 'leg-ended'
}

/** An argument that could become part of a command. Nothing was sent. */
export class UnsafeArgumentError extends DomainError {
  override readonly name = 'UnsafeArgumentError'
  readonly code = 'unsafe-argument'
}

export type ServerHealth = 'connecting' | 'up' | 'down'

/** A drachtio or FreeSWITCH server as an operator sees it. */
export interface ServerView {
  /** `host:port` of its control port. */
  readonly name: string
  readonly kind: 'drachtio' | 'freeswitch'
  readonly health: ServerHealth
  /** Why it cannot be used, in a sentence. */
  readonly fault: string | undefined
  /** How long it has had this fault; undefined without one. */
  readonly faultMs: number | undefined
  /** True while it gets no new call. */
  readonly isDrained: boolean
  /** The share of new calls that it gets, compared with the others' weights. */
  readonly weight: number
  /** The channels of this process on a FreeSWITCH, or its legs over a drachtio. */
  readonly ownChannels: number
  /** All channels of a FreeSWITCH, as far as it has told; a drachtio tells no more than our own. */
  readonly channels: number
  /** The most channels that a FreeSWITCH takes, and how idle its processor is; undefined when not known. */
  readonly maxSessions: number | undefined
  readonly idlePercent: number | undefined
}

/** A request outside a dialog that begins no call: a carrier's OPTIONS, a REGISTER, a MESSAGE. */
export interface OutsideRequest {
  readonly method: string
  /** The network address that sent the request. */
  readonly source: { readonly address: string; readonly port: number; readonly transport: string }
  readonly userAgent: string | undefined
  /** The drachtio server that received the request. */
  readonly server: string
  /** The Request-URI as received. */
  readonly requestUri: string
  /** The From and To headers as received, cut where they are too long. */
  readonly parties: readonly string[]
  /** The body; undefined when it is too long. */
  readonly body: string | undefined
  /** A header by name; several of one name are one list. Undefined when absent, or `isTooLong`. */
  header(name: string): string | undefined
  isTooLong(name: string): boolean
  /**
   * Sends the answer that RFC 3261 requires: our capabilities to OPTIONS, a refusal to any other
   * method.
   */
  answer(): void
  reject(status: number, reason: string, headers?: ResponseHeaders): void
  /** Says that a MESSAGE was taken: 202 for one that goes on from here (RFC 3428 §7). */
  accepted(status: 200 | 202): void
  /** Sends 200 to a REGISTER, with the contacts that are registered now. */
  registered(contacts: readonly string[], headers?: ResponseHeaders): void
}
