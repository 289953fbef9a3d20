/** GET and HEAD of a recording's sound: `.wav` or no suffix, whole or in ranges. */
import { Readable } from 'node:stream'
import type { Context } from 'hono'
import { NotDualChannelError } from '../recordings/recording-errors.js'
import type { Recordings } from '../recordings/recordings.js'
import { readByteRange } from './byte-range.js'
import { ApiError, notFound } from './errors.js'
import type { VoiceEnv } from './voice-env.js'

type RecordingMedia = NonNullable<Awaited<ReturnType<Recordings['media']>>>

export async function sendRecordingMedia(
  c: Context<VoiceEnv>,
  recordings: Recordings,
  sid: string,
): Promise<Response> {
  const wanted = readChannels(c.req.query('RequestedChannels'))
  const recording = await recordings.fetch(c.var.account.sid, sid)
  const media = await recordings.media(recording, wanted === 1 ? 'one-channel' : 'as-recorded')
  if (media === undefined) throw notFound(c.req.path)
  if (wanted === 2 && media.channels !== 2) throw new NotDualChannelError()
  return mediaResponse(media, c.req.header('range'), c.req.method)
}

function readChannels(value: string | undefined): 1 | 2 | undefined {
  if (value === undefined || value === '') return undefined
  if (value === '1') return 1
  if (value === '2') return 2
  throw new ApiError(400, 20422, "'RequestedChannels' is not valid: must be 1 or 2")
}

function mediaResponse(media: RecordingMedia, range: string | undefined, method: string): Response {
  const { bytes } = media
  const wanted = method === 'GET' ? readByteRange(range, bytes) : ({ type: 'all' } as const)
  const headers = { 'content-type': 'audio/x-wav', 'accept-ranges': 'bytes' }
  if (wanted.type === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes}` } })
  const [start, end] = wanted.type === 'part' ? [wanted.start, wanted.end] : [0, bytes - 1]
  const length = { ...headers, 'content-length': String(end - start + 1) }
  if (method === 'HEAD') return new Response(null, { headers: length })
  const body = Readable.toWeb(Readable.from(media.read(start, end)))
  const partly = { ...length, 'content-range': `bytes ${start}-${end}/${bytes}` }
  // Node's own type of the same stream.
  return new Response(
    body as ReadableStream,
    wanted.type === 'part' ? { status: 206, headers: partly } : { headers: length },
  )
}
