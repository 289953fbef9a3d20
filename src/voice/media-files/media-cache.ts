/** Cache of media as telephone WAV files: each URL is fetched, checked and converted once. */
import { webcrypto } from 'node:crypto'
import { SharedWork } from '../../platform/async/shared-work.js'
import type { Clock } from '../../platform/clock.js'
import { type CachedFile, FileCache } from '../../platform/files/file-cache.js'
import { UnreadableAudioError } from '../audio/audio-block.js'
import { audioFormat, isDocumentedType } from '../audio/audio-format.js'
import { AudioWorkers } from '../audio/audio-workers.js'
import { telephoneWavDurationMs } from '../audio/wav.js'
import { FetchError, MediaTypeError } from '../model/fetch-errors.js'

export interface MediaCache extends AsyncDisposable {
  /**
   * Fetches a media file. `tenant` is the customer: a slow server of one customer uses no
   * connection of the others. Rejects with FetchError, MediaTypeError, AdapterError, and the
   * signal's reason.
   */
  fetchMedia(url: string, tenant: string, signal: AbortSignal): Promise<MediaFile>
}

export interface MediaFile {
  /** Absolute path of the file, which is kept for at least a minute. */
  readonly path: string
  readonly durationMs: number
  /** A harmless mistake of the web server, for the event log. */
  readonly warning?: string | undefined
}

/** The cache's HTTP client: GET with all address checks. */
export type FetchMedia = (request: MediaRequest, signal: AbortSignal) => Promise<MediaAnswer>

export interface MediaRequest {
  readonly url: string
  readonly tenant: string
  readonly maxBytes: number
  /** Value for `If-None-Match`. With it, the result may be `not-modified`. */
  readonly etag: string | undefined
}

/**
 * The response with status 200 or 304. For any other status the fetcher rejects with FetchError.
 */
export type MediaAnswer =
  | { readonly type: 'not-modified'; readonly cacheControl?: string | undefined }
  | {
      readonly type: 'fetched'
      readonly contentType: string
      readonly bytes: Uint8Array
      readonly etag?: string | undefined
      readonly cacheControl?: string | undefined
    }

export interface MediaCacheOptions {
  readonly directory: string
  readonly clock: Clock
  readonly fetch: FetchMedia
  readonly maxCacheBytes?: number
  readonly maxFileBytes?: number
  /** Maximum duration, ms; longer audio is cut (documented). */
  readonly maxDurationMs?: number
  readonly workers?: number
  readonly workerUrl?: URL
}

/** A cache entry for a URL. Its file is keyed by content, so equal files are converted once. */
interface Known {
  readonly key: string
  readonly warning: string | undefined
  readonly etag: string | undefined
  readonly freshUntil: number
}

const MAX_CACHE_BYTES = 2 * 1024 * 1024 * 1024
const MAX_FILE_BYTES = 40 * 1024 * 1024
const MAX_DURATION_MS = 40 * 60_000
const MAX_KNOWN = 10_000
const TIMEOUT_MS = 120_000

interface Context extends Required<Omit<MediaCacheOptions, 'workers' | 'workerUrl'>> {
  readonly cache: FileCache
  readonly workers: AudioWorkers
  readonly known: Map<string, Known>
}

export function createMediaCache(options: MediaCacheOptions): MediaCache {
  const { directory, clock, maxCacheBytes: maxBytes = MAX_CACHE_BYTES } = options
  const workers = new AudioWorkers({
    count: options.workers ?? 1,
    timeoutMs: TIMEOUT_MS,
    ...(options.workerUrl === undefined ? {} : { url: options.workerUrl }),
  })
  const context: Context = {
    ...options,
    maxCacheBytes: maxBytes,
    maxFileBytes: options.maxFileBytes ?? MAX_FILE_BYTES,
    maxDurationMs: options.maxDurationMs ?? MAX_DURATION_MS,
    cache: new FileCache({ directory, maxBytes, clock }),
    known: new Map(),
    workers,
  }
  const shared = new SharedWork<Obtained>()
  return {
    fetchMedia: async (url, tenant, signal) => {
      const { file, warning } = await shared.run(`${tenant} ${url}`, signal, (stop) =>
        obtain(url, tenant, context, stop),
      )
      return { path: file.path, durationMs: telephoneWavDurationMs(file.bytes), warning }
    },
    [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose](),
  }
}

