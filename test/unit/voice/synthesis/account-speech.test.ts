import { describe, expect, it } from 'vitest'
import type { TtsSettings } from '../../../../src/accounts/settings.js'
import { OutboundError } from '../../../../src/platform/http/outbound-error.js'
import type { OutboundRequest } from '../../../../src/platform/http/outbound-request.js'
import type { SpeechRequest } from '../../../../src/voice/model/speech-request.js'
import { createAccountSpeech } from '../../../../src/voice/synthesis/account-speech.js'
import { createHttpEngine } from '../../../../src/voice/synthesis/http-engine.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import {
  AUDIO_WORKER,
  levelOf,
  samplesOfFile,
  tone,
  wavFile,
} from '../../../support/sound/sound.js'

const never = new AbortController().signal
const WAV = Buffer.from(
  wavFile(tone(1000, 16_000, 0.5), { tag: 1, bits: 16, rate: 16_000, channels: 1 }),
)
const HELLO: SpeechRequest = { text: 'Hello', voice: undefined, language: undefined }
const MARKUP = { ssml: '<speak>Hello</speak>', rate: 1, gainDb: 0, unheard: ['phoneme'] }

/** The engine's first request; what is sent as a stream is not read here. */
function sentBy({ asked }: { readonly asked: readonly OutboundRequest[] }): unknown {
  const body = asked[0]?.body
  return typeof body === 'string' ? JSON.parse(body) : body
}

/** An engine at a URL that answers as told, beside a built-in one that only notes what it is asked. */
function setUp(
  directory: string,
  settings: TtsSettings,
  answer: { status?: number; type?: string; body?: Buffer; error?: OutboundError } = {},
) {
  const asked: OutboundRequest[] = []
  const builtIn: SpeechRequest[] = []
  const warnings: number[] = []
  let now = 0
  const clock = { now: () => now, monotonic: () => now }
  const http = createHttpEngine({
    ...{ directory, clock, workerUrl: AUDIO_WORKER },
    outbound: {
      request: (request) => {
        asked.push(request)
        if (answer.error !== undefined) return Promise.reject(answer.error)
        const { status = 200, type = 'audio/wav', body = WAV } = answer
        const timings = { connectMs: 0, headersMs: 0, totalMs: 0 }
        const headers = new Headers({ 'Content-Type': type })
        return Promise.resolve({ status, headers, body, url: request.url, timings })
      },
    },
  })
  const speak = createAccountSpeech({
    ...{ http, clock, settingsOf: () => Promise.resolve(settings) },
    builtIn: {
      synthesise: (request) => {
        builtIn.push(request)
        return Promise.resolve({ path: 'built-in', durationMs: 1 })
      },
    },
  })
  const say = (request: SpeechRequest, accountSid = 'AC1') =>
    speak(request, { accountSid, callSid: 'CA1', warn: (code) => warnings.push(code) }, never)
  const later = (ms: number) => {
    now += ms
  }
  return {
    say,
    asked,
    builtIn,
    warnings,
    later,
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

const ENGINE: TtsSettings = {
  url: 'https://tts.example/speak',
  token: 'secret',
  engineName: 'neural',
  defaultVoice: 'aria',
  defaultLanguage: 'en-GB',
}

describe("an account's own engine", () => {
  it('is asked with the token, and what it answers is heard', async () => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, ENGINE)
    const { path, durationMs } = await engine.say(HELLO)
    expect(levelOf(1000, samplesOfFile(path), 8000)).toBeCloseTo(0.5, 1)
    expect(durationMs).toBe(500)
    expect(engine.asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://tts.example/speak',
      headers: { Authorization: 'Bearer secret', 'Content-Type': 'application/json' },
      tenant: 'AC1',
      maxRedirects: 0,
    })
    expect(sentBy(engine)).toEqual({
      ...{ text: 'Hello', voice: 'aria', language: 'en-GB', engine: 'neural', format: 'wav' },
    })
    expect(engine.warnings).toEqual([])
  })

  it('gets the markup whole', async () => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, { url: 'https://tts.example/' })
    await engine.say({ ...HELLO, voice: 'own', markup: MARKUP })
    expect(sentBy(engine)).toEqual({
      ...{ ssml: MARKUP.ssml, voice: 'own', format: 'wav' },
    })
    expect(engine.asked[0]?.headers).not.toHaveProperty('Authorization')
    expect(engine.warnings).toEqual([])
  })

  it('is asked once for the same, and again for whatever differs', async () => {
    using folder = tempFolder()
    const settings = { ...ENGINE }
    await using engine = setUp(folder.path, settings)
    const requests: SpeechRequest[] = [
      HELLO,
      { ...HELLO, text: 'Bye' },
      { ...HELLO, voice: 'man' },
      { ...HELLO, language: 'fr-FR' },
      { ...HELLO, markup: MARKUP },
    ]
    for (const request of [...requests, ...requests]) await engine.say(request)
    expect(engine.asked).toHaveLength(5)
    await engine.say(HELLO, 'AC2')
    settings.engineName = 'other'
    await engine.say(HELLO)
    settings.url = 'https://other.example/'
    await engine.say(HELLO)
    expect(engine.asked).toHaveLength(8)
  })
})

