/**
 * The taps of the half-band low-pass (windowed sinc, 31 taps), with unity gain at DC; computed
 * once.
 */
const TAPS = 31
const KERNEL = Float64Array.from({ length: TAPS }, (_, index) => {
  const offset = index - (TAPS - 1) / 2
  const sinc = offset === 0 ? 0.5 : Math.sin((Math.PI * offset) / 2) / (Math.PI * offset)
  const window = 0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (TAPS - 1))
  return sinc * window
})

/**
 * Halves the rate from 16 kHz to 8 kHz. Frequencies above 4 kHz are removed first, or they come
 * back as noise.
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
