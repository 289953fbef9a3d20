import { parseBody } from 'hono/utils/body'
import { beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createOutbound } from '../../../../src/platform/http/outbound.js'
import { createLogger } from '../../../../src/platform/log.js'
import { RecognitionError } from '../../../../src/voice/recognition/engine.js'
import { createOpenaiEngine } from '../../../../src/voice/recognition/openai-engine.js'
import { HttpSink, type SinkAnswer } from '../../../support/http/http-sink.js'
import { speech } from '../amd/sounds.js'

const SPOKEN = speech(400)
const never = new AbortController().signal

async function recognise(answer: SinkAnswer, params = {}, key?: string) {
  await using sink = await HttpSink.start()
  await using outbound = createOutbound({
    policy: { mode: 'allow-private', allow: [] },
    clock: systemClock,
    log: createLogger('silent'),
  })
  sink.answer(answer)
  const engine = createOpenaiEngine({
    url: `${sink.url}/base/`,
    key,
    model: 'small.en',
    outbound,
    timeoutMs: 500,
  })
  const outcome = await engine.recognise(SPOKEN, params, never)
  const [request] = sink.requests
  if (request === undefined) throw new Error('nothing was asked')
  const type = request.headers['content-type'] ?? ''
  const form = await parseBody(
    new Request(sink.url, {
      method: 'POST',
      body: request.body,
      headers: { 'content-type': type },
    }),
  )
  return { outcome, request, form }
}

const HELLO = { body: JSON.stringify({ text: ' Hello there. ' }) }

describe('a request', () => {
  let asked: Awaited<ReturnType<typeof recognise>>
  beforeEach(async () => {
    asked = await recognise(HELLO, { language: 'en-GB', hints: ['balance', 'invoice'] }, 'sk-1')
  })

  it('uploads WAV of 8 kHz with the model, the language and the hints', async () => {
    const { request, form } = asked
    expect(request).toMatchObject({ method: 'POST', target: '/base/v1/audio/transcriptions' })
    expect(request.headers.authorization).toBe('Bearer sk-1')
    expect(['model', 'language', 'prompt', 'response_format'].map((name) => form[name])).toEqual([
      'small.en',
      'en',
      'balance, invoice',
      'verbose_json',
    ])
    const file = form['file']
    if (!(file instanceof File)) throw new Error('no file')
    const wav = Buffer.from(await file.arrayBuffer())
    expect([wav.toString('latin1', 0, 4), wav.readUInt32LE(24)]).toEqual(['RIFF', 8000])
    expect(wav.length).toBe(44 + 2 * SPOKEN.length)
  })

  it('returns the text; an answer without segments has no confidence', () => {
    expect(asked.outcome).toEqual({ text: 'Hello there.', confidence: undefined })
  })
})

it('leaves out what is not set', async () => {
  const { request, form } = await recognise(HELLO)
  expect(request.headers.authorization).toBeUndefined()
  expect(['language' in form, 'prompt' in form]).toEqual([false, false])
})

it('takes the confidence from the segments', async () => {
  const segments = [{ avg_logprob: -0.1 }, { avg_logprob: -0.3 }]
  const { outcome } = await recognise({ body: JSON.stringify({ text: 'Yes', segments }) })
  expect(outcome.confidence).toBeCloseTo(Math.exp(-0.2), 6)
})

it.each<[string, SinkAnswer, RegExp]>([
  ['hangs', { hang: 'headers' }, /does not answer/],
  ['hangs in its answer', { ...HELLO, hang: 'body' }, /does not answer/],
  ['closes the connection', { drop: true }, /does not answer/],
  ['answers 500', { status: 500, body: 'oops' }, /answered 500/],
  ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /answered 302/],
  ['answers garbage', { body: '<html>' }, /no JSON/],
  ['answers without a text', { body: '{"words":[]}' }, /no text/],
  ['answers too much', { body: Buffer.alloc(1_000_000, 'a') }, /does not answer/],
  ['speaks no HTTP', { raw: 'ehlo\r\n\r\n' }, /does not answer/],
])('fails where the server %s', async (_what, answer, message) => {
  const failed = await recognise(answer).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(RecognitionError)
  expect((failed as Error).message).toMatch(message)
})
