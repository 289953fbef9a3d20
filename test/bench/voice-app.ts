import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wavHead } from '../../src/platform/audio/wav-head.js'

const RATE = 8_000
const FREQUENCY = 440
const AMPLITUDE = 8_000
/** Samples from one syllable to the next, and those of them that sound. */
const SYLLABLE = 0.24 * RATE
const SPOKEN = 0.18 * RATE
const HARMONICS = 20

/** The customer's side: pages of markup by path and sound files, as quick as `node:http` is. */
export interface VoiceApp extends AsyncDisposable {
  readonly url: string
}

export async function startVoiceApp(): Promise<VoiceApp> {
  const sounds: Readonly<Record<string, Buffer>> = {
    '/short.wav': toneWav(0.2),
    '/long.wav': toneWav(10),
    '/minute.wav': toneWav(60),
    '/greeting.wav': greetingWav(10),
  }
  const pages: Readonly<Record<string, string>> = {
    '/brief': '<Play>/short.wav</Play><Hangup/>',
    '/long': '<Play loop="0">/long.wav</Play>',
    '/ask': '<Gather numDigits="1" timeout="5" action="/quiet"><Play>/long.wav</Play></Gather>',
    '/greet': '<Play loop="0">/greeting.wav</Play>',
    '/quiet': '<Pause length="3"/><Hangup/>',
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    request.resume()
    request.on('end', () => {
      const sound = sounds[path]
      if (sound === undefined) {
        response.setHeader('content-type', 'text/xml')
        response.end(`<Response>${pages[path] ?? streamPage(path)}</Response>`)
      } else {
        response.setHeader('content-type', 'audio/wav')
        response.setHeader('cache-control', 'max-age=3600')
        response.end(sound)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A TCP server has one.
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * The page of a path. `/stream/PORT` connects the call to the stream server at that port.
 * `/record/PORT` records the call and streams it there, beside a steady tone.
 */
function streamPage(path: string): string {
  const [, kind, port] = /^\/(stream|record)\/(\d+)$/.exec(path) ?? []
  if (port === undefined) return ''
  const stream = `<Stream url="ws://127.0.0.1:${port}/"/>`
  if (kind === 'stream') return `<Connect>${stream}</Connect>`
  const recording = '<Start><Recording channels="dual"/></Start>'
  return `${recording}<Start>${stream}</Start><Play>/minute.wav</Play>`
}

/** Makes a WAV file of a steady tone. */
export function toneWav(seconds: number): Buffer {
  return wavOf(seconds, (index) => AMPLITUDE * Math.sin((2 * Math.PI * FREQUENCY * index) / RATE))
}

/** Makes a WAV file of voiced syllables, which machine detection takes for endless talk. */
function greetingWav(seconds: number): Buffer {
  let phase = 0
  return wavOf(seconds, (index) => {
    const at = (index % SYLLABLE) / SPOKEN
    if (at >= 1) return 0
    const number = Math.floor(index / SYLLABLE)
    phase += (2 * Math.PI * (150 - 40 * at + 10 * (number % 3))) / RATE
    let sum = 0
    for (let harmonic = 1; harmonic <= HARMONICS; harmonic += 1)
      sum += Math.sin(harmonic * phase) / (1 + 0.5 * Math.abs(harmonic - 3 - (number % 4)))
    return (AMPLITUDE / 3) * Math.sin(Math.PI * at) * sum
  })
}

/** Makes a WAV file of samples: 8 kHz, 16 bit, mono. */
function wavOf(seconds: number, sample: (index: number) => number): Buffer {
  const samples = Math.round(RATE * seconds)
  const data = Buffer.alloc(2 * samples)
  for (let index = 0; index < samples; index += 1)
    data.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample(index)))), 2 * index)
  return Buffer.concat([wavHead(1, RATE, data.length), data])
}
