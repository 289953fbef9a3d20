/**
 * Converts between sample rates block by block, with a polyphase filter: one Kaiser-windowed sinc for each
 * output phase.
 */
export interface Resampler {
  push(input: Float32Array): Float32Array
  /** Returns the samples that the filter still holds. Must be the last call. */
  flush(): Float32Array
}

/** Zero crossings on each side of the filter's middle. More of them make it steeper. */
const CROSSINGS = 16
const KAISER_BETA = 6
/**
 * The passband's edge relative to half the lower rate: 3.4 kHz passes, and the folding frequency is
 * attenuated by 60 dB.
 */
const CUTOFF = 0.9

export function createResampler(fromRate: number, toRate: number): Resampler {
  if (fromRate === toRate) return { push: (input) => input, flush: () => new Float32Array() }
  const divisor = greatestCommonDivisor(fromRate, toRate)
  const [up, down] = [toRate / divisor, fromRate / divisor]
  const { half, phases } = filterBank(Math.min(1, toRate / fromRate), up)
  // The filter needs `half` samples before and after; silence precedes the start.
  let held = new Float32Array(half - 1)
  /** Position of the next output sample within `held`, in 1/up of an input sample. */
  let position = (half - 1) * up

  const push = (input: Float32Array): Float32Array => {
    const source = new Float32Array(held.length + input.length)
    source.set(held)
    source.set(input, held.length)
    const limit = (source.length - half) * up
    const output = new Float32Array(Math.max(0, Math.ceil((limit - position) / down)))
    for (let index = 0; index < output.length; index += 1) {
      const middle = Math.floor(position / up)
      output[index] = convolve(source, middle - half + 1, phases[position % up] ?? [])
      position += down
    }
    const spent = Math.min(source.length, Math.max(0, Math.floor(position / up) - half + 1))
    held = source.slice(spent)
    position -= spent * up
    return output
  }
  return { push, flush: () => push(new Float32Array(half)) }
}

function convolve(source: Float32Array, from: number, taps: ArrayLike<number>): number {
  let sum = 0
  for (let tap = 0; tap < taps.length; tap += 1) sum += (source[from + tap] ?? 0) * (taps[tap] ?? 0)
  return sum
}

/** Returns one set of taps for each phase, each with unity gain for a constant signal. */
function filterBank(
  ratio: number,
  up: number,
): { readonly half: number; readonly phases: readonly Float32Array[] } {
  const half = Math.ceil(CROSSINGS / ratio)
  const cutoff = ratio * CUTOFF
  const phases = Array.from({ length: up }, (_, phase) => {
    const taps = Float32Array.from({ length: 2 * half }, (_tap, index) => {
      const distance = index - (half - 1) - phase / up
      return sinc(distance * cutoff) * kaiser(distance / half)
    })
    const gain = taps.reduce((sum, tap) => sum + tap, 0)
    return taps.map((tap) => tap / gain)
  })
  return { half, phases }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** Returns the Kaiser window at `x`, from −1 to 1. */
function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA)
}

/** Returns the modified Bessel function of the first kind, order zero. */
function bessel(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
