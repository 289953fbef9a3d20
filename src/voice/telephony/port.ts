/**
 * The telephony port: legs and their signaling; leg-media.ts has their audio. Its one adapter
 * drives drachtio and FreeSWITCH. The lab speaks the same two protocols, so callers of the port
 * cannot tell them apart.
 *
 * A leg is one SIP dialog plus one media endpoint. Its events are passed when it is created, so
 * none is lost. `onEnded` fires exactly once, after which every operation rejects with
 * LegEndedError and all of the leg's resources (dialog, endpoint, socket, timer) are released.
 */
import { DomainError } from '../../platform/errors.js'
import type { Load } from '../../platform/under-way.js'
import type { Codec } from './codecs.js'
import type { DialogFacts, DialogName, InviteFacts } from './dialog-facts.js'
import type { LegMedia } from './leg-media.js'
import type { MediaFigures } from './media-figures.js'
import type { MediaSecurity } from './sdp.js'

export interface TelephonyHealth {
  readonly signaling: ServerHealth
  readonly media: ServerHealth
  /** Why a server of this kind cannot be used, in a sentence; undefined when all can. */
  readonly signalingFault?: string | undefined
  readonly mediaFault?: string | undefined
  /** Why peers may hear nothing on answered calls, in a sentence; undefined without a known fault. */
  readonly audioFault?: string | undefined
}

export interface Telephony extends AsyncDisposable {
  readonly health: TelephonyHealth
  /** Called at every change; the returned function unsubscribes. */
  onHealth(listener: (health: TelephonyHealth) => void): () => void
  /** Sets the one handler of new calls. No resource is allocated for a call before the handler accepts it. */
  onInvite(handler: (invite: IncomingInvite) => void): void
  /**
   * Sets the one handler of requests outside a dialog other than INVITE. Without a handler no such
   * request is answered.
   */
  onOutsideRequest(handler: (request: OutsideRequest) => void): void
  /** Sends an INVITE and returns at once. The result arrives as events. */
  dial(request: DialRequest, events: LegEvents): Leg
  /**
   * Recovery: sends BYE in a dialog that an earlier process left. Resolves to true when the BYE was answered
   * or nothing more can be done, to false when no server that can send it is up now.
   */
  endDialog(dialog: DialogFacts): Promise<boolean>
  /**
   * Recovery: cancels an INVITE of ours, or refuses a peer's, that an earlier process left without
   * a final response. Ends the dialog when it was answered meanwhile. Resolves as `endDialog` does.
   */
  endInvite(invite: InviteFacts): Promise<boolean>
  /** True while a connected drachtio server handles SIP over TLS. */
  hasTls(): boolean
  /**
   * Recovery: fetches a recording that an earlier process began. Resolves to false when no media
   * server has the file, or when all of them share a folder with us.
   */
  bringRecording(path: string): Promise<boolean>
  /**
   * Recovery: resolves when the channels that an earlier process left on connected media servers
   * have ended and their recordings are closed, or when the time limit has passed. Includes
   * channels that appear within three seconds of the connection.
   */
  orphansEnded(): Promise<void>
  /** Returns the number of legs that have not ended. */
  legCount(): number
  /** Returns the load of the media servers with creating channels. */
  channelLoad(): Load
  /** Returns the drachtio and FreeSWITCH servers, in the order of the settings. */
  servers(): readonly ServerView[]
  /**
   * Drains exactly the servers of these names: they get no new call, all others do. Calls in
   * progress continue, and legs that are bridged with them are placed on the same server.
   */
  drain(names: ReadonlySet<string>): void
  /** Sends an OPTIONS to a contact, which keeps its NAT binding open. */
  keepAlive(contact: FlowAddress): Promise<KeepAliveOutcome>
  /**
   * Sends a text to a contact (MESSAGE, RFC 3428). Resolves with its final status, or with
   * undefined when none came in time or nothing could be sent. Rejects with UnsafeArgumentError.
   */
  sendText(contact: FlowAddress, text: SipText): Promise<number | undefined>
  /**
   * Sends an OPTIONS to a server through the drachtio server that a call would use. A 408 or 503 from our
   * own stack counts as no answer. A challenge is answered with `auth`. Rejects with UnsafeArgumentError.
   */
  probe(server: {
    readonly uri: string
    readonly proxy: string
    readonly auth?: DialAuth | undefined
  }): Promise<ProbeOutcome>
  /** Returns the hosts of the SIP listeners of the connected drachtio servers. */
  sipHosts(): readonly string[]
  /**
   * Registers us at a registrar. Resolves with undefined when no answer came in time. Rejects with
   * UnsafeArgumentError.
   */
  register(request: RegisterRequest): Promise<RegisterOutcome | undefined>
}

