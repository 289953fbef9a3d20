/**
 * The operations of a running document on its call. The call's actor provides them; verbs use nothing else.
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
  /** Plays the document's audio instead of the leg, for example in a conference; undefined: the leg. */
  readonly audience?: Audience | undefined
  /**
   * The context of the document, which limits its verbs. `call`: all verbs. `screening` of a party that a
   * Dial is about to connect: no Dial (13201). `waiting`: only Play, Say, Pause and Redirect (13238).
   * `queued`: also Gather, Hangup and Leave. `bridge`: no markup; the caller hears the party's early media
   * before the answer.
   */
  readonly purpose: 'call' | 'screening' | 'waiting' | 'queued' | 'bridge'
  /** Answers an inbound leg; does nothing when it is already answered. */
  answer(signal: AbortSignal): Promise<void>
  /** Fetches markup from the customer's application. Rejects with FetchError (an 11xxx code). */
  fetchDocument(request: DocumentRequest, signal: AbortSignal): Promise<FetchedDocument>
  /**
   * Resolves with playable speech. Calls `warn` for each unsupported feature, once per text segment. Rejects
   * with SpeechTextError when nothing in the text can be spoken.
   */
  synthesise(
    speech: SpeechRequest,
    warn: (code: ErrorNumber, message: string) => void,
    signal: AbortSignal,
  ): Promise<AudioSource>
  /**
   * Resolves with a playable file of a document's media URL. Rejects with FetchError or MediaTypeError (13420
   * …).
   */
  fetchMedia(url: string, signal: AbortSignal): Promise<AudioSource>
  /**
   * Places a child call. Resolves once it is stored and started. Rejects with DialRefusedError, without
   * leaving anything behind.
   */
  placeCall(wanted: ChildCallRequest, events: ChildCallEvents): Promise<ChildCall>
  /**
   * Checks whether a peer may be asked to call the target. Rejects with DialRefusedError for a number that
   * the account may not call: the peer may be a carrier, which bills this server.
   */
  judgeReferral(target: string): Promise<void>
  /**
   * Places a call to the test line of emergency calls, which plays on the caller's own leg. Rejects with
   * DialRefusedError when no address is known.
   */
  callAddressTest(
    request: AddressTestRequest,
    onOver: (end: ChildCallEnd) => void,
  ): Promise<ChildCall>
  /**
   * Connects the caller with an application of the account: a separate call whose documents run on the
   * caller's leg. Resolves once that call is stored and started; `onOver` is called at its end, when the leg
   * is free again. Rejects with DialRefusedError, without leaving anything behind.
   */
  callApplication(
    wanted: ApplicationCallRequest,
    onOver: (end: ChildCallEnd) => void,
  ): Promise<ChildCall>
  /** Starts the call's one stream. Rejects with StreamStartError, without leaving anything behind. */
  startStream(wanted: StreamRequest): Promise<HostedStream>
  /** Ends the stream of that name. Returns false when there is none. */
  stopStream(name: string): boolean
  /** Records the call. Resolves when audio is recorded, or when it is certain that none can be. */
  record(wanted: RecordingWish): Promise<HostedRecording>
  /** Starts the call's one background recording. Does nothing when there is one already. */
  startRecording(wanted: RecordingWish): Promise<void>
  /** Ends the background recording. Returns false when there is none. */
  stopRecording(): boolean
  /** Sends the action of an ended call as a callback. Resolves when the callback is stored. */
  tell(request: DocumentRequest): Promise<void>
  /**
   * Allows these calls, or those of these legs, to talk for `limitMs` from now when that is longer than the
   * default. A call with a TimeLimit keeps it. The returned function restores the default at the end of the
   * Dial.
   */
  letTalk(calls: readonly (Leg | ChildCall)[], limitMs: number): () => void
  /**
   * Enters the account's conference of that name. Resolves when the call has left it: the signal aborted, the
   * conference ended, or the call was removed. Rejects with ConferenceRefusedError.
   */
  enterConference(entry: ConferenceEntry, signal: AbortSignal): Promise<void>
  /**
   * Enters the account's queue of that name, which is created if needed. Resolves when the document can
   * continue. Rejects when another document replaced it or the call ended; the result has then already been
   * reported.
   */
  enterQueue(entry: QueueEntry, signal: AbortSignal): Promise<QueueOutcome>
  /**
   * Takes the longest-waiting caller. Resolves once that caller can be connected; its place is kept until
   * then.
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
      /** The beginning of the application's answer, for people. */
      readonly answer?: string
    }

/** A document's call to the test line for the caller's emergency address. */
export interface AddressTestRequest {
  /** The caller ID; the call's From when undefined. */
  readonly callerId: string | undefined
}

/** A document's call to an application of the account. */
export interface ApplicationCallRequest {
  /** The sid of the application, as written. */
  readonly sid: string
  /** The caller ID; the call's From when undefined. */
  readonly callerId: string | undefined
  /** True to give the application the To of the caller's call. */
  readonly copyParentTo: boolean
  /** The CustomerId parameter; the sid of the account when undefined. */
  readonly customerId: string | undefined
  /** The parameters of the first request, by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** The status callback; the application's when undefined. */
  readonly statusCallback:
    | {
        readonly url: string
        readonly method: WebhookMethod
        readonly events: readonly DialStatusEvent[]
      }
    | undefined
}

/** A recording of the call by its document. */
export interface HostedRecording {
  /** Resolves when the file is complete. The recording ends by its limits, by `stop`, or with the call. */
  readonly finished: Promise<RecordingEnd>
  stop(): Promise<RecordingEnd>
}

/** The end of a recording. `params` are the action's parameters about it, in wire names. */
export type RecordingEnd =
  | { readonly type: 'recorded'; readonly params: Readonly<Record<string, string>> }
  | { readonly type: 'nothing' }
