/**
 * Converts any supported file to the 8 kHz WAV that is played. The work takes long, so it must run in a
 * worker thread.
 */

import { MPEGDecoder } from 'mpg123-decoder'
import { readAiff } from './aiff.js'
import { readAu, readRawUlaw } from './au.js'
import type { AudioBlock } from './audio-block.js'
import { UnreadableAudioError } from './audio-block.js'
import type { AudioFormat } from './audio-format.js'
import { readGsm } from './gsm.js'
import { createResampler, type Resampler } from './resample.js'
import { readW64 } from './w64.js'
import { encodeTelephoneWav, readWav, TELEPHONE_RATE } from './wav.js'

/** Bytes decoded at a time: some seconds of audio at common bit rates. */
const MP3_PIECE_BYTES = 64 * 1024

const READERS: Readonly<
  Record<AudioFormat, (file: Uint8Array) => Iterable<AudioBlock> | AsyncIterable<AudioBlock>>
> = {
  wav: readWav,
  w64: readW64,
  mp3: readMp3,
  aiff: readAiff,
  au: readAu,
  ulaw: readRawUlaw,
  gsm: readGsm,
}

/** Reads an MP3 file. Frames that cannot be decoded are omitted. */
async function* readMp3(file: Uint8Array): AsyncGenerator<AudioBlock> {
  const decoder = new MPEGDecoder()
  await decoder.ready
  try {
    for (let at = 0; at < file.length; at += MP3_PIECE_BYTES) {
      const { channelData, sampleRate: rate } = decoder.decode(
        file.subarray(at, at + MP3_PIECE_BYTES),
      )
      const samples = mean(channelData)
      if (samples.length > 0) yield { rate, samples }
    }
  } finally {
    decoder.free()
  }
}

function mean(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array()] = channels
  if (channels.length < 2) return first
  return first.map((_sample, index) => {
    const sum = channels.reduce((total, channel) => total + (channel[index] ?? 0), 0)
    return sum / channels.length
  })
}

/** Converts a file. Audio longer than `maxDurationMs` is cut. Rejects with UnreadableAudioError. */
export async function toTelephoneWav(
  file: Uint8Array,
  format: AudioFormat,
  maxDurationMs: number,
): Promise<Uint8Array> {
  const sound = new TelephoneSound((maxDurationMs * TELEPHONE_RATE) / 1000)
  for await (const block of READERS[format](file)) {
    sound.add(block)
    if (sound.isFull) break
  }
  const samples = sound.end()
  if (samples.length === 0) throw new UnreadableAudioError('there is no sound in the file')
  return encodeTelephoneWav(samples)
}

class TelephoneSound {
  readonly #maxSamples: number
  #samples = new Int16Array(TELEPHONE_RATE * 10)
  #length = 0
  #rate = TELEPHONE_RATE
  #resampler: Resampler = createResampler(TELEPHONE_RATE, TELEPHONE_RATE)

  constructor(maxSamples: number) {
    this.#maxSamples = maxSamples
  }

  get isFull(): boolean {
    return this.#length >= this.#maxSamples
  }

  add({ rate, samples }: AudioBlock): void {
    // Concatenated MP3 files can change their rate.
    if (rate !== this.#rate) {
      this.#append(this.#resampler.flush())
      this.#rate = rate
      this.#resampler = createResampler(rate, TELEPHONE_RATE)
    }
    this.#append(this.#resampler.push(samples))
  }

  end(): Int16Array {
    this.#append(this.#resampler.flush())
    return this.#samples.subarray(0, Math.min(this.#length, this.#maxSamples))
  }

  #append(part: Float32Array): void {
    if (this.#length + part.length > this.#samples.length) {
      const larger = new Int16Array((this.#length + part.length) * 2)
      larger.set(this.#samples.subarray(0, this.#length))
      this.#samples = larger
    }
    for (const sample of part) {
      const bounded = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)))
      this.#samples[this.#length] = bounded
      this.#length += 1
    }
  }
}
