/** Makes tones and noises as samples, and joins them. */
import type { Random } from './random.js'
import type { Samples } from './speech.js'

export const RATE = 8000
const RAMP = 40

export interface Tone {
  readonly hz: readonly number[]
  readonly ms: number
  /** The root mean square of the whole signal, dB below full scale. */
  readonly db: number
}

export function silence(ms: number): Samples {
  return new Float64Array(Math.round((ms * RATE) / 1000))
}

/** Makes sines of equal share, with soft ends. */
export function tone({ hz, ms, db }: Tone): Samples {
  const samples = silence(ms)
  const amplitude = (10 ** (db / 20) * Math.SQRT2) / Math.sqrt(hz.length)
  for (let i = 0; i < samples.length; i++) {
    const ramp = Math.min(1, (i + 1) / RAMP, (samples.length - i) / RAMP)
    let sum = 0
    for (const one of hz) sum += Math.sin((2 * Math.PI * one * i) / RATE)
    samples[i] = ramp * amplitude * sum
  }
  return samples
}

/**
 * Makes ANSam (ITU-T V.8): 2100 Hz, its level swinging by a fifth at 15 Hz, reversed every 450 ms.
 */
export function modemAnswer(ms: number, db: number): Samples {
  const samples = tone({ hz: [2100], ms, db })
  return samples.map((one, i) => {
    const swing = 1 + 0.2 * Math.sin((2 * Math.PI * 15 * i) / RATE)
    const isReversed = Math.floor(i / (0.45 * RATE)) % 2 === 1
    return one * swing * (isReversed ? -1 : 1)
  })
}

export function join(parts: readonly Samples[]): Samples {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export function repeat(parts: readonly Samples[], times: number): Samples {
  return join(Array.from({ length: times }, () => parts).flat())
}

/** Makes the speech's active level `db`: the mean of what is within 30 dB of the loudest 20 ms. */
export function atLevel(samples: Samples, db: number): Samples {
  const gain = 10 ** ((db - activeDb(samples)) / 20)
  return samples.map((one) => one * gain)
}

export function activeDb(samples: Samples): number {
  const powers: number[] = []
  for (let at = 0; at + 160 <= samples.length; at += 160) powers.push(power(samples, at, at + 160))
  const limit = Math.max(...powers, 1e-12) / 1000
  const active = powers.filter((one) => one >= limit)
  return 10 * Math.log10(active.reduce((sum, one) => sum + one, 0) / active.length)
}

export function power(samples: Samples, from: number, to: number): number {
  let sum = 0
  for (let i = from; i < to; i++) sum += (samples[i] ?? 0) ** 2
  return sum / Math.max(1, to - from)
}

/** Makes white noise of root mean square 1. */
export function whiteNoise(length: number, random: Random): Samples {
  return Float64Array.from({ length }, () => Math.sqrt(3) * random.between(-1, 1))
}

/** Makes mains hum with the harmonics that a telephone carries of it; root mean square 1. */
export function hum(length: number, random: Random): Samples {
  const base = random.pick([50, 60])
  const parts = [1, 2, 3, 5, 7].map((order) => ({
    step: (2 * Math.PI * base * order) / RATE,
    share: 1 / order,
    phase: random.between(0, 2 * Math.PI),
  }))
  const samples = Float64Array.from({ length }, (_, i) =>
    parts.reduce((sum, part) => sum + part.share * Math.sin(part.step * i + part.phase), 0),
  )
  return normalise(samples)
}

/** Mixes six sentences, each starting somewhere and repeating; root mean square 1. */
export function babble(length: number, sentences: readonly Samples[], random: Random): Samples {
  const samples = new Float64Array(length)
  for (let voice = 0; voice < 6; voice++) {
    const sentence = random.pick(sentences)
    const gain = 1 / Math.sqrt(power(sentence, 0, sentence.length))
    let at = Math.floor(random.next() * sentence.length)
    for (let i = 0; i < length; i++) {
      samples[i] = (samples[i] ?? 0) + gain * (sentence[at] ?? 0)
      if (++at === sentence.length) at = 0
    }
  }
  return normalise(samples)
}

/** Makes the root mean square 1; silence stays as it is. */
export function normalise(samples: Samples): Samples {
  const mean = power(samples, 0, samples.length)
  return mean > 0 ? samples.map((one) => one / Math.sqrt(mean)) : samples
}
