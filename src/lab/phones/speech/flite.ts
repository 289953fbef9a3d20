/** Synthesises the phones' speech. */
import { createFlite } from '../../../platform/flite/flite.js'

const VOICE = 'slt'

/**
 * The coefficients of the half-band low-pass (windowed sinc, 31 taps), with unity gain at DC;
 * computed once.
 */
const TAPS = 31
const KERNEL = Float64Array.from({ length: TAPS }, (_, index) => {
  const offset = index - (TAPS - 1) / 2
  const sinc = offset === 0 ? 0.5 : Math.sin((Math.PI * offset) / 2) / (Math.PI * offset)
  const window = 0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (TAPS - 1))
  return sinc * window
})

/** Flite could not speak; the caller may use a tone instead. */
export class SpeechError extends Error {
  override readonly name = 'SpeechError'
}

/**
 * Returns 8 kHz samples of each sentence. It blocks its thread for about 100 ms a sentence: do not
 * run it on the thread that handles calls.
 */
export async function synthesise(sentences: readonly string[]): Promise<Int16Array[]> {
  const flite = createFlite()
  const spoken: Int16Array[] = []
  for (const sentence of sentences) {
    spoken.push(telephoneSamples(Buffer.from(await flite(sentence, VOICE))))
  }
  return spoken
}

/** Reads flite's output, which has a plain 44-byte header: mono, 16 bit, 8 or 16 kHz by voice. */
function telephoneSamples(wav: Buffer): Int16Array {
  if (wav.length < 44 || wav.toString('latin1', 36, 40) !== 'data')
    throw new SpeechError('flite wrote no samples')
  const rate = wav.readUInt32LE(24)
  const pcm = new Int16Array(Math.floor((wav.length - 44) / 2))
  for (let index = 0; index < pcm.length; index++) pcm[index] = wav.readInt16LE(44 + 2 * index)
  if (rate === 8000) return pcm
  if (rate === 16_000) return halveRate(pcm)
  throw new SpeechError(`flite spoke at ${rate} Hz`)
}

/**
 * Halves the rate from 16 kHz to 8 kHz. Frequencies above 4 kHz are removed first, since they would
 * alias into noise.
 */
export function halveRate(pcm: Int16Array): Int16Array {
  const halved = new Int16Array(Math.floor(pcm.length / 2))
  for (let index = 0; index < halved.length; index++) {
    let sum = 0
    for (let tap = 0; tap < TAPS; tap++) {
      const at = index * 2 + tap - (TAPS - 1) / 2
      sum += (pcm[at] ?? 0) * (KERNEL[tap] ?? 0)
    }
    halved[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  }
  return halved
}
