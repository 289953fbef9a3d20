/**
 * The operations of a running document on its call. The call's actor provides them; verbs know
 * nothing else.
 */

import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { RecordingWish } from '../model/recording-wish.js'
import type { SpeechRequest } from '../model/speech-request.js'
import type { AudioSource } from '../telephony/leg-media.js'
import type { Leg } from '../telephony/port.js'
import type { AccountDialogs } from './bridged-dialogs.js'
import type { ChildCall, ChildCallEnd, ChildCallEvents, ChildCallRequest } from './child-call.js'
import type { Audience, ConferenceEntry } from './conference-entry.js'
import type { DocumentRequest, FetchedDocument } from './document.js'
import type { HostedStream, StreamRequest } from './hosted-stream.js'
import type { DialStatusEvent } from './parse/dial-noun.js'
import type { QueueDial, QueueDialAnswer, QueueEntry, QueueOutcome } from './queue-entry.js'

export interface MarkupHost {
  readonly leg: Leg
  /** The listeners that hear the document in place of the leg; undefined when the leg hears it. */
  readonly audience?: Audience | undefined
  /**
   * The place of the document, which limits its verbs. `call`: all verbs. `screening` of a party
   * that a Dial is about to connect: no Dial (13201). `waiting`: Play, Say, Pause and Redirect only
   * (13238). `queued`: Gather, Hangup and Leave as well. `bridge`: there is no markup, and the caller
   * hears the party's early media before the answer.
   */
  readonly purpose: 'call' | 'screening' | 'waiting' | 'queued' | 'bridge'
  /** Answers an inbound leg. Does nothing when it is answered already. */
  answer(signal: AbortSignal): Promise<void>
  /** Fetches markup from the customer's application. Rejects with FetchError (an 11xxx code). */
  fetchDocument(request: DocumentRequest, signal: AbortSignal): Promise<FetchedDocument>
  /**
   * Makes a playable file of speech. What it cannot do as wished is said to `warn`, for each piece of
   * a text anew. Rejects with SpeechTextError when nothing in the text can be spoken.
   */
  synthesise(
    speech: SpeechRequest,
    warn: (code: ErrorNumber, message: string) => void,
    signal: AbortSignal,
  ): Promise<AudioSource>
  /**
   * Makes a playable file of a document's media URL. Rejects with FetchError or MediaTypeError
   * (13420 …).
   */
  fetchMedia(url: string, signal: AbortSignal): Promise<AudioSource>
  /**
   * Places a child call for this call. Resolves once it is stored and under way. Rejects with
   * DialRefusedError; nothing of it is left then.
   */
  placeCall(wanted: ChildCallRequest, events: ChildCallEvents): Promise<ChildCall>
  /**
   * Judges whom a far end is asked to call. Rejects with DialRefusedError when that is a number which
   * the account may not call: the far end may be a carrier, which bills this server.
   */
  judgeReferral(target: string): Promise<void>
  /**
   * Places a call to the test line of emergency calls, which the caller hears on its own leg. Rejects
   * with DialRefusedError when no address is known.
   */
  callAddressTest(
    request: AddressTestRequest,
    onOver: (end: ChildCallEnd) => void,
  ): Promise<ChildCall>
  /**
   * Connects the caller with an application of the account, as a call of its own whose documents
   * the caller hears. Resolves once that call is stored and under way; `onOver` is called at its end,
   * when the leg is free again. Rejects with DialRefusedError; nothing of it is left then.
   */
  callApplication(
    wanted: ApplicationCallRequest,
    onOver: (end: ChildCallEnd) => void,
  ): Promise<ChildCall>
  /** Starts the call's one stream. Rejects with StreamStartError; nothing of it is left then. */
  startStream(wanted: StreamRequest): Promise<HostedStream>
  /** Ends the stream of that name. Returns false when there is none. */
  stopStream(name: string): boolean
  /** Records the call. Resolves when audio is recorded, or when it is known that none can be. */
  record(wanted: RecordingWish): Promise<HostedRecording>
  /**
   * Starts the call's one recording beside its documents. Does nothing when there is one already.
   */
  startRecording(wanted: RecordingWish): Promise<void>
  /** Ends the recording beside the documents. Returns false when there is none. */
  stopRecording(): boolean
  /**
   * Sends the action of a call that is over, as a callback. Resolves when the callback is stored.
   */
  tell(request: DocumentRequest): Promise<void>
  /**
   * Lets these calls, or those of these legs, talk for as long from now on, when that is longer than any
   * call usually may. A call that was given a TimeLimit keeps it. The returned function is called when
   * the Dial is left: the calls then have what was left of their usual time.
   */
  letTalk(calls: readonly (Leg | ChildCall)[], limitMs: number): () => void
  /**
   * Enters the account's conference of that name. Resolves when the call is out of it: the signal
   * aborted, the conference ended, or the call was removed. Rejects with ConferenceRefusedError.
   */
  enterConference(entry: ConferenceEntry, signal: AbortSignal): Promise<void>
  /**
   * Enters the account's queue of that name, and makes the queue when there is none. Resolves when
   * the document may go on. Rejects when it may not, because the call was taken away or is over;
   * the result has then been reported already.
   */
  enterQueue(entry: QueueEntry, signal: AbortSignal): Promise<QueueOutcome>
  /**
   * Takes the caller who has waited longest. Resolves once that caller can be connected; its place
   * is kept meanwhile.
   */
  dialQueue(wanted: QueueDial, signal: AbortSignal): Promise<QueueDialAnswer>
  /** The dialogs that Dials of the account have bridged on this node. */
  readonly bridgedDialogs: AccountDialogs
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

/** The call by which a document asks the test line for the caller's emergency address. */
export interface AddressTestRequest {
  /** The caller ID; undefined stands for the call's From. */
  readonly callerId: string | undefined
}

/** The call by which a document connects its caller with an application of the account. */
export interface ApplicationCallRequest {
  /** The sid of the application, as written. */
  readonly sid: string
  /** The caller ID; undefined stands for the call's From. */
  readonly callerId: string | undefined
  /** True when the application's To is that of the caller's call. */
  readonly copyParentTo: boolean
  /** The name of the sender; undefined stands for the sid of the account. */
  readonly customerId: string | undefined
  /** The parameters of the first request, by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** The callback; undefined stands for the application's. */
  readonly statusCallback:
    | {
        readonly url: string
        readonly method: WebhookMethod
        readonly events: readonly DialStatusEvent[]
      }
    | undefined
}

/** A recording that a document makes of its call. */
export interface HostedRecording {
  /**
   * Resolves when the file is complete. The recording ends by itself, by `stop`, or with the call.
   */
  readonly finished: Promise<RecordingEnd>
  stop(): Promise<RecordingEnd>
}

/** The end of a recording. `params` are the action's parameters about it, in wire names. */
export type RecordingEnd =
  | { readonly type: 'recorded'; readonly params: Readonly<Record<string, string>> }
  | { readonly type: 'nothing' }
