/**
 * The telephony port: legs, and what can be done with their audio. Its one adapter drives drachtio
 * and FreeSWITCH; the lab speaks the same two protocols, so nothing above this file can tell.
 *
 * A leg is one SIP dialog plus one media endpoint. Its events are given when it is made, so none is
 * lost; `onEnded` fires exactly once, after which every operation rejects with LegEndedError and
 * nothing of the leg (dialog, endpoint, socket, timer) is left.
 */
import { DomainError } from '../../platform/errors.js'
import type { DialogFacts } from './dialog-facts.js'

export type ServerHealth = 'connecting' | 'up' | 'down'

export interface TelephonyHealth {
  readonly signaling: ServerHealth
  readonly media: ServerHealth
}

export interface Telephony extends AsyncDisposable {
  readonly health: TelephonyHealth
  /** Called at every change; the returned function unsubscribes. */
  onHealth(listener: (health: TelephonyHealth) => void): () => void
  /** The one handler of new calls. Nothing is allocated before it accepts. */
  onInvite(handler: (invite: IncomingInvite) => void): void
  /** Sends an INVITE; returns at once, the rest arrives as events. */
  dial(request: DialRequest, events: LegEvents): Leg
  /**
   * BYE in a dialog of a leg that is gone. False when the server that has the dialog, or any that
   * could, is not there now; true when the BYE was answered or nothing more can be done.
   */
  endDialog(dialog: DialogFacts): Promise<boolean>
  /** Legs that are not over yet. */
  legCount(): number
}

export interface SipAddress {
  readonly user?: string
  readonly host: string
  readonly port?: number
  readonly displayName?: string
  readonly uri: string
}

export interface SipHeader {
  readonly name: string
  readonly value: string
}

export interface IncomingInvite {
  readonly callId: string
  readonly requestUri: SipAddress
  readonly from: SipAddress
  readonly to: SipAddress
  /** Who sent the packet, not who the headers say. */
  readonly source: { readonly address: string; readonly port: number; readonly transport: string }
  readonly userAgent: string | undefined
  /** `X-…`, `User-to-User` and other headers an application may want, in order. */
  readonly headers: readonly SipHeader[]
  reject(status: number, reason?: string, headers?: Readonly<Record<string, string>>): void
  /** Answers nothing at all and forgets the request: for scanners. */
  drop(): void
  /** Takes the call; ring and answer it through the leg. */
  accept(events: LegEvents): Leg
}

export interface DialRequest {
  /** Request URI: `sip:+15550001111@192.0.2.1:5060;transport=udp`. */
  readonly uri: string
  readonly from: { readonly user: string; readonly host?: string; readonly displayName?: string }
  /** To header when it differs from the request URI. */
  readonly to?: string
  /** Next hop when it differs from the request URI's host: `sip:192.0.2.1:5060`. */
  readonly proxy?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: { readonly username: string; readonly password: string }
  /** Ring time, after which the leg is cancelled and ends as 'no-answer'. */
  readonly timeoutMs: number
  /** Set as channel variables on the endpoint, for dialplans. */
  readonly variables?: Readonly<Record<string, string>>
}

export interface LegEvents {
  /** 18x received (outbound). */
  onProgress?(progress: { readonly status: number; readonly hasEarlyMedia: boolean }): void
  /** 200 received and acknowledged, or our 200 was acknowledged; media flows. */
  onAnswered?(): void
  onDigit?(digit: Digit): void
  onEnded(end: LegEnd): void
  /** Each SIP step, for the call's event log. */
  onSip?(step: SipStep): void
}

export interface Digit {
  readonly digit: string
  readonly durationMs: number
}

export interface SipStep {
  readonly direction: 'sent' | 'received'
  /** `INVITE`, `180 Ringing`, `BYE` … */
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
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
  /** SIP status that stands for the end: 200 after an answered call, else 487, 486, 408, 503 … */
  readonly sipStatus: number
  readonly reason?: string
}

