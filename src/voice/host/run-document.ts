import { reasonOf, whenAborted, withAbort } from '../../platform/async/abort.js'
import { endedWithin } from '../../platform/async/limit.js'
import type { Logger } from '../../platform/log.js'
import type { DocumentRun, DocumentStart, DocumentSurroundings } from '../calls/document-run.js'
import type { Conferences } from '../conferences/conferences.js'
import type { EventLog } from '../events/event-log.js'
import type { BridgedDialogs } from '../markup/bridged-dialogs.js'
import {
  DocumentReplacedError,
  type DocumentRequest,
  type DocumentSource,
  type MarkupEnd,
} from '../markup/document.js'
import type { HostedRecording, MarkupHost, RecordingEnd } from '../markup/host.js'
import { type StreamRequest, StreamStartError } from '../markup/hosted-stream.js'
import type { BridgeParty, CallDocument } from '../model/call-plan.js'
import type { SpeechRequest } from '../model/speech-request.js'
import type { Queues } from '../queues/queues.js'
import type { RecordingRecord } from '../recordings/recording-record.js'
import type { Recordings } from '../recordings/recordings.js'
import { StreamRefusedError } from '../streams/stream-errors.js'
import { tracksOf } from '../streams/stream-tracks.js'
import type { Streams } from '../streams/streams.js'
import type { Speaker } from '../synthesis/account-speech.js'
import type { AudioSource } from '../telephony/leg-media.js'
import type { Leg } from '../telephony/port.js'
import type { FetchDocument } from './document-fetcher.js'
import { INTERNAL_URL, type InternalDocuments } from './internal-document.js'

/** Error number of playable audio with an undocumented content type. */
const UNUSUAL_MEDIA = 13420

/** Fetched audio, and what was unusual about it. */
export interface FetchedMedia {
  readonly source: AudioSource
  readonly warning: string | undefined
}

export interface DocumentRunDeps {
  readonly runMarkup: (
    source: DocumentSource,
    host: MarkupHost,
    signal: AbortSignal,
  ) => Promise<MarkupEnd>
  readonly runBridge: (
    party: BridgeParty,
    host: MarkupHost,
    signal: AbortSignal,
  ) => Promise<MarkupEnd>
  readonly fetchDocument: FetchDocument
  readonly internalDocuments: InternalDocuments
  readonly fetchMedia: (url: string, tenant: string, signal: AbortSignal) => Promise<FetchedMedia>
  readonly synthesise: (
    speech: SpeechRequest,
    speaker: Speaker,
    signal: AbortSignal,
  ) => Promise<AudioSource>
  readonly streams: DocumentStreams
  readonly enterConference: Conferences['enter']
  readonly queues: Pick<Queues, 'enter' | 'dial'>
  readonly bridgedDialogs: BridgedDialogs
  readonly events: EventLog
  readonly log: Logger
}

const APOLOGY: SpeechRequest = {
  text: 'We are sorry. An application error has occurred. Goodbye.',
  voice: undefined,
  language: undefined,
}

type DocumentStreams = Pick<Streams, 'start' | 'stopNamed'>

const NOTHING: RecordingEnd = { type: 'nothing' }
/** Error number of an internal failure. */
const INTERNAL_FAILURE = 12400

class CallOverError extends Error {
  override readonly name = 'CallOverError'
}

export function runDocument(
  start: DocumentStart,
  surroundings: DocumentSurroundings,
  deps: DocumentRunDeps,
): DocumentRun {
  const aborter = new AbortController()
  const done = runToEnd(start, surroundings, deps, aborter.signal).then(
    (end) => {
      if (!aborter.signal.aborted) start.onEnd(end)
    },
    (err: unknown) => {
      if (aborter.signal.aborted) return // stopped on request
      if (start.leg.state === 'ended') return // the leg reports its own end
      deps.log.error({ err, callSid: start.call().sid }, 'a document could not be run to its end')
      start.onEnd({ type: 'application-error', code: 12400, message: 'internal failure' })
    },
  )
  return {
    abort: () => {
      aborter.abort(new CallOverError('the call is over, or about to be'))
    },
    stop: (limitMs) => {
      aborter.abort(new DocumentReplacedError('another document takes over'))
      return endedWithin(done, limitMs)
    },
  }
}

