/**
 * What a running document may do to its call. The call's actor provides it; verbs know nothing else.
 */
import { DomainError } from '../../platform/errors.js'
import type { RecordingWanted } from '../recordings/recording-record.js'
import type { AudioSource, Digit, Leg, SipHeader } from '../telephony/port.js'
import type { ConferenceNoun } from './parse/conference.js'
import type { DialMachineDetection, DialStatusEvent } from './parse/dial-noun.js'
import type { SipTarget } from './parse/dial-sip.js'
import type { StreamTrack } from './parse/stream.js'
import type { QueueDial, QueueDialAnswer, QueueEntry, QueueOutcome } from './queue-host.js'

export interface DocumentRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  /** On top of the standard parameters of the call: `Digits`, `ErrorCode`, … in wire names. */
  readonly params: Readonly<Record<string, string>>
  /**
   * `owed`: a caller that goes meanwhile does not take it back, for what it tells is worth knowing all
   * the same. The answer is not run then.
   */
  readonly delivery?: 'owed'
}

export interface FetchedDocument {
  /** After redirects: relative URLs of the document resolve against it. */
  readonly url: string
  readonly contentType: string
  readonly text: string
}

/** How a document's first text came: by URL, or given inline (then relative URLs are errors, 15004). */
export type DocumentSource =
  | {
      readonly type: 'url'
      readonly request: DocumentRequest
      readonly fallback?: { readonly url: string; readonly method: 'GET' | 'POST' }
    }
  | { readonly type: 'inline'; readonly text: string }

/** Several that hear the same document. */
export type Audience = Pick<Leg, 'play'>

export interface MarkupHost {
  readonly leg: Leg
  /** Hears what the document says in place of the leg, when there is one. */
  readonly audience?: Audience | undefined
  /**
   * A call; or the screening of a party that a Dial is about to connect: no Dial in there (13201); or
   * what somebody hears while it waits: Play, Say, Pause and Redirect only (13238); or while it waits
   * in a queue: Gather, Hangup and Leave as well.
   */
  readonly purpose: 'call' | 'screening' | 'waiting' | 'queued'
  /** Answers an inbound leg that is not answered yet; a no-op afterwards. */
  answer(signal: AbortSignal): Promise<void>
  /** Fetches markup from the customer's application; rejects with FetchError (an 11xxx code). */
  fetchDocument(request: DocumentRequest, signal: AbortSignal): Promise<FetchedDocument>
  /** Speech as a playable file; rejects with SpeechTextError when there is nothing it can say. */
  synthesise(speech: SpeechRequest, signal: AbortSignal): Promise<AudioSource>
  /** A document's media URL as a playable file; rejects with FetchError or MediaTypeError (13420 …). */
  fetchMedia(url: string, signal: AbortSignal): Promise<AudioSource>
  /**
   * Calls somebody for this call: a child, which is a call of its own. Resolves once it is stored and
   * under way; rejects with DialRefusedError, and nothing is left then.
   */
  placeCall(wanted: ChildCallRequest, events: ChildCallEvents): Promise<ChildCall>
  /** Begins the call's one stream; rejects with StreamStartError, and nothing is left then. */
  startStream(wanted: StreamRequest): Promise<HostedStream>
  /** Ends the stream of that name; false when none of that name goes on. */
  stopStream(name: string): boolean
  /** Resolves when audio is recorded, or when it is known that none can be. */
  record(wanted: RecordingRequest): Promise<HostedRecording>
  /** The call's one recording beside its documents; nothing happens where there is one. */
  startRecording(wanted: RecordingRequest): Promise<void>
  /** Ends that one; false when none goes on. */
  stopRecording(): boolean
  /** Asks an action that nobody waits for: its call is over. Resolves when that is sure to happen. */
  tell(request: DocumentRequest): Promise<void>
  /**
   * Into the account's room of that name. Resolves when the call is out of it: by the signal, because
   * the room ended, or because it was taken out. Rejects with ConferenceRefusedError.
   */
  enterConference(entry: ConferenceEntry, signal: AbortSignal): Promise<void>
  /**
   * Into the account's queue of that name, which is made when there is none. Resolves when the
   * document may go on; rejects when it may not: the call was taken away or is over. Whoever has to
   * know the result has been told then.
   */
  enterQueue(entry: QueueEntry, signal: AbortSignal): Promise<QueueOutcome>
  /** The caller who has waited longest, once it can be connected; its place is kept while it is told. */
  dialQueue(wanted: QueueDial, signal: AbortSignal): Promise<QueueDialAnswer>
  /** Digits while subscribed, in order; the returned function unsubscribes. */
  onDigit(listener: (digit: Digit) => void): () => void
  /** Appends to the call's event log. */
  log(entry: MarkupLogEntry): void
}