/** What plays: only files that trunkline made or checked itself, never a user's string. */
export type AudioSource =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'silence'; readonly durationMs: number }
  | {
      readonly type: 'tone'
      readonly frequencies: readonly number[]
      readonly onMs: number
      readonly offMs: number
      readonly repeat: number
    }
  /** Tones in turn, such as a ringing tone of two rings and a pause. */
  | {
      readonly type: 'cadence'
      readonly parts: readonly {
        readonly frequencies: readonly number[]
        readonly onMs: number
        readonly offMs: number
      }[]
      readonly repeat: number
    }

export interface Leg {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly sipCallId: string
  /**
   * What an application may want of what the peer sent: the headers of its INVITE, or of its final
   * response once there is one.
   */
  readonly remoteHeaders: readonly SipHeader[]
  readonly state: 'setup' | 'ringing' | 'answered' | 'ended'
  /** Once answered, and until a BYE was exchanged: of a leg whose server was lost, also after its end. */
  readonly dialogFacts: DialogFacts | undefined
  /**
   * 180, or 183 with audio when `withMedia`. Inbound and unanswered only. Makes the endpoint as
   * well, so that the answer is quicker.
   */
  ring(options?: { readonly withMedia?: boolean }): Promise<void>
  /** 200; resolves when the ACK came. Inbound and unanswered only. */
  answer(): Promise<void>
  /**
   * CANCEL, BYE or a final response, as the stage demands; before the answer of an inbound leg
   * `status` (default 603) is sent: with a status the leg ends as 'rejected', without one as
   * 'canceled'. Resolves when the leg is over; safe at any time, once or often.
   */
  hangup(options?: { readonly status?: number; readonly reason?: string }): Promise<void>
  /**
   * Resolves when all of it was heard; rejects with the signal's reason when aborted (silent within
   * two frames), with PlaybackError when the server cannot play it.
   */
  play(source: AudioSource, signal: AbortSignal): Promise<void>
  /** `0-9 A-D * #`, `w` 0.5 s, `W` 1 s. Resolves when all were sent. */
  sendDigits(digits: string, signal: AbortSignal): Promise<void>
  /** Connects two answered legs until the signal aborts or either ends; resolves then. */
  bridge(other: Leg, signal: AbortSignal): Promise<void>
  /**
   * Into the room of that name (letters, digits, `-`, `_`), which its first leg makes and its last one
   * ends. Everybody hears all others. What `play` plays to the leg meanwhile is heard by it alone.
   */
  joinRoom(room: string, voice: { readonly speaks: 'yes' | 'no' }): Promise<RoomSeat>
  startRecording(
    path: string,
    options: { readonly channels: 'mono' | 'stereo' },
  ): Promise<LegRecording>
  setVariable(name: string, value: string): Promise<void>
  /**
   * Asks the peer to call `target` (a `sip:`, `sips:` or `tel:` URI) and follows what it tells of that
   * (RFC 3515). Answered legs only, one reference at a time. Resolves also when the leg ends meanwhile;
   * rejects with the signal's reason when aborted, with UnsafeArgumentError and nothing sent for a
   * target that is no such URI.
   */
  refer(target: string, signal: AbortSignal): Promise<ReferOutcome>
  /**
   * Hears whom the peer wants to be called in its place; the returned function unsubscribes. Of several
   * listeners the newest hears it. While there is none, the peer is refused.
   */
  onReference(listener: (reference: IncomingReference) => void): () => void
  /**
   * Hands out the leg's audio while it goes on. Resolves when audio comes; rejects with AdapterError
   * when the media server cannot, also for a name that is in use.
   */
  fork(request: ForkRequest, events: ForkEvents): Promise<LegFork>
}

/** A REFER of the peer: to be accepted or refused at once. */
export interface IncomingReference {
  /** The URI of its Refer-To, as written: at most 256 characters. */
  readonly target: string
  refuse(): void
  accept(): void
  /** After `accept`, when what was asked for has been taken over: the peer may go. */
  tellAccepted(): void
}