async function runToEnd(
  start: DocumentStart,
  surroundings: DocumentSurroundings,
  deps: DocumentRunDeps,
  signal: AbortSignal,
): Promise<MarkupEnd> {
  const { leg, document } = start
  const { sendDigits } = start.call().plan
  await surroundings.whenFree?.()
  signal.throwIfAborted()
  if (leg.direction === 'outbound' && sendDigits !== undefined) {
    await leg.media.sendDigits(sendDigits, signal)
  }
  if (document.type === 'dialed') return await connect(start, document, surroundings, deps, signal)
  if (document.type === 'shared-leg') {
    await whenAborted(signal)
    throw reasonOf(signal)
  }
  if (document.type === 'bridge')
    return await deps.runBridge(
      document.party,
      hostFor(start, 'bridge', surroundings, deps),
      signal,
    )
  const host = hostFor(start, 'call', surroundings, deps)
  const end = await deps.runMarkup(sourceOf(document), host, signal)
  if (end.type === 'application-error') await apologise(leg, host, deps, signal)
  return end
}

/**
 * Runs the screening document, then connects the callee. The callee is connected only when that
 * document runs to its end.
 */
async function connect(
  start: DocumentStart,
  { screening }: Extract<CallDocument, { readonly type: 'dialed' }>,
  surroundings: DocumentSurroundings,
  deps: DocumentRunDeps,
  signal: AbortSignal,
): Promise<MarkupEnd> {
  if (screening !== undefined) {
    const host = hostFor(start, 'screening', surroundings, deps)
    const request = { ...screening, params: {} }
    const end = await deps.runMarkup({ type: 'url', request }, host, signal)
    if (end.type !== 'finished') return end
  }
  await surroundings.connect?.(start.leg, signal)
  return { type: 'hangup' }
}

type MarkupDocument = Exclude<CallDocument, { readonly type: 'dialed' | 'bridge' | 'shared-leg' }>

function sourceOf(document: MarkupDocument): DocumentSource {
  if (document.type === 'inline') return document
  if (document.type === 'internal')
    return { type: 'url', request: { url: INTERNAL_URL, method: 'POST', params: {} } }
  const { url, method, params = {}, fallbackUrl, fallbackMethod } = document
  const request: DocumentRequest = { url, method, params }
  return fallbackUrl === undefined
    ? { type: 'url', request }
    : { type: 'url', request, fallback: { url: fallbackUrl, method: fallbackMethod } }
}

function hostFor(
  start: DocumentStart,
  purpose: MarkupHost['purpose'],
  surroundings: DocumentSurroundings,
  deps: DocumentRunDeps,
): MarkupHost {
  const { leg } = start
  const { cookieJar, placeCall, judgeReferral, callApplication, callAddressTest, tell, letTalk } =
    surroundings
  const log: MarkupHost['log'] = (entry) => {
    const { sid: callSid, accountSid } = start.call()
    if (entry.type === 'warning' || entry.type === 'error') {
      const { type: kind, ...detail } = entry
      deps.events.append({ callSid, accountSid, kind, detail })
      return
    }
    const { type: kind, ...detail } = entry
    deps.events.append({ callSid, accountSid, kind, detail })
  }
  return {
    leg,
    purpose,
    placeCall,
    judgeReferral,
    callApplication,
    callAddressTest,
    tell,
    letTalk,
    ...streamsFor(start, deps.streams),
    ...recordingsFor(start, surroundings.recordings, deps),
    enterConference: (entry, signal) => deps.enterConference(start.call(), leg, entry, signal),
    enterQueue: (entry, signal) => deps.queues.enter({ call: start.call, leg }, entry, signal),
    bridgedDialogs: deps.bridgedDialogs.of(start.call().accountSid),
    dialQueue: (wanted, signal) => deps.queues.dial(start.call(), wanted, signal),
    answer: async (signal) => {
      if (leg.direction === 'outbound' || leg.state === 'answered') return
      await leg.answer()
      signal.throwIfAborted()
    },
    fetchDocument: (request, signal) => {
      const { document } = start
      if (document.type === 'internal')
        return deps.internalDocuments[document.name](start.call(), request)
      const ask = (until: AbortSignal) =>
        deps.fetchDocument(start.call(), request, cookieJar, until)
      if (request.delivery !== 'owed') return ask(signal)
      // The request continues after the document has ended, within the limits of every request.
      return withAbort(ask(new AbortController().signal), signal)
    },
    fetchMedia: (url, signal) => mediaOf(url, start.call().accountSid, { log, deps }, signal),
    synthesise: (speech, warn, signal) => {
      const { sid: callSid, accountSid } = start.call()
      return deps.synthesise(speech, { accountSid, callSid, warn }, signal)
    },
    log,
  }
}

