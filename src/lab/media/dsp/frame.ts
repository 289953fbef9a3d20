/** The sample rate. All audio moves in frames of 20 ms of 16-bit linear samples at 8 kHz. */
export const SAMPLE_RATE = 8000
export const FRAME_MS = 20
export const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1000
export const SAMPLES_PER_MS = SAMPLE_RATE / 1000

/** Adds `from` to `into`, clipped to the 16-bit range. */
export function mixInto(into: Int16Array, from: Int16Array): void {
  for (let i = 0; i < into.length; i++) into[i] = clip16((into[i] ?? 0) + (from[i] ?? 0))
}

export function clip16(sample: number): number {
  if (sample > 32_767) return 32_767
  return sample < -32_768 ? -32_768 : sample
}