describe('the built-in engine speaks', () => {
  it('for an account without its own, with its usual voice', async () => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, { defaultVoice: 'woman', defaultLanguage: 'en-GB' })
    await engine.say({ ...HELLO, markup: MARKUP })
    expect(engine.builtIn).toMatchObject([{ voice: 'woman', language: 'en-GB' }])
    expect(engine.warnings).toEqual([13520])
  })

  it.each([
    ['Bonjour, ça va ?', 'fr-FR', undefined],
    ['Dzień dobry, 12 zł', 'pl', undefined],
    ['Guten Tag', undefined, 'Google.de-DE-Wavenet-B'],
    ['12 34', 'ru-RU', undefined],
  ])('"%s" in %s with an English voice, and warns of it', async (text, language, voice) => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, {})
    await engine.say({ text, language, voice })
    expect(engine.builtIn).toHaveLength(1)
    expect(engine.warnings).toEqual([13512])
  })

  it.each([
    ['Привет, iPhone 15', 'ru-RU', undefined],
    ['こんにちは', undefined, 'Google.ja-JP-Standard-C'],
    ['مرحبا', 'ar', 'Polly.Zayed'],
  ])('nothing of "%s", whose letters it does not know', async (text, language, voice) => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, {})
    await expect(engine.say({ text, language, voice })).rejects.toMatchObject({
      name: 'SpeechTextError',
      number: 13520,
    })
    expect(engine.builtIn).toEqual([])
    expect(engine.warnings).toEqual([13512])
  })

  it.each([
    ['Hello', 'en-AU', undefined],
    ['Hello', 'EN', undefined],
    ['Hello', undefined, 'Polly.Lucia'],
    ['Hello', 'en-GB', 'Google.fr-FR-Wavenet-A'],
    ['Hello α', undefined, undefined],
  ])('"%s" in %s by %s without a warning', async (text, language, voice) => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, {})
    await engine.say({ text, language, voice })
    expect(engine.builtIn).toHaveLength(1)
    expect(engine.warnings).toEqual([])
  })

  it('for an engine that failed, and warns that it lacks the language as well', async () => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, ENGINE, { status: 500 })
    await engine.say({ ...HELLO, language: 'es-MX' })
    expect(engine.warnings).toEqual([11200, 13512])
  })

  it.each<[string, Parameters<typeof setUp>[2], number]>([
    ['refuses', { status: 500 }, 11200],
    ['redirects', { status: 302 }, 11200],
    ['answers no audio', { type: 'application/json', body: Buffer.from('{}') }, 13420],
    ['answers broken audio', { body: Buffer.from('RIFF....WAVE') }, 13420],
    ['is at a private address', { error: new OutboundError('blocked-address', 'x') }, 11210],
    ['is too slow', { error: new OutboundError('response-timeout', 'x') }, 11200],
    [
      'answers too much',
      { error: new OutboundError('too-large', 'x') },
      new OutboundError('too-large', 'x').code,
    ],
  ])('when the account’s own %s, and says why', async (_title, answer, code) => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, ENGINE, answer)
    expect((await engine.say(HELLO)).path).toBe('built-in')
    expect(engine.warnings).toEqual([code])
  })

  it('for half a minute after a failure without asking the other, which is then asked again', async () => {
    using folder = tempFolder()
    await using engine = setUp(folder.path, ENGINE, { status: 500 })
    await engine.say(HELLO)
    engine.later(29_000)
    await engine.say(HELLO)
    expect(engine.asked).toHaveLength(1)
    expect(engine.warnings).toEqual([11200, 11200])
    await engine.say(HELLO, 'AC2')
    engine.later(2000)
    await engine.say(HELLO)
    expect(engine.asked).toHaveLength(3)
    expect(engine.builtIn).toHaveLength(4)
  })
})

describe('the engine of this machine', () => {
  const setUpLocal = (voice: string | undefined) => {
    const requests: unknown[] = []
    const speak = createAccountSpeech({
      builtIn: { synthesise: () => Promise.resolve({ path: 'built-in', durationMs: 1 }) },
      http: { speak: () => Promise.reject(new Error('not asked')) },
      local: {
        voiceFor: () => Promise.resolve(voice),
        speak: () => Promise.resolve({ path: 'local', durationMs: 1 }),
      },
      settingsOf: () => Promise.resolve({}),
      clock: { now: () => 0, monotonic: () => 0 },
      onRequest: (_call, request) => requests.push(request),
    })
    const speaker = { accountSid: 'AC1', callSid: 'CA1', warn: () => undefined }
    return { requests, say: (request: SpeechRequest) => speak(request, speaker, never) }
  }

  it.each([
    ['Привет', 'ru-RU', 'ru', 'local', 'espeak-ng'],
    ['Hello', 'en-GB', 'en-gb', 'built-in', 'built-in'],
    ['Ahoj', 'cs-CZ', undefined, 'built-in', 'built-in'],
  ])('"%s" in %s, with its voice %s: %s', async (text, language, voice, path, engine) => {
    const { say, requests } = setUpLocal(voice)
    expect((await say({ text, language, voice: undefined })).path).toBe(path)
    expect(requests).toEqual([{ engine, characters: text.length, durationMs: 0 }])
  })

  it('a language that no engine speaks is refused, and the engines that would are named', async () => {
    const { say } = setUpLocal(undefined)
    await expect(say({ text: 'Привет', language: 'ru-RU', voice: undefined })).rejects.toThrow(
      /no engine here speaks ru-RU.*espeak-ng/,
    )
  })
})