export interface StreamRequest {
  /** `ws:` or `wss:`. */
  readonly url: string
  readonly name: string | undefined
  readonly track: StreamTrack
  /** `two-way`: what the far end sends is heard by the caller, and digits are told to it. */
  readonly kind: 'one-way' | 'two-way'
  /** Absolute. */
  readonly statusCallback: { readonly url: string; readonly method: 'GET' | 'POST' } | undefined
  readonly parameters: Readonly<Record<string, string>>
}

export interface HostedStream {
  readonly sid: string
  /** When nothing of it is left. */
  readonly ended: Promise<void>
  stop(): void
}

/** Callback URLs are absolute. */
export interface RecordingRequest extends RecordingWanted {
  /** Silence of the caller that ends it; undefined: none does. */
  readonly silenceMs?: number | undefined
}

export interface HostedRecording {
  /** When its file is complete. It ends by itself, by `stop`, and with the call. */
  readonly finished: Promise<RecordingEnd>
  stop(): Promise<RecordingEnd>
}

/** `params`: what an action learns of the recording, in wire names. */
export type RecordingEnd =
  | { readonly type: 'recorded'; readonly params: Readonly<Record<string, string>> }
  | { readonly type: 'nothing' }

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
  /** Absolute, as the next one. */
  readonly screening: { readonly url: string; readonly method: 'GET' | 'POST' } | undefined
  readonly statusCallback:
    | {
        readonly url: string
        readonly method: 'GET' | 'POST'
        readonly events: readonly DialStatusEvent[]
      }
    | undefined
  readonly machineDetection: DialMachineDetection | undefined
}

/** How a call comes into a room, hears and is heard there, and goes. */
export interface ConferenceEntry {
  readonly name: string
  readonly isMuted: boolean
  readonly beep: ConferenceNoun['beep']
  readonly startOnEnter: boolean
  readonly endOnExit: boolean
  readonly label: string | undefined
  readonly maxParticipants: number
  /** The sid of the call that alone hears this one. */
  readonly coach: string | undefined
  /** The URL is absolute. */
  readonly statusCallback: ConferenceNoun['statusCallback']
  /** Undefined: it is not for this one's sake that it is recorded. */
  readonly recording: ConferenceRecordingWish | undefined
  /** What is heard until the conference starts. */
  readonly waiting: Waiting
  /** Plays what somebody who waits is to hear, until the signal aborts; then resolves. */
  readonly wait: (waiting: Waiting, until: AbortSignal) => Promise<void>
  /**
   * Runs the announcement's markup once, for the audience. Rejects with AnnouncementError when it
   * cannot be carried out, with the signal's reason when aborted, and with what the audience met.
   */
  readonly announce: (
    announcement: Announcement,
    audience: Audience,
    until: AbortSignal,
  ) => Promise<void>
}

/** Markup that a room, or somebody in it, is to hear once. */
export interface Announcement {
  /** Absolute. */
  readonly url: string
  readonly method: 'GET' | 'POST'
}

/** The announcement's markup could not be fetched, understood or played. */
export class AnnouncementError extends DomainError {
  override readonly name = 'AnnouncementError'
  readonly code = 'announcement'
}

/** A recording of what all say, from the start on. */
export interface ConferenceRecordingWish {
  readonly trim: ConferenceNoun['trim']
  /** The URL is absolute. */
  readonly callback: ConferenceNoun['recordingStatusCallback']
}

