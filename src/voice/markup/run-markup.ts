/**
 * The interpreter. It fetches and parses a document, runs its verbs, and continues with the document that a
 * verb requests, until there is none. When a document cannot be fetched, parsed or run, the fallback is
 * requested instead. The chain ends as an application error when the fallback fails too, or when a later
 * document fails before anything was played.
 */

import { type Sleep, sleep } from '../../platform/async/sleep.js'
import { type Clock, systemClock } from '../../platform/clock.js'
import { AdapterError } from '../../platform/errors.js'
import { withoutCredentials } from '../../platform/http/authorization.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import { FetchError, MediaTypeError } from '../model/fetch-errors.js'
import { PlaybackError } from '../telephony/leg-media.js'
import type { DocumentRequest, DocumentSource, MarkupEnd } from './document.js'
import type { MarkupHost } from './host.js'
import { fetchDocument, type LoadedDocument, readInline } from './verbs/load-document.js'
import { runVerb } from './verbs/run-verb.js'
import { DocumentError, type Inside, type VerbOutcome } from './verbs/verb-run.js'

/** Maximum number of consecutive documents without any audio or delay; more are a loop. */
const MAX_SILENT_DOCUMENTS = 25
/** Minimum duration of a verb that counts as progress, ms, even without audio. */
const MIN_TAKEN_MS = 500

interface Failure {
  readonly code: ErrorNumber
  readonly message: string
  readonly url: string | undefined
  /** The beginning of the application's answer, for people. */
  readonly answer?: string | undefined
}

export interface MarkupTimers extends Pick<Clock, 'monotonic'> {
  readonly sleep: Sleep
}

interface Chain {
  readonly host: MarkupHost
  readonly signal: AbortSignal
  readonly timers: MarkupTimers
  /** The number of documents since the last progress. */
  silentDocuments: number
  /** True from the request of the fallback until the next progress. */
  isFallbackSpent: boolean
}

type Next = { readonly type: 'fetch'; readonly request: DocumentRequest } | DocumentSource

/**
 * Runs documents until the chain ends. Rejects with the signal's reason when aborted; the leg is silent by
 * then. Rejects with the leg's error when the leg ended.
 */
export async function runMarkup(
  source: DocumentSource,
  host: MarkupHost,
  signal: AbortSignal,
  timers: MarkupTimers = { sleep, monotonic: () => systemClock.monotonic() },
): Promise<MarkupEnd> {
  const chain: Chain = {
    host,
    signal,
    timers,
    silentDocuments: 0,
    isFallbackSpent: false,
  }
  try {
    return await runChain(source, chain)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

async function runChain(source: DocumentSource, chain: Chain): Promise<MarkupEnd> {
  const { fallback } = source
  let next: Next = source
  for (;;) {
    chain.signal.throwIfAborted()
    const outcome = await runOne(next, chain)
    if (outcome.type === 'end') return outcome.end
    if (outcome.type === 'fetch') {
      if (chain.silentDocuments === 0) chain.isFallbackSpent = false
      next = outcome
      continue
    }
    const { code, message, url: failed, answer } = outcome.failure
    const url = failed === undefined ? undefined : withoutCredentials(failed)
    chain.host.log({ type: 'error', code, message, url, ...(answer !== undefined && { answer }) })
    if (fallback === undefined || chain.isFallbackSpent)
      return { type: 'application-error', code, message }
    chain.isFallbackSpent = true
    chain.silentDocuments = 0
    const params = { ErrorCode: String(code), ErrorUrl: url ?? '' }
    next = { type: 'fetch', request: { ...fallback, params } }
  }
}

type OneOutcome =
  | Exclude<VerbOutcome, { type: 'continue' }>
  | { readonly type: 'failed'; readonly failure: Failure }

/** Fetches and runs one document. Expected failures become values. */
async function runOne(next: Next, chain: Chain): Promise<OneOutcome> {
  let url = next.type === 'inline' ? undefined : next.request.url
  try {
    countSilentDocument(chain)
    const document =
      next.type === 'inline'
        ? readInline(next.text)
        : await fetchDocument(next.request, chain.host, chain.signal)
    url = document.url
    for (const warning of document.warnings) chain.host.log({ type: 'warning', ...warning })
    return await runVerbs(document, chain)
  } catch (error) {
    const failure = chain.signal.aborted ? undefined : toFailure(error, url)
    if (failure === undefined) throw error
    return { type: 'failed', failure }
  }
}

async function runVerbs(
  document: LoadedDocument,
  chain: Chain,
): Promise<Exclude<VerbOutcome, { type: 'continue' }>> {
  const { host, signal, timers } = chain
  const onProgress = () => {
    chain.silentDocuments = 0
  }
  const around = {
    host,
    signal,
    sleep: timers.sleep,
    runInside: (source: DocumentSource, inside: Inside, until: AbortSignal) =>
      runMarkup(source, hostInside(host, inside), until, timers),
  }
  for (const verb of document.verbs) {
    signal.throwIfAborted()
    const context = { ...around, documentUrl: document.url, onProgress }
    const begun = timers.monotonic()
    const outcome = await runVerb(verb, context)
    if (timers.monotonic() - begun >= MIN_TAKEN_MS) onProgress()
    if (outcome.type !== 'continue') return outcome
  }
  return { type: 'end', end: { type: 'finished' } }
}

/** Returns the host of nested markup. It adds the context's parameters to each request. */
function hostInside(host: MarkupHost, { purpose, params, audience }: Inside): MarkupHost {
  return {
    ...host,
    purpose,
    audience: audience ?? host.audience,
    fetchDocument: (request, signal) =>
      host.fetchDocument({ ...request, params: { ...params(), ...request.params } }, signal),
  }
}

function countSilentDocument(chain: Chain): void {
  chain.silentDocuments += 1
  if (chain.silentDocuments > MAX_SILENT_DOCUMENTS)
    throw new DocumentError(
      11215,
      `${MAX_SILENT_DOCUMENTS} documents in a row led to the next one at once`,
    )
}

/**
 * Returns the failure behind an error of the application's servers, documents or speech; undefined for a bug
 * or an ended leg.
 */
function toFailure(error: unknown, documentUrl: string | undefined): Failure | undefined {
  if (error instanceof MediaTypeError)
    return { code: error.number, message: error.message, url: error.url }
  if (error instanceof FetchError || error instanceof DocumentError) {
    const { number: code, message, url = documentUrl, answer } = error
    return { code, message, url, answer }
  }
  if (error instanceof PlaybackError || error instanceof AdapterError)
    return { code: 12400, message: 'internal failure', url: documentUrl }
  return undefined
}
