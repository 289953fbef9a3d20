/** Makes sines by recurrence: y[n] = 2 cos(ω) y[n−1] − y[n−2]; two multiplications a sample. */
import { SAMPLE_RATE } from './frame.js'

interface Oscillator {
  readonly coefficient: number
  before: number
  last: number
}

export class ToneGenerator {
  #oscillators: Oscillator[] = []

  /** Starts tones of amplitude 1 at phase 0; frequencies in Hz. */
  start(frequencies: readonly number[]): void {
    this.#oscillators = frequencies.map((hz) => {
      const omega = (2 * Math.PI * hz) / SAMPLE_RATE
      return { coefficient: 2 * Math.cos(omega), before: -Math.sin(omega), last: 0 }
    })
  }

  /** Returns the next sample: the sum of the tones. */
  next(): number {
    let sum = 0
    for (const oscillator of this.#oscillators) {
      sum += oscillator.last
      const following = oscillator.coefficient * oscillator.last - oscillator.before
      oscillator.before = oscillator.last
      oscillator.last = following
    }
    return sum
  }
}

/** The two tones of each key, low group first (ITU-T Q.23). */
export const KEY_TONES: Readonly<Record<string, readonly [number, number]>> = {
  '1': [697, 1209],
  '2': [697, 1336],
  '3': [697, 1477],
  A: [697, 1633],
  '4': [770, 1209],
  '5': [770, 1336],
  '6': [770, 1477],
  B: [770, 1633],
  '7': [852, 1209],
  '8': [852, 1336],
  '9': [852, 1477],
  C: [852, 1633],
  '*': [941, 1209],
  '0': [941, 1336],
  '#': [941, 1477],
  D: [941, 1633],
}