/** Markup or audio, again and again. */
export interface Waiting {
  /** Absolute. Undefined: the usual music; empty: silence. */
  readonly url: string | undefined
  readonly method: 'GET' | 'POST'
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
  /** Of the final response to its INVITE. */
  readonly sipHeaders: readonly SipHeader[]
}

export interface ChildCall {
  readonly sid: string
  /** Ends it however far it is; nothing happens when it is over. */
  hangup(): void
  /** The answered child goes on by itself, with this document: it is `taken`. */
  takeAway(request: DocumentRequest): void
}

export interface SpeechRequest {
  readonly text: string
  readonly voice: string | undefined
  readonly language: string | undefined
  /** Undefined: the text is spoken plainly. */
  readonly markup?: SpeechMarkup | undefined
}

/** How a text is to be spoken, once as SSML and once as what any engine can do. */
export interface SpeechMarkup {
  /** A whole `<speak>` document. */
  readonly ssml: string
  /** 1: as usual; 2: twice as fast. */
  readonly rate: number
  readonly gainDb: number
  /** What only an engine that reads the SSML can do, in words for a person. */
  readonly unheard: readonly string[]
}

export type MarkupLogEntry =
  | {
      readonly type: 'verb'
      readonly verb: string
      readonly attributes: Readonly<Record<string, string>>
      readonly text?: string
    }
  | { readonly type: 'digits'; readonly digits: string; readonly finishedOnKey: string }
  | { readonly type: 'warning'; readonly code: number; readonly message: string }
  | {
      readonly type: 'error'
      readonly code: number
      readonly message: string
      readonly url?: string
    }

/** Why the document chain ended. The actor hangs up after each of them but `rejected`. */
export type MarkupEnd =
  | { readonly type: 'finished' }
  | { readonly type: 'hangup' }
  /** Of what is heard in a queue: the caller goes on after the Enqueue. */
  | { readonly type: 'left-queue' }
  | { readonly type: 'rejected'; readonly reason: 'rejected' | 'busy' }
  /** The application could not be fetched or understood and had no (working) fallback. */
  | { readonly type: 'application-error'; readonly code: number; readonly message: string }

/** A server of the customer did not give what was asked; `number` is the documented 11xxx code. */
export class FetchError extends DomainError {
  override readonly name = 'FetchError'
  readonly code = 'fetch-failed'
  readonly number: number
  readonly url: string
  constructor(number: number, url: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.number = number
    this.url = url
  }
}

/** What came is not audio that can be played: 13420 in the call's log. */
export class MediaTypeError extends DomainError {
  override readonly name = 'MediaTypeError'
  readonly code = 'media-type-unsupported'
  readonly number = 13420
  readonly url: string
  constructor(url: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.url = url
  }
}

/** Text that cannot be spoken: 13520 nothing pronounceable in it, 13521 too long. */
export class SpeechTextError extends DomainError {
  override readonly name = 'SpeechTextError'
  readonly code = 'speech-text'
  readonly number: 13520 | 13521
  constructor(number: 13520 | 13521, message: string) {
    super(message)
    this.number = number
  }
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

/** A stream that cannot begin: 31922 the scheme, 31923 the URL, 31960 the call has one already. */
export class StreamStartError extends DomainError {
  override readonly name = 'StreamStartError'
  readonly code = 'stream-start'
  readonly number: number
  constructor(number: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.number = number
  }
}

/** A room that cannot be entered: 16020 full, 16025 the participant label is in use. */
export class ConferenceRefusedError extends DomainError {
  override readonly name = 'ConferenceRefusedError'
  readonly code = 'conference-refused'
  readonly number: 16020 | 16025
  constructor(number: 16020 | 16025, message: string) {
    super(message)
    this.number = number
  }
}

/** Why a chain was aborted: another document runs on the call now, which goes on. */
export class DocumentReplacedError extends Error {
  override readonly name = 'DocumentReplacedError'
}
