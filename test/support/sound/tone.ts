/** Detects audio by its tone: one frequency per party, with Goertzel's filter. */

export const RATE = 8000

/** Amplitude (0–32767) of a sine of that frequency in the samples. */
export function toneLevel(samples: Int16Array, hz: number, rate = RATE): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / rate)
  let before = 0
  let last = 0
  for (const sample of samples) {
    const next = sample + coefficient * last - before
    before = last
    last = next
  }
  const power = last * last + before * before - coefficient * last * before
  return samples.length === 0 ? 0 : (2 * Math.sqrt(Math.max(0, power))) / samples.length
}

/** Share (0–1) of the samples' energy at that frequency: 1 for a pure tone, 0 for silence. */
export function toneShare(samples: Int16Array, hz: number, rate = RATE): number {
  let energy = 0
  for (const sample of samples) energy += sample ** 2
  if (energy === 0) return 0
  return (toneLevel(samples, hz, rate) ** 2 / 2) * (samples.length / energy)
}

/**
 * Median share of a tone over windows of 100 ms: a busy machine may pause the sending party, which leaves a gap
 * or two.
 */
export function usualShare(samples: Int16Array, hz: number, rate = RATE): number {
  const window = rate / 10
  const shares = Array.from({ length: Math.floor(samples.length / window) }, (_, i) =>
    toneShare(samples.subarray(i * window, (i + 1) * window), hz, rate),
  )
  return shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0
}

export function rms(samples: Int16Array): number {
  let energy = 0
  for (const sample of samples) energy += sample ** 2
  return samples.length === 0 ? 0 : Math.sqrt(energy / samples.length)
}

export function sine(hz: number, count: number, amplitude = 8000, rate = RATE): Int16Array {
  return Int16Array.from({ length: count }, (_, i) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * i) / rate)),
  )
}
