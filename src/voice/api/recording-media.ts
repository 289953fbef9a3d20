/** GET and HEAD of a recording's audio: `.wav`, `.mp3` or no suffix, whole or in ranges. */
import { Readable } from 'node:stream'
import type { Account } from '../../accounts/accounts.js'
import type { ApiRequest } from '../../platform/api/api-request.js'
import { lastIn } from '../../platform/api/repeated.js'
import type { RecordingRecord } from '../recordings/recording-record.js'
import type { Recordings } from '../recordings/recordings.js'
import { ApiError } from './dialect/errors.js'
import { unknownPath } from './dialect/voice-dialect.js'
import { recordingToWire } from './recording-schemas.js'

type Download = NonNullable<Awaited<ReturnType<Recordings['download']>>>

const CONTENT_TYPES = { wav: 'audio/x-wav', mp3: 'audio/mpeg' } as const

export interface MediaPath {
  readonly sid: string
  /** The sid of the call or conference in the path, if there is one. */
  readonly ownerSid?: string | undefined
  readonly format: Download['format']
}

type ByteRange =
  | { readonly type: 'all' }
  | { readonly type: 'part'; readonly start: number; readonly end: number }
  | { readonly type: 'unsatisfiable' }

export async function sendRecordingMedia(
  request: ApiRequest,
  account: Account,
  recordings: Recordings,
  { sid, ownerSid, format }: MediaPath,
): Promise<Response> {
  const channels = readChannels(lastIn(request.search, 'RequestedChannels'))
  const recording = await recordings.fetch(account.sid, sid, ownerSid)
  const download = await recordings.download(recording, { format, channels })
  if (download === undefined) throw unknownPath()
  // A completed recording never changes, and neither does its MP3 form.
  const etag = `"${recording.sid}-${download.channels}-${download.bytes}.${format}"`
  return mediaResponse(download, etag, request)
}

function readChannels(value: string | undefined): 1 | 2 | undefined {
  if (value === undefined || value === '') return undefined
  if (value === '1') return 1
  if (value === '2') return 2
  throw new ApiError(400, 20422, "'RequestedChannels' is not valid: must be 1 or 2")
}

function mediaResponse(download: Download, etag: string, request: ApiRequest): Response {
  const { bytes, format } = download
  const { method } = request
  // The client may cache it, shared caches may not (RFC 9111 §3.5).
  const common = { etag, 'accept-ranges': 'bytes', 'cache-control': 'private' }
  if (isKnown(request.header('if-none-match'), etag))
    return new Response(null, { status: 304, headers: common })
  const wanted = wantedRange(request, etag, bytes)
  if (wanted.type === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes}` } })
  const [start, end] = wanted.type === 'part' ? [wanted.start, wanted.end] : [0, bytes - 1]
  const headers = {
    ...common,
    'content-type': CONTENT_TYPES[format],
    'content-length': String(end - start + 1),
    ...(wanted.type === 'part' && { 'content-range': `bytes ${start}-${end}/${bytes}` }),
  }
  const status = wanted.type === 'part' ? 206 : 200
  if (method === 'HEAD') return new Response(null, { status, headers })
  const body = Readable.toWeb(Readable.from(download.read(start, end)))
  // the same stream, with Node's own type
  return new Response(body as ReadableStream, { status, headers })
}

/**
 * Returns the range of a request. Only GET has ranges, and If-Range must match this file (RFC 9110
 * §13.1.5, §14.2).
 */
function wantedRange(request: ApiRequest, etag: string, bytes: number) {
  const ifRange = request.header('if-range')
  const isWanted = request.method === 'GET' && (ifRange === undefined || ifRange.trim() === etag)
  return readByteRange(isWanted ? request.header('range') : undefined, bytes)
}

/** Reads a Range header. A malformed header or several ranges are ignored (RFC 9110 §14.2). */
function readByteRange(header: string | undefined, bytes: number): ByteRange {
  const matched = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  const [first = '', last = ''] = matched?.slice(1) ?? []
  if (first !== '') return fromStart(Number(first), last === '' ? bytes - 1 : Number(last), bytes)
  return last === '' ? { type: 'all' } : lastBytes(Number(last), bytes)
}

function fromStart(start: number, end: number, bytes: number): ByteRange {
  if (start >= bytes) return { type: 'unsatisfiable' }
  return end < start ? { type: 'all' } : { type: 'part', start, end: Math.min(bytes - 1, end) }
}

function lastBytes(wanted: number, bytes: number): ByteRange {
  const length = Math.min(bytes, wanted)
  if (length === 0) return { type: 'unsatisfiable' }
  return { type: 'part', start: bytes - length, end: bytes - 1 }
}

/** True when If-None-Match contains the ETag, by weak comparison (RFC 9110 §13.1.2). */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes('*') || known.includes(etag)
}

/**
 * Responds with a recording of a call or conference, or with its audio when the path ends with
 * `.wav` or `.mp3`.
 */
export async function fetchOwned(
  recordings: Recordings,
  caller: Account,
  http: ApiRequest,
  { sid, ownerSid }: { readonly sid: string; readonly ownerSid: string },
) {
  const { suffix } = http
  if (suffix === 'wav' || suffix === 'mp3')
    return await sendRecordingMedia(http, caller, recordings, { sid, ownerSid, format: suffix })
  return show(recordings, await recordings.fetch(caller.sid, sid, ownerSid))
}

/** Returns the wire form of a recording. */
export function show(recordings: Recordings, recording: RecordingRecord) {
  const url = new Map(recordings.paramsOf(recording)).get('RecordingUrl') ?? ''
  return recordingToWire(recording, url)
}
