/**
 * A server that speaks OpenAI's `POST /v1/audio/transcriptions`, as whisper.cpp's server, speaches and vLLM do:
 * one upload of WAV for each utterance.
 */
import { z } from '@hono/zod-openapi'
import type { Outbound, OutboundResponse } from '../../platform/http/outbound.js'
import { OutboundError } from '../../platform/http/outbound-error.js'
import { encodeTelephoneWav } from '../audio/wav.js'
import {
  type Outcome,
  type RecognitionEngine,
  RecognitionError,
  type RecognitionParams,
} from './engine.js'

export interface OpenaiEngineOptions {
  /** The base, before `/v1/audio/transcriptions`. */
  readonly url: string
  /** Sent as Bearer. */
  readonly key: string | undefined
  readonly model: string
  readonly outbound: Pick<Outbound, 'request'>
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 256 * 1024
/** Maximum length of the hints; a prompt may have about 200 words. */
const MAX_PROMPT = 800
const ANSWER = z.object({
  text: z.string(),
  segments: z.array(z.object({ avg_logprob: z.number().optional() })).optional(),
})

export function createOpenaiEngine(options: OpenaiEngineOptions): RecognitionEngine {
  return {
    recognise: async (samples, params, signal) => {
      const answer = await ask(options, samples, params, signal)
      if (answer.status !== 200)
        throw new RecognitionError(`the recogniser answered ${String(answer.status)}`)
      return read(answer.body.toString('utf8'))
    },
  }
}

async function ask(
  { url, key, model, outbound, timeoutMs = TIMEOUT_MS }: OpenaiEngineOptions,
  samples: Int16Array,
  params: RecognitionParams,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const upload = new Response(formOf(samples, model, params))
  const body = Buffer.from(await upload.arrayBuffer())
  const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  try {
    return await outbound.request(
      {
        method: 'POST',
        url: `${url.replace(/\/$/, '')}/v1/audio/transcriptions`,
        headers: {
          'Content-Type': upload.headers.get('content-type') ?? '',
          Accept: 'application/json',
          ...authorization,
        },
        body,
        responseTimeoutMs: timeoutMs,
        totalTimeoutMs: timeoutMs,
        maxBodyBytes: MAX_ANSWER_BYTES,
        // A redirect must not pass the key to another server.
        maxRedirects: 0,
      },
      signal,
    )
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    throw new RecognitionError(`the recogniser does not answer: ${cause.message}`, { cause })
  }
}

function formOf(
  samples: Int16Array,
  model: string,
  { language, hints }: RecognitionParams,
): FormData {
  const form = new FormData()
  const wav = new Blob([Buffer.from(encodeTelephoneWav(samples))], { type: 'audio/wav' })
  form.set('file', wav, 'utterance.wav')
  form.set('model', model)
  form.set('response_format', 'verbose_json')
  // The convention has a language without a region.
  if (language !== undefined) form.set('language', language.split('-')[0] ?? language)
  const prompt = hints?.join(', ').slice(0, MAX_PROMPT) ?? ''
  if (prompt !== '') form.set('prompt', prompt)
  return form
}

function read(body: string): Outcome {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch (cause) {
    throw new RecognitionError('the answer of the recogniser is no JSON', { cause })
  }
  const { success, data } = ANSWER.safeParse(json)
  if (!success) throw new RecognitionError('the answer of the recogniser has no text')
  return { text: data.text.trim(), confidence: confidenceOf(data.segments ?? []) }
}

/** The probability of a word on average. */
function confidenceOf(
  segments: readonly { avg_logprob?: number | undefined }[],
): number | undefined {
  const known = segments.flatMap(({ avg_logprob: each }) => (each === undefined ? [] : [each]))
  if (known.length === 0) return undefined
  const mean = known.reduce((sum, each) => sum + each, 0) / known.length
  return Math.min(1, Math.exp(mean))
}
