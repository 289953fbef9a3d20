/** Sound for tests. Tests detect sound by its tone, one frequency at a time, and never compare bytes. */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/**
 * The built audio thread: vitest runs TypeScript, worker threads do not. `AUDIO_WORKER` selects another build.
 */
export const AUDIO_WORKER =
  process.env['AUDIO_WORKER'] === undefined
    ? new URL('../../../dist/voice/audio/worker/audio-worker.js', import.meta.url)
    : pathToFileURL(process.env['AUDIO_WORKER'])

export function tone(hz: number, rate: number, seconds: number, level = 0.5): Float32Array {
  return Float32Array.from(
    { length: Math.round(rate * seconds) },
    (_, n) => level * Math.sin((2 * Math.PI * hz * n) / rate),
  )
}

/** Level of one frequency (Goertzel): 0.5 for a tone of level 0.5. */
export function levelOf(hz: number, samples: ArrayLike<number>, rate: number): number {
  const step = (2 * Math.PI * hz) / rate
  let [real, imaginary] = [0, 0]
  for (let n = 0; n < samples.length; n += 1) {
    real += (samples[n] ?? 0) * Math.cos(step * n)
    imaginary += (samples[n] ?? 0) * Math.sin(step * n)
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length
}

export function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}

/** Samples of a playable file, −1 … 1; throws for any other kind of file. */
export function telephoneSamples(wav: Uint8Array): Float32Array {
  const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength)
  const text = (at: number) => String.fromCharCode(...wav.subarray(at, at + 4))
  const header = [text(0), text(8), text(12), text(36), view.getUint16(20, true)]
  const format = [view.getUint16(22, true), view.getUint32(24, true), view.getUint16(34, true)]
  if (header.join() !== 'RIFF,WAVE,fmt ,data,1' || format.join() !== '1,8000,16')
    throw new Error(`not a telephone WAV file: ${header.join()} ${format.join()}`)
  if (view.getUint32(40, true) !== wav.length - 44) throw new Error('WAV length is wrong')
  return Float32Array.from(
    { length: (wav.length - 44) / 2 },
    (_, n) => view.getInt16(44 + 2 * n, true) / 32_768,
  )
}

export const samplesOfFile = (path: string): Float32Array => telephoneSamples(readFileSync(path))

interface WavOptions {
  readonly tag: number
  readonly bits: number
  readonly rate: number
  readonly channels: number
  readonly isExtensible?: boolean
}

/** Encodes a WAV file in any format, with identical channels. */
export function wavFile(samples: Float32Array, options: WavOptions): Uint8Array {
  const { tag, bits, rate, channels, isExtensible = false } = options
  const width = bits / 8
  const data = Buffer.alloc(samples.length * width * channels)
  for (const [n, sample] of samples.entries())
    for (let channel = 0; channel < channels; channel += 1)
      writeSample(data, (n * channels + channel) * width, sample, tag, bits)
  const format = Buffer.alloc(isExtensible ? 40 : 16)
  format.writeUInt16LE(isExtensible ? 0xfffe : tag, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt16LE(bits, 14)
  if (isExtensible) format.writeUInt16LE(tag, 24)
  const list = chunk('LIST', Buffer.from('odd'))
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    list,
    chunk('fmt ', format),
    chunk('data', data),
  ])
  return chunk('RIFF', body)
}

function chunk(id: string, bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([Buffer.from(id), length, bytes, Buffer.alloc(bytes.length % 2)])
}

function writeSample(to: Buffer, at: number, sample: number, tag: number, bits: number): void {
  if (tag === 3 && bits === 32) to.writeFloatLE(sample, at)
  else if (tag === 3) to.writeDoubleLE(sample, at)
  else if (tag === 7) to[at] = toUlaw(sample)
  else if (tag === 6) to[at] = toAlaw(sample)
  else if (bits === 8) to.writeUInt8(Math.round(sample * 127) + 128, at)
  else to.writeIntLE(Math.round(sample * (2 ** (bits - 1) - 1)), at, bits / 8)
}

/** Encodes µ-law by the segments in G.711's tables, unlike the bit operations of the code under test. */
export function toUlaw(sample: number): number {
  const magnitude = Math.min(8158, Math.abs(sample) * 8159) + 33
  const segment = Math.max(0, Math.floor(Math.log2(magnitude)) - 5)
  const step = Math.floor(magnitude / 2 ** (segment + 1)) - 16
  return 0xff - ((sample < 0 ? 0x80 : 0) + segment * 16 + Math.max(0, Math.min(15, step)))
}

export function toAlaw(sample: number): number {
  const magnitude = Math.min(4095, Math.floor(Math.abs(sample) * 4096))
  const segment = magnitude < 32 ? 0 : Math.floor(Math.log2(magnitude)) - 4
  const step =
    segment < 2 ? Math.floor(magnitude / 2) % 16 : Math.floor(magnitude / 2 ** segment) - 16
  return ((sample < 0 ? 0 : 0x80) + segment * 16 + step) ^ 0x55
}