interface Obtained {
  readonly file: CachedFile
  readonly warning: string | undefined
}

async function obtain(
  url: string,
  tenant: string,
  context: Context,
  signal: AbortSignal,
): Promise<Obtained> {
  const { cache, clock, known, fetch, maxFileBytes } = context
  const before = known.get(url)
  const file = before === undefined ? undefined : await cache.find(before.key)
  if (before !== undefined && file !== undefined && clock.now() < before.freshUntil)
    return { file, warning: before.warning }
  const etag = file === undefined ? undefined : before?.etag
  const answer = await fetch({ url, tenant, maxBytes: maxFileBytes, etag }, signal)
  if (answer.type === 'not-modified') {
    if (before === undefined || file === undefined)
      throw new FetchError(11206, url, 'the server answered 304 to a request without a validator')
    remember(url, { ...before, freshUntil: freshUntil(answer.cacheControl, clock) }, known)
    return { file, warning: before.warning }
  }
  const { key, converted } = await convert({ url, tenant, signal }, answer, context)
  const { etag: newEtag, contentType } = answer
  const warning = isDocumentedType(contentType)
    ? undefined
    : `Content-Type "${contentType}" is no type of audio that is known; the first bytes decided`
  const fresh = freshUntil(answer.cacheControl, clock)
  remember(url, { key, warning, etag: newEtag, freshUntil: fresh }, known)
  return { file: converted, warning }
}

interface Wanted {
  readonly url: string
  readonly tenant: string
  readonly signal: AbortSignal
}

async function convert(
  { url, tenant, signal }: Wanted,
  { contentType, bytes }: Extract<MediaAnswer, { type: 'fetched' }>,
  { cache, workers, maxFileBytes, maxDurationMs }: Context,
): Promise<{ key: string; converted: CachedFile }> {
  if (bytes.length > maxFileBytes)
    throw new FetchError(11200, url, `media is larger than ${maxFileBytes} bytes`)
  const format = audioFormat(contentType, bytes)
  if (format === undefined)
    throw new MediaTypeError(url, `Content-Type "${contentType}" cannot be played`)
  const key = `${format}-${maxDurationMs}-${await digest(bytes)}`
  try {
    const converted =
      (await cache.find(key)) ??
      (await cache.add(
        key,
        await workers.run(
          { type: 'convert', file: bytes, format, maxDurationMs },
          { group: tenant, member: url },
          signal,
        ),
      ))
    return { key, converted }
  } catch (error) {
    if (!(error instanceof UnreadableAudioError)) throw error
    throw new MediaTypeError(url, error.message, { cause: error })
  }
}

/** Hashes in a thread pool: 40 MB take a while. */
async function digest(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex')
}

function freshUntil(cacheControl: string | undefined, clock: Clock): number {
  return clock.now() + maxAgeMs(cacheControl)
}

/**
 * Time for which a response may be used without revalidation, ms (RFC 9111 §5.2.2); 0 when it must
 * be revalidated each time.
 */
export function maxAgeMs(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((d) => d.trim())
  if (directives.includes('no-cache') || directives.includes('no-store')) return 0
  const seconds = directives
    .map((directive) => /^max-age="?([0-9]{1,9})"?$/.exec(directive)?.[1])
    .find((value) => value !== undefined)
  return seconds === undefined ? 0 : Number(seconds) * 1000
}

function remember(url: string, entry: Known, known: Map<string, Known>): void {
  known.delete(url)
  known.set(url, entry)
  const [oldest] = known.keys()
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
}