export interface ProbeOutcome {
  /** The final status; undefined when none came in time. */
  readonly status: number | undefined
  /** The Contact of the OPTIONS as drachtio wrote it; undefined when nothing could be sent. */
  readonly contact: string | undefined
}

/**
 * answered: the contact sent a final response · silent: no response came in time · lost: the
 * connection to the contact is gone, so nothing can be sent (RFC 5626 §4.2.2) · unsent: the
 * contact's drachtio server is not connected, and no other server can reach it
 */
export type KeepAliveOutcome = 'answered' | 'silent' | 'lost' | 'unsent'

/** A peer that is reached by the path of its own request. */
export interface FlowAddress {
  /** The Request-URI: the peer's own contact. */
  readonly uri: string
  /** The next hop: the network address of the peer. */
  readonly proxy: string
  /** The drachtio server that received the peer's request, as in `OutsideRequest.server`. */
  readonly server: string
}

export interface SipText {
  /** The user part of From: the sender's number. */
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
  /** Equal in all requests of one registration; `cseq` grows by two or more with each. */
  readonly callId: string
  readonly cseq: number
  readonly auth?: DialAuth | undefined
}

export interface RegisterOutcome {
  readonly status: number
  /** The lifetime that the registrar granted. */
  readonly expiresSeconds?: number | undefined
  /** The shortest lifetime that the registrar grants, sent with 423. */
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

/** Plain RTP, SRTP, an INVITE without an offer, or an offer that cannot be answered. */
export type OfferedAudio = MediaSecurity | 'none' | 'unusable' | 'no-common-codec'

export interface IncomingInvite {
  readonly callId: string
  readonly requestUri: SipAddress
  readonly from: SipAddress
  readonly to: SipAddress
  /** Set for a loopback call: this server placed it, and its addresses are ours. */
  readonly loopback?: LoopbackHops | undefined
  /** The network address that sent the packet; no header can change it. Empty for a loopback call. */
  readonly source: { readonly address: string; readonly port: number; readonly transport: string }
  readonly userAgent: string | undefined
  /**
   * The kind of audio that is offered. A call with an unusable offer, or without a codec that the
   * media servers speak, would end with 488.
   */
  readonly audio: OfferedAudio
  /** Headers for the application, in order: `X-…`, `User-to-User` and others. */
  readonly headers: readonly SipHeader[]
  /** The Max-Forwards header: how many more hops the INVITE may take; undefined when absent. */
  readonly maxForwards?: number | undefined
  /** What recovery needs to refuse the INVITE; undefined for a loopback call, which needs no recovery. */
  readonly facts: InviteFacts | undefined
  reject(status: number, reason?: string, headers?: ResponseHeaders): void
  /** Sends no response and forgets the request. Meant for scanners. */
  drop(): void
  /**
   * Accepts the call. The returned leg rings and answers it, with G.711 where that is offered. When
   * `wish` begins with another codec, the first offered codec is used.
   */
  accept(events: LegEvents, wish?: readonly Codec[]): Leg
}

export interface DialRequest {
  /** The Max-Forwards of the INVITE (RFC 3261 §8.1.1.6); the stack's own when undefined. */
  readonly maxForwards?: number | undefined
  /** Request URI: `sip:+15550001111@192.0.2.1:5060;transport=udp`. */
  readonly uri: string
  readonly from: DialCaller
  /** Set for a number of this server: the call goes to the handler of new calls, and no SIP is sent. */
  readonly loopback?: LoopbackHops | undefined
  /** The To header when it differs from the request URI; also `urn:service:sos` (RFC 5031). */
  readonly to?: string
  /** Next hop when it differs from the request URI's host: `sip:192.0.2.1:5060`. */
  readonly proxy?: string
  /** The drachtio server through which the peer can be reached; any of them when absent. */
  readonly server?: string
  /** The leg that the new leg will be bridged with; both get the same media server where possible. */
  readonly beside?: LegMedia | undefined
  /** Headers by name. An array becomes several headers (RFC 8224 §4: Identity). */
  readonly headers?: ResponseHeaders
  /** Body parts besides the SDP; the body is then multipart (RFC 5621). */
  readonly parts?: readonly BodyPart[]
  readonly auth?: DialAuth
  /** The codecs to offer, preferred first; all when absent. */
  readonly codecs?: readonly Codec[] | undefined
  /**
   * True to offer SRTP only (RFC 4568): a peer that answers with plain RTP is hung up. Plain RTP is
   * the default. When the server has TLS, keys are sent only over TLS (RFC 4568 §8.3): a leg whose
   * next hop is not TLS ends at once.
   */
  readonly isMediaSecure?: boolean
  /** Ring time, after which the leg is cancelled and ends as 'no-answer'. */
  readonly timeoutMs: number
  /**
   * Maximum time until the peer sends an 18x response; without one the leg ends as 'unreachable'.
   * Only the ring time counts when absent. A 100 does not count: the stack does not report it.
   */
  readonly progressTimeoutMs?: number
  /** Channel variables of the endpoint, for dialplans. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The caller in the From header; our own address replaces a missing host. */
export interface DialCaller {
  readonly user: string
  readonly host?: string | undefined
  readonly displayName?: string | undefined
}

/** Credentials for a digest challenge. */
export interface DialAuth {
  readonly username: string
  readonly password: string
  /** The only realm that the credentials are for; a challenge of another realm is not answered. */
  readonly realm?: string | undefined
}

export interface LegEvents {
  /** Called when our INVITE was sent, and again when it is retried with credentials. */
  onInvited?(): void
  /** Called when an outbound leg receives an 18x response. */
  onProgress?(progress: { readonly status: number; readonly hasEarlyMedia: boolean }): void
  /** Called when media flows: a 200 was received and acknowledged, or our 200 was acknowledged. */
  onAnswered?(): void
  onEnded(end: LegEnd): void
  /** Called for each SIP step; the call's event log records it. */
  onSip?(step: SipStep): void
  /**
   * Called for each whole SIP message, without credentials. A leg without this listener reads no message a second
   * time.
   */
  onSipMessage?(message: KeptMessage): void
  /**
   * Called when the leg has a channel, and before `onEnded` with the figures of its audio; the call's event
   * log records both.
   */
  onMedia?(media: LegChannel): void
  /** Called when a server fault stops the leg or its peer's audio. */
  onFault?(why: string): void
}

/** Where the audio of a leg is handled. */
export interface LegChannel {
  /** The media server's name, as in `MediaConnection`: `192.0.2.1:8021`. */
  readonly server: string
  /** The id of the channel on that server. */
  readonly channel: string
  /** What the audio was, at the end of the leg. */
  readonly figures?: MediaFigures
  /** What was wrong with the audio of an answered leg, in sentences. */
  readonly faults?: readonly string[]
}

export interface Digit {
  readonly digit: string
  readonly durationMs: number
}

/** The digits that a leg's peer presses, sent in RTP or by INFO. */
export interface Digits {
  /** Calls the listener with each digit, in order; the returned function unsubscribes. */
  subscribe(listener: (digit: Digit) => void): () => void
}

export interface SipStep {
  readonly direction: 'sent' | 'received'
  /** The message's method or status line: `INVITE`, `180 Ringing`, `BYE` … */
  readonly message: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The next hop that the message was sent to or came from; undefined for a loopback call. */
  readonly peer?: SipPlace
  /** Our SIP listener of the same transport. */
  readonly local?: SipPlace
  readonly callId?: string
  /** The Request-URI of a request. */
  readonly requestUri?: string
  /** The name of the carrier, or the id of the account's gateway, at the next hop. */
  readonly carrier?: string
  readonly gateway?: string
  /**
   * Who made a final response that we received. own-stack: our SIP stack, because the peer could not be
   * reached or did not answer · own-server: a server of ours, without the peer
   */
  readonly madeBy?: 'peer' | 'own-stack' | 'own-server'
  /**
   * Why our own stack made the response. no-address: the host has no address · refused: nothing listens
   * there, or the network cannot reach it · timeout: no response came in time · loopback-only: our SIP
   * listener is on a loopback address, and the peer is not
   */
  readonly why?: 'no-address' | 'refused' | 'timeout' | 'loopback-only'
}

/** A whole SIP message without its credentials, or the number of those beyond the limit. */
export interface KeptMessage {
  readonly callId: string
  readonly direction?: SipStep['direction']
  readonly text?: string
  /** Number of characters at the end that were cut. */
  readonly omittedChars?: number
  readonly peer?: SipPlace
  readonly local?: SipPlace
  /** Number of messages of the leg that were not kept. */
  readonly notKept?: number
}

/** One end of a hop; the host is a name when only a URI is known. */
export interface SipPlace {
  /** `udp`, `tcp`, `tls`, `ws` or `wss`. */
  readonly transport: string
  readonly host: string
  readonly port: number
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
  /** The final SIP status: 200 after an answered call, else 487, 486, 408, 503 … */
  readonly sipStatus: number
  readonly reason?: string | undefined
  /** The `Retry-After` of a rejection, in seconds. */
  readonly retryAfterSeconds?: number | undefined
  /**
   * Why the INVITE of an unreachable leg was not delivered. no-tls: there was no TLS connection ·
   * clear-keys: its SRTP keys would have been sent without TLS, so nothing was sent
   */
  readonly obstacle?: 'no-tls' | 'clear-keys' | undefined
}

export interface Leg {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly sipCallId: string
  /** Headers for the application: those of the peer's INVITE, or of its final response once there is one. */
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
   * Sends 180, or 183 with audio when `withMedia`. For an inbound, unanswered leg only. Creates the
   * endpoint at once, which makes the answer faster.
   */
  ring(options?: { readonly withMedia?: boolean }): Promise<void>
  /** Sends 200. Resolves when the ACK arrives. For an inbound, unanswered leg only. */
  answer(): Promise<void>
  /**
   * Ends the leg with CANCEL, BYE or a final response, as its state requires. An unanswered inbound
   * leg is refused with `status` (default 603): it ends as 'rejected' with a status, as 'canceled'
   * without one. Resolves when the leg has ended. May be called at any time and repeatedly.
   */
  hangup(options?: { readonly status?: number; readonly reason?: string }): Promise<void>
  /**
   * Sends a REFER to `target` (a `sip:`, `sips:` or `tel:` URI) and follows the peer's NOTIFYs (RFC
   * 3515). For answered legs only, one referral at a time. Resolves also when the leg ends
   * meanwhile. Rejects with the signal's reason when aborted. Rejects with UnsafeArgumentError when
   * `target` is not such a URI; nothing is sent then.
   */
  refer(target: string, signal: AbortSignal): Promise<ReferralOutcome>
  /**
   * Sets a listener for the peer's REFERs; the returned function unsubscribes. Only the newest
   * listener is called. Without a listener a REFER is refused.
   */
  onReferral(listener: (referral: IncomingReferral) => void): () => void
}

/** A REFER from the peer. The listener must accept or refuse it at once. */
export interface IncomingReferral {
  /** The URI in the Refer-To header, as written; at most 256 characters, 1,024 with `replaces`. */
  readonly target: string
  /** The dialog to replace in an attended transfer (RFC 3891); undefined for a blind one. */
  readonly replaces: DialogName | undefined
  refuse(): void
  accept(): void
  /** Sends the NOTIFY of success; the peer may then hang up. Called after `accept`. */
  notifySuccess(): void
}

export interface ReferralOutcome {
  /**
   * refused: the peer refused the REFER or did not answer it · notified: a NOTIFY reported the new call's
   * result · unknown: the peer accepted and sent no final NOTIFY · leg-over: this leg ended before that
   */
  readonly how: 'refused' | 'notified' | 'unknown' | 'leg-over'
  /** The final response to the REFER; undefined when none came. */
  readonly sipStatus: number | undefined
  /** The new call's last status in a NOTIFY; undefined when no NOTIFY had one. */
  readonly notifiedStatus: number | undefined
}

/** A body part; headers can refer to it by its Content-ID (RFC 2392). */
export interface BodyPart {
  readonly contentType: string
  /** The Content-ID without its angle brackets: `name@host`. */
  readonly contentId: string
  readonly content: string
}

/** Headers by name. An array becomes several headers: challenges cannot be combined into one. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

/** The number of loopback calls in a chain up to this one; each call placed the next. */
export interface LoopbackHops {
  readonly hops: number
}

export class LegEndedError extends DomainError {
  override readonly name = 'LegEndedError'
  readonly code = 'leg-ended'
}

/** An argument could become part of a command. Nothing was sent. */
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
  /** True while the server gets no new call. */
  readonly isDrained: boolean
  /** The share of new calls that the server gets, compared with the others' weights. */
  readonly weight: number
  /** This process's channels on a FreeSWITCH server, or its legs on a drachtio server. */
  readonly ownChannels: number
  /** All channels that a FreeSWITCH server last reported; for a drachtio server only our own legs. */
  readonly channels: number
  /** The maximum number of channels on a FreeSWITCH server, and its idle CPU; undefined when not known. */
  readonly maxSessions: number | undefined
  readonly idlePercent: number | undefined
}

/** A request outside a dialog that does not start a call: a carrier's OPTIONS, a REGISTER, a MESSAGE. */
export interface OutsideRequest {
  readonly method: string
  /** The network address that sent the request. */
  readonly source: { readonly address: string; readonly port: number; readonly transport: string }
  readonly userAgent: string | undefined
  /** The drachtio server that received the request. */
  readonly server: string
  /** The Request-URI as received. */
  readonly requestUri: string
  /** The From and To headers as received, truncated when too long. */
  readonly parties: readonly string[]
  /** The body; undefined when it is too long. */
  readonly body: string | undefined
  /** Returns a header by name, several headers joined as one list. Undefined when absent or `isTooLong`. */
  header(name: string): string | undefined
  isTooLong(name: string): boolean
  /**
   * Sends the answer that RFC 3261 requires: our capabilities for OPTIONS, a refusal for any other method.
   */
  answer(): void
  reject(status: number, reason: string, headers?: ResponseHeaders): void
  /** Accepts a MESSAGE: 202 when it will be forwarded, 200 otherwise (RFC 3428 §7). */
  accepted(status: 200 | 202): void
  /** Answers a REGISTER with 200 and the current contacts. */
  registered(contacts: readonly string[], headers?: ResponseHeaders): void
}
