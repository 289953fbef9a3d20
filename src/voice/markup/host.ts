/**
 * What a running document may do to its call. The call's actor provides it; verbs know nothing else.
 */
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { RecordingWish } from '../model/recording-wish.js'
import type { SpeechRequest } from '../model/speech-request.js'
import type { AudioSource } from '../telephony/leg-media.js'
import type { Digit, Leg } from '../telephony/port.js'
import type { ChildCall, ChildCallEvents, ChildCallRequest } from './child-call.js'
import type { Audience, ConferenceEntry } from './conference-entry.js'
import type { DocumentRequest, FetchedDocument } from './document.js'
import type { HostedRecording } from './hosted-recording.js'
import type { HostedStream, StreamRequest } from './hosted-stream.js'
import type { QueueDial, QueueDialAnswer, QueueEntry, QueueOutcome } from './queue-entry.js'

export interface MarkupHost {
  readonly leg: Leg
  /** Hears the document in place of the leg. */
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
  /** Ends the stream of that name; false when there is none. */
  stopStream(name: string): boolean
  /** Resolves when audio is recorded, or when it is known that none can be. */
  record(wanted: RecordingWish): Promise<HostedRecording>
  /** The call's one recording beside its documents; nothing happens where there is one. */
  startRecording(wanted: RecordingWish): Promise<void>
  /** Ends that recording; false when there is none. */
  stopRecording(): boolean
  /** Asks the action of a call that is over, as a callback; resolves when the callback is stored. */
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
  /** Resolves with the caller who has waited longest, once it can be connected. Its place is kept meanwhile. */
  dialQueue(wanted: QueueDial, signal: AbortSignal): Promise<QueueDialAnswer>
  /** Digits while subscribed, in order; the returned function unsubscribes. */
  onDigit(listener: (digit: Digit) => void): () => void
  /** Appends to the call's event log. */
  log(entry: MarkupLogEntry): void
}

export type MarkupLogEntry =
  | {
      readonly type: 'verb'
      readonly verb: string
      readonly attributes: Readonly<Record<string, string>>
      readonly text?: string
    }
  | { readonly type: 'digits'; readonly digits: string; readonly finishedOnKey: string }
  | { readonly type: 'warning'; readonly code: ErrorNumber; readonly message: string }
  | {
      readonly type: 'error'
      readonly code: ErrorNumber
      readonly message: string
      readonly url?: string | undefined
    }