/** Returns the recordings of a call for its documents. A failed recording never fails the call. */
function recordingsFor(
  { call, leg }: DocumentStart,
  recordings: Recordings,
  deps: { readonly events: EventLog; readonly log: Logger },
): Pick<MarkupHost, 'record' | 'startRecording' | 'stopRecording'> {
  const endOf = (record: RecordingRecord): RecordingEnd => {
    // The audio is complete, although its file still waits for disk space.
    if (record.status === 'absent') return NOTHING
    return { type: 'recorded', params: Object.fromEntries(recordings.paramsOf(record)) }
  }
  const failed = (err: unknown): void => {
    const { sid: callSid, accountSid } = call()
    deps.log.error({ err, callSid }, 'a recording could not be begun')
    const detail = { code: INTERNAL_FAILURE, message: 'a recording could not be begun' } as const
    deps.events.append({ callSid, accountSid, kind: 'error', detail })
  }
  return {
    record: async (wanted): Promise<HostedRecording> => {
      try {
        const running = await recordings.start(call(), leg, wanted)
        return {
          finished: running.finished.then(endOf),
          stop: async () => endOf(await running.stop()),
        }
      } catch (error) {
        failed(error)
        return { finished: Promise.resolve(NOTHING), stop: () => Promise.resolve(NOTHING) }
      }
    },
    startRecording: async (wanted) => {
      try {
        await recordings.startOnce(call(), leg, wanted)
      } catch (error) {
        failed(error)
      }
    },
    stopRecording: () => recordings.stopOnce(call().sid),
  }
}

/** Returns the streams of a call for its documents. */
function streamsFor(
  { call, leg }: DocumentStart,
  streams: DocumentStreams,
): Pick<MarkupHost, 'startStream' | 'stopStream'> {
  return {
    startStream: async (wanted: StreamRequest) => {
      const { sid: callSid, accountSid } = call()
      const { statusCallback: callback, ...rest } = wanted
      const tracks = tracksOf(wanted.track)
      try {
        const target = { callSid, accountSid, leg }
        const started = await streams.start(target, { ...rest, tracks, callback })
        return { ...started, sid: started.record.sid }
      } catch (error) {
        if (!(error instanceof StreamRefusedError)) throw error
        throw new StreamStartError(error.number, error.message, { cause: error })
      }
    },
    stopStream: (name) => streams.stopNamed(call().sid, name),
  }
}

async function mediaOf(
  url: string,
  accountSid: string,
  { log, deps }: Pick<MarkupHost, 'log'> & { readonly deps: Pick<DocumentRunDeps, 'fetchMedia'> },
  signal: AbortSignal,
): Promise<AudioSource> {
  const { source, warning } = await deps.fetchMedia(url, accountSid, signal)
  if (warning !== undefined) log({ type: 'warning', code: UNUSUAL_MEDIA, message: warning })
  return source
}

async function apologise(
  leg: Leg,
  host: MarkupHost,
  deps: DocumentRunDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    await host.answer(signal)
    const warn: Speaker['warn'] = (code, message) => {
      host.log({ type: 'warning', code, message })
    }
    await leg.media.play(await host.synthesise(APOLOGY, warn, signal), signal)
  } catch (err) {
    if (signal.aborted || leg.state === 'ended') return // the caller has hung up
    deps.log.warn({ err }, 'the error announcement could not be played')
  }
}
