/**
 * Power spectrum of the last 32 ms, every 20 ms: a 256-point real FFT, computed as a complex one of half the
 * size. All buffers are allocated once.
 */
export const FRAME_SAMPLES = 160
export const FRAME_MS = 20
export const SAMPLE_RATE = 8000

const SIZE = 256
const HALF = SIZE / 2
export const BINS = HALF
export const BIN_HZ = SAMPLE_RATE / SIZE

const FULL_SCALE = 32_768

export class Spectrum {
  /** Mean square in each bin relative to full scale. A full-scale sine has ½ around its bin. */
  readonly power = new Float64Array(BINS)
  readonly #recent = new Float64Array(SIZE)
  readonly #window = new Float64Array(SIZE)
  readonly #real = new Float64Array(HALF)
  readonly #imaginary = new Float64Array(HALF)
  readonly #cosine = new Float64Array(HALF)
  readonly #sine = new Float64Array(HALF)
  readonly #scale: number

  constructor() {
    let windowPower = 0
    for (let i = 0; i < SIZE; i++) {
      const weight = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / SIZE)
      this.#window[i] = weight / FULL_SCALE
      windowPower += weight * weight
    }
    for (let i = 0; i < HALF; i++) {
      this.#cosine[i] = Math.cos((2 * Math.PI * i) / SIZE)
      this.#sine[i] = -Math.sin((2 * Math.PI * i) / SIZE)
    }
    this.#scale = 2 / (SIZE * windowPower)
  }

  /** Handles a frame of 16-bit samples; the spectrum is then in `power`. */
  onFrame(frame: Int16Array): void {
    this.#recent.copyWithin(0, FRAME_SAMPLES)
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      this.#recent[SIZE - FRAME_SAMPLES + i] = frame[i] ?? 0
    }
    this.#load()
    this.#transform()
    this.#unpack()
  }

  /** Loads even samples as real parts and odd ones as imaginary parts, in bit-reversed order. */
  #load(): void {
    const recent = this.#recent
    const window = this.#window
    let reversed = 0
    for (let i = 0; i < HALF; i++) {
      const even = 2 * i
      this.#real[reversed] = (recent[even] ?? 0) * (window[even] ?? 0)
      this.#imaginary[reversed] = (recent[even + 1] ?? 0) * (window[even + 1] ?? 0)
      let bit = HALF >> 1
      while ((reversed & bit) !== 0) {
        reversed ^= bit
        bit >>= 1
      }
      reversed |= bit
    }
  }

  #transform(): void {
    const re = this.#real
    const im = this.#imaginary
    for (let span = 1; span < HALF; span <<= 1) {
      const stride = HALF / span
      for (let k = 0; k < span; k++) {
        const cos = this.#cosine[k * stride] ?? 0
        const sin = this.#sine[k * stride] ?? 0
        for (let a = k; a < HALF; a += span << 1) {
          const b = a + span
          const reB = re[b] ?? 0
          const imB = im[b] ?? 0
          const x = reB * cos - imB * sin
          const y = reB * sin + imB * cos
          const reA = re[a] ?? 0
          const imA = im[a] ?? 0
          re[b] = reA - x
          im[b] = imA - y
          re[a] = reA + x
          im[a] = imA + y
        }
      }
    }
  }

  #unpack(): void {
    const re = this.#real
    const im = this.#imaginary
    for (let k = 1; k < HALF; k++) {
      const mirror = HALF - k
      const evenRe = ((re[k] ?? 0) + (re[mirror] ?? 0)) / 2
      const evenIm = ((im[k] ?? 0) - (im[mirror] ?? 0)) / 2
      const oddRe = ((im[k] ?? 0) + (im[mirror] ?? 0)) / 2
      const oddIm = ((re[mirror] ?? 0) - (re[k] ?? 0)) / 2
      const cos = this.#cosine[k] ?? 0
      const sin = this.#sine[k] ?? 0
      const x = evenRe + oddRe * cos - oddIm * sin
      const y = evenIm + oddRe * sin + oddIm * cos
      this.power[k] = (x * x + y * y) * this.#scale
    }
  }
}

/**
 * Returns the offset of a peak from the middle of its bin, −½ to ½ of a bin, from the parabola through the
 * logarithms of its power and its neighbours'.
 */
export function peakShift(left: number, middle: number, right: number): number {
  const below = Math.log(left + 1e-15)
  const above = Math.log(right + 1e-15)
  const curve = below - 2 * Math.log(middle + 1e-15) + above
  return curve < 0 ? Math.max(-0.5, Math.min(0.5, (below - above) / (2 * curve))) : 0
}
