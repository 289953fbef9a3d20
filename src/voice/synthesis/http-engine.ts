/** An account's own speech engine: a JSON POST, answered with audio in any format that Play supports. */
import { createHash } from 'node:crypto'
import { SharedWork } from '../../platform/async/shared-work.js'
import type { Clock } from '../../platform/clock.js'
import { type CachedFile, FileCache } from '../../platform/files/file-cache.js'
import type { Outbound, OutboundResponse } from '../../platform/http/outbound.js'
import { OutboundError } from '../../platform/http/outbound-error.js'
import { UnreadableAudioError } from '../audio/audio-block.js'
import { audioFormat } from '../audio/audio-format.js'
import { AudioWorkers } from '../audio/audio-workers.js'
import { telephoneWavDurationMs } from '../audio/wav.js'
import { FetchError, MediaTypeError } from '../model/fetch-errors.js'
import type { SpeechRequest } from '../model/speech-request.js'
import type { SpeakingCall, SpokenFile } from './speech.js'

export interface HttpEngine extends AsyncDisposable {
  /** Requests speech. Rejects with FetchError, MediaTypeError, AdapterError or the signal's reason. */
  speak(speech: HttpSpeech, signal: AbortSignal): Promise<SpokenFile>
}

/** A request to an account's engine. All fields except the token and the call are part of the cache key. */
export interface HttpSpeech extends SpeechRequest, SpeakingCall {
  readonly url: string
  readonly token: string | undefined
  readonly engine: string | undefined
}

export interface HttpEngineOptions {
  readonly directory: string
  readonly clock: Clock
  readonly outbound: Pick<Outbound, 'request'>
  readonly maxCacheBytes?: number
  readonly workerUrl?: URL
}

/** Version of the audio conversion, part of every cache key; a new version invalidates all files. */
const CONVERSION = 'telephone-1'
const MAX_CACHE_BYTES = 512 * 1024 * 1024
const MAX_ANSWER_BYTES = 10 * 1024 * 1024
const MAX_SPEECH_MS = 600_000
const CONNECT_TIMEOUT_MS = 3_000
/** Timeout of the engine's response, ms. The caller hears silence meanwhile. */
const TIMEOUT_MS = 10_000
const CONVERT_TIMEOUT_MS = 60_000

export function createHttpEngine(options: HttpEngineOptions): HttpEngine {
  const { directory, clock, outbound, maxCacheBytes: maxBytes = MAX_CACHE_BYTES } = options
  const cache = new FileCache({ directory, maxBytes, clock })
  const shared = new SharedWork<CachedFile>()
  const workers = new AudioWorkers({
    count: 1,
    timeoutMs: CONVERT_TIMEOUT_MS,
    ...(options.workerUrl === undefined ? {} : { url: options.workerUrl }),
  })
  return {
    speak: async (speech, signal) => {
      const key = keyOf(speech)
      const { path, bytes } = await shared.run(key, signal, async (stop) => {
        const known = await cache.find(key)
        if (known !== undefined) return known
        return cache.add(
          key,
          await convert(speech, await ask(speech, outbound, stop), workers, stop),
        )
      })
      return { path, durationMs: telephoneWavDurationMs(bytes) }
    },
    [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose](),
  }
}

/** Cache key of the whole request, so that two different requests never share a file. */
function keyOf({ accountSid, url, engine, voice, language, text, markup }: HttpSpeech): string {
  const settings = [CONVERSION, accountSid, url, engine ?? '', voice ?? '', language ?? '']
  const whole = JSON.stringify([...settings, text, markup?.ssml ?? ''])
  return createHash('sha256').update(whole).digest('hex')
}

async function ask(
  { accountSid, url, token, engine, voice, language, text, markup }: HttpSpeech,
  outbound: Pick<Outbound, 'request'>,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const what = markup === undefined ? { text } : { ssml: markup.ssml }
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  try {
    return await outbound.request(
      {
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/json', Accept: 'audio/*', ...authorization },
        body: JSON.stringify({ ...what, voice, language, engine, format: 'wav' }),
        tenant: accountSid,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        responseTimeoutMs: TIMEOUT_MS,
        totalTimeoutMs: TIMEOUT_MS,
        maxBodyBytes: MAX_ANSWER_BYTES,
        // A redirect must not pass the token to another server.
        maxRedirects: 0,
      },
      signal,
    )
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OutboundError)) throw error
    throw new FetchError(error.code, error.url, error.message, { cause: error })
  }
}

async function convert(
  { url, accountSid, callSid }: HttpSpeech,
  { status, headers, body }: OutboundResponse,
  workers: AudioWorkers,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (status !== 200) throw new FetchError(11200, url, `the server answered ${status}`)
  const contentType = headers.get('content-type') ?? ''
  const format = audioFormat(contentType, body)
  if (format === undefined)
    throw new MediaTypeError(url, `Content-Type "${contentType.slice(0, 100)}" cannot be played`)
  try {
    const task = { type: 'convert', file: body, format, maxDurationMs: MAX_SPEECH_MS } as const
    return await workers.run(task, { group: accountSid, member: callSid }, signal)
  } catch (error) {
    if (!(error instanceof UnreadableAudioError)) throw error
    throw new MediaTypeError(url, error.message, { cause: error })
  }
}
