/**
 * Resamples any rate to 8 kHz by a windowed sinc. Samples are pushed one by one, and each push
 * yields the output samples that are now complete. Kernels are computed once for each phase of the
 * ratio.
 */
import { clip16, SAMPLE_RATE } from './frame.js'

/** The zero crossings of the sinc on each side. */
const LOBES = 8
/** The passband edge, as a share of half the lower rate: frequencies above it would fold back. */
const CUTOFF = 0.92

export class Resampler {
  readonly #step: number
  readonly #phases: number
  readonly #kernels: readonly Float32Array[]
  readonly #history: Float32Array
  #next = 0
  /** The input samples before the next output sample's kernel is full, in units of 1/phases. */
  #owed: number

  constructor(inputRate: number) {
    const divisor = greatestCommonDivisor(inputRate, SAMPLE_RATE)
    this.#phases = SAMPLE_RATE / divisor
    this.#step = inputRate / divisor
    const scale = Math.max(1, inputRate / SAMPLE_RATE)
    const reach = Math.ceil(LOBES * scale)
    this.#history = new Float32Array(2 * reach + 1)
    this.#kernels = Array.from({ length: this.#phases }, (_, phase) =>
      createKernel(reach, phase / this.#phases, scale),
    )
    this.#owed = (reach + 1) * this.#phases
  }

  /** True when the next output sample needs more input first. */
  get isHungry(): boolean {
    return this.#owed >= this.#phases
  }

  push(sample: number): void {
    this.#history[this.#next] = sample
    this.#next = (this.#next + 1) % this.#history.length
    this.#owed -= this.#phases
  }

  /** Returns the next output sample; call it only while `isHungry` is false. */
  pull(): number {
    const kernel = this.#kernels[this.#owed]
    const length = this.#history.length
    let sum = 0
    let at = this.#next
    for (let i = 0; i < length; i++) {
      sum += (this.#history[at] ?? 0) * (kernel?.[i] ?? 0)
      if (++at === length) at = 0
    }
    this.#owed += this.#step
    return clip16(Math.round(sum))
  }
}

/** The weights for an output sample that lies `fraction` of an input sample after the window's middle. */
function createKernel(reach: number, fraction: number, scale: number): Float32Array {
  const kernel = new Float32Array(2 * reach + 1)
  let total = 0
  for (let i = 0; i < kernel.length; i++) {
    const distance = (i - reach - fraction) / scale
    const weight = sinc(distance * CUTOFF) * hann(distance / LOBES)
    kernel[i] = weight
    total += weight
  }
  return kernel.map((weight) => weight / total)
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function hann(x: number): number {
  return Math.abs(x) >= 1 ? 0 : 0.5 + 0.5 * Math.cos(Math.PI * x)
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