export interface ReferOutcome {
  /**
   * refused: the peer would not, or did not answer · told: it said how the new call ended up ·
   * untold: it agreed and said nothing, or stopped saying before the end · leg-over: this leg ended
   * before that
   */
  readonly how: 'refused' | 'told' | 'untold' | 'leg-over'
  /** Final response to the REFER; undefined when none came. */
  readonly sipStatus: number | undefined
  /** The new call's last status that the peer told of; undefined when it told of none. */
  readonly toldStatus: number | undefined
}

export interface ForkRequest {
  /** Letters, digits, `-` and `_`; one fork of each name on a leg. */
  readonly name: string
  /** `far-end` what the peer says; `both` also what it hears, two samples each: far end first. */
  readonly hears: 'far-end' | 'both'
  /** `yes`: what is given to `speak` is heard by the peer, mixed into what plays. */
  readonly speaks: 'yes' | 'no'
}

export interface ForkEvents {
  /** 20 ms, or a multiple when the media server was held up, of 16-bit little-endian samples at 8 kHz. */
  onAudio(audio: Buffer): void
  /** The audio before the mark was played, or thrown away by `silence`. */
  onMark?(name: string, how: 'played' | 'cleared'): void
  /** Once, unless it was stopped: the leg ended, or the media server let go. */
  onEnded(why: 'leg-over' | 'lost'): void
}

export interface LegFork {
  /**
   * 16-bit little-endian samples at 8 kHz. The media server gathers 160 ms before it begins and 80 ms
   * at a time from then on. False when it takes nothing more now: the audio was not sent.
   */
  speak(audio: Buffer): boolean
  /** Comes back as `onMark` when what was spoken before it has been heard; 30 may be pending. */
  mark(name: string): void
  /** Ends what is spoken, and what plays, within two frames; pending marks come back as cleared. */
  silence(): void
  /** Resolves when no more audio comes. */
  stop(): Promise<void>
}

/** A leg's place in a room; over when the leg leaves, by `leave` or by its end. */
export interface RoomSeat {
  /** The media server's number for it. */
  readonly member: string
  /** Resolves when it is out of the room, whoever took it out. */
  readonly left: Promise<void>
  setSpeaks(speaks: 'yes' | 'no'): Promise<void>
  setHears(hears: 'yes' | 'no'): Promise<void>
  /** Whether another one of the room hears this one. */
  setHeardBy(other: RoomSeat, hears: 'yes' | 'no'): Promise<void>
  /**
   * Hears when this one begins to talk in the room, and when it has been quiet for longer than between
   * words; the returned function unsubscribes.
   */
  onTalking(listener: (talking: 'started' | 'stopped') => void): () => void
  /** What all say is written there, whoever leaves, until it is stopped or nobody is left. */
  record(path: string): Promise<RoomRecording>
  /** Everybody in the room hears it; resolves when it has begun. */
  play(source: AudioSource): Promise<void>
  /** Resolves when the leg can do something else. */
  leave(): Promise<void>
}

export interface RoomRecording {
  /** Resolves when the file is complete; also after the room ended. */
  stop(): Promise<void>
}

export interface LegRecording {
  pause(): Promise<void>
  resume(): Promise<void>
  /** Resolves when the file is complete; also after the leg ended. */
  stop(): Promise<void>
}

export class LegEndedError extends DomainError {
  override readonly name = 'LegEndedError'
  readonly code = 'leg-ended'
}

export class PlaybackError extends DomainError {
  override readonly name = 'PlaybackError'
  readonly code = 'playback-failed'
}

/** An argument that could have become part of a command; nothing was sent. */
export class UnsafeArgumentError extends DomainError {
  override readonly name = 'UnsafeArgumentError'
  readonly code = 'unsafe-argument'
}
