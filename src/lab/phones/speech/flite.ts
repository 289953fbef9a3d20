/** Makes the speech of the phones. */
import { createFlite } from '../../../platform/flite/flite.js'
import { halveRate } from './downsample.js'

const VOICE = 'slt'

/** Flite could not speak; the caller may use a tone instead. */
export class SpeechError extends Error {
  override readonly name = 'SpeechError'
}

/**
 * Makes 8 kHz samples of each sentence. It blocks its thread about 100 ms a sentence, so it must
 * not run on the thread that handles calls.
 */
export async function synthesise(sentences: readonly string[]): Promise<Int16Array[]> {
  const flite = createFlite()
  const spoken: Int16Array[] = []
  for (const sentence of sentences) {
    spoken.push(telephoneSamples(Buffer.from(await flite(sentence, VOICE))))
  }
  return spoken
}

/**
 * Reads flite's output, with its plain 44-byte header: one channel, 16 bit, 8 or 16 kHz by voice.
 */
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
