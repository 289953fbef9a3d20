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
import type { MarkupHost } from '../markup/host.js'
import type { BridgeParty, CallDocument } from '../model/call-plan.js'
import type { SpeechRequest } from '../model/speech-request.js'
import type { Queues } from '../queues/queues.js'
import type { Speaker } from '../synthesis/account-speech.js'
import type { AudioSource } from '../telephony/leg-media.js'
import type { Leg } from '../telephony/port.js'
import type { FetchDocument } from './document-fetcher.js'
import { recordingsFor } from './document-recordings.js'
import { type DocumentStreams, streamsFor } from './document-streams.js'
import type { InternalDocuments } from './internal-document.js'
import { INTERNAL_URL } from './internal-document.js'

/** The file's type is not documented, and yet it can be played. */
const UNUSUAL_MEDIA = 13420

/** Audio that a document names, and what was unusual about it. */
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
      if (aborter.signal.aborted) return // Stopped as asked.
      if (start.leg.state === 'ended') return // The leg's own end is on its way.
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
 * Runs the screening document, then connects the party. The party is connected only when that
 * document comes to its end.
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
      // An owed request outlives the document; the limits of every request bound it.
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
    if (signal.aborted || leg.state === 'ended') return // The caller has gone.
    deps.log.warn({ err }, 'the error announcement could not be played')
  }
}
