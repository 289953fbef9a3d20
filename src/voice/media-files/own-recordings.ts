/**
 * Plays an account's own recordings by their `RecordingUrl` without credentials. Documents name the
 * URL without them, although HTTP clients need them.
 */
import { pause } from '../../platform/async/sleep.js'
import { StorageUnavailableError } from '../../platform/database/storage-error.js'
import { FetchError } from '../model/fetch-errors.js'
import { RecordingNotFoundError } from '../recordings/recording-errors.js'
import type { Recordings } from '../recordings/recordings.js'
import type { FetchMedia, MediaAnswer, MediaRequest } from './media-cache.js'

export interface OwnRecordingsDeps {
  readonly recordings: Pick<Recordings, 'fetch' | 'download'>
  /** The URL that customers use for this server. */
  readonly baseUrl: string
  /** Fetches every other URL. */
  readonly fetchOther: FetchMedia
}

/**
 * Maximum wait for a recording that another node has not uploaded to the shared storage yet, ms.
 */
const WAIT_MS = 30_000
const RETRY_MS = 500
const HTTP_RETRIEVAL_FAILURE = 11200

export function fetchOwnRecordings(deps: OwnRecordingsDeps): FetchMedia {
  const base = new URL(deps.baseUrl)
  return async (request, signal) => {
    const named = namedRecording(request.url, base)
    if (named === undefined) return await deps.fetchOther(request, signal)
    // A recording of another account counts as missing.
    if (named.accountSid !== request.tenant) throw missing(request)
    return await readWhenThere(named, request, deps, signal)
  }
}

interface NamedRecording {
  readonly accountSid: string
  readonly sid: string
  /** Sid of the call or conference, if the URL names one. */
  readonly ownerSid: string | undefined
}

const RECORDING_PATH =
  /^\/2010-04-01\/Accounts\/([^/]+)\/(?:(?:Calls|Conferences)\/([^/]+)\/)?Recordings\/(RE[0-9a-f]{32})(?:\.wav|\.mp3)?$/

/** Returns the recording that a URL of this server names; undefined for a URL with credentials. */
function namedRecording(url: string, base: URL): NamedRecording | undefined {
  if (!URL.canParse(url)) return undefined
  const { origin, pathname, username, password } = new URL(url)
  const prefix = base.pathname.replace(/\/$/, '')
  if (origin !== base.origin || username !== '' || password !== '') return undefined
  if (!pathname.startsWith(prefix)) return undefined
  const [, accountSid, ownerSid, sid] = RECORDING_PATH.exec(pathname.slice(prefix.length)) ?? []
  if (accountSid === undefined || sid === undefined) return undefined
  return { accountSid, sid, ownerSid }
}

async function readWhenThere(
  named: NamedRecording,
  request: MediaRequest,
  { recordings }: OwnRecordingsDeps,
  signal: AbortSignal,
): Promise<MediaAnswer> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    signal.throwIfAborted()
    try {
      return await read(named, request, recordings, signal)
    } catch (error) {
      if (error instanceof RecordingNotFoundError) throw missing(request)
      if (!(error instanceof StorageUnavailableError)) throw error
      if (waitedMs >= WAIT_MS)
        throw new FetchError(HTTP_RETRIEVAL_FAILURE, request.url, error.message, { cause: error })
    }
    await pause(RETRY_MS, signal)
  }
}

async function read(
  { accountSid, sid, ownerSid }: NamedRecording,
  { url, etag, maxBytes }: MediaRequest,
  recordings: OwnRecordingsDeps['recordings'],
  signal: AbortSignal,
): Promise<MediaAnswer> {
  const recording = await recordings.fetch(accountSid, sid, ownerSid)
  const own = `"${sid}"`
  if (etag === own) return { type: 'not-modified' }
  // A call plays one channel, and nothing beyond the maximum duration is read.
  const download = await recordings.download(recording, { format: 'wav', channels: 1 })
  if (download === undefined) throw missing({ url })
  const chunks: Uint8Array[] = []
  for await (const chunk of download.read(0, Math.min(download.bytes, maxBytes) - 1)) {
    signal.throwIfAborted()
    chunks.push(chunk)
  }
  return { type: 'fetched', contentType: 'audio/x-wav', bytes: Buffer.concat(chunks), etag: own }
}

function missing({ url }: Pick<MediaRequest, 'url'>): FetchError {
  return new FetchError(HTTP_RETRIEVAL_FAILURE, url, 'there is no recording with this URL')
}
