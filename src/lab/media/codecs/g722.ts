/**
 * G.722 at 64 kbit/s, its lower sub-band alone: the ADPCM of ITU-T G.722 §3 (blocks by their numbers
 * there). That band is what 8 kHz audio fills, and one byte stands for one of its samples, so a packet has
 * as many bytes as one of G.711 (RFC 3551 §4.5.2). A peer's upper band is not decoded, and ours is silent.
 */

/** The steps of the logarithmic scale factor (block 3L). */
const SCALE_STEPS = Int16Array.of(-60, -30, 58, 172, 334, 538, 1198, 3042)
const STEP_OF_CODE = Uint8Array.of(0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0)
const ANTILOG = Int16Array.of(
  ...[2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714],
  ...[2774, 2834, 2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676],
  ...[3756, 3838, 3922, 4008],
)
/** The inverse quantizers of four and of six bits (blocks 2L and 5L). */
const INVERSE_4 = Int16Array.of(
  ...[0, -20456, -12896, -8968, -6288, -4240, -2584, -1200],
  ...[20456, 12896, 8968, 6288, 4240, 2584, 1200, 0],
)
const INVERSE_6 = Int16Array.of(
  ...[-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192],
  ...[-10232, -9360, -8576, -7856, -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576],
  ...[-3168, -2776, -2400, -2032, -1688, -1360, -1040, -728, 24808, 21904, 19008, 16704],
  ...[14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456, 4944, 4464],
  ...[4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136],
)
/** The decision levels of the quantizer, and the codes of its intervals by sign (block 1L). */
const LEVELS = Int16Array.of(
  ...[0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858],
  ...[940, 1023, 1121, 1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919],
)
const NEGATIVE_CODES = Uint8Array.of(
  ...[0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13],
  ...[12, 11, 10, 9, 8, 7, 6, 5, 4],
)
const POSITIVE_CODES = Uint8Array.of(
  ...[0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41],
  ...[40, 39, 38, 37, 36, 35, 34, 33, 32],
)
const MAX_SCALE = 18_432
const FIRST_STEP = 32
/** The two upper-band bits that encode silence. */
const SILENT_UPPER_BAND = 0xc0

/** Predictor and scale factor of one stream in one direction. */
class LowBand {
  #predicted = 0
  #zeroPart = 0
  #scale = 0
  #step = FIRST_STEP
  /** The reconstructed signal before, the poles and what they go by; the differences and the zeros. */
  #r1 = 0
  #a1 = 0
  #a2 = 0
  #p1 = 0
  #p2 = 0
  readonly #d = new Int32Array(7)
  readonly #b = new Int32Array(7)

  /** Returns the sample that a six-bit code stands for. */
  decode(code: number): number {
    const sample = this.#predicted + ((this.#step * (INVERSE_6[code & 0x3f] ?? 0)) >> 15)
    this.#adapt((code & 0x3f) >> 2)
    return Math.max(-16_384, Math.min(16_383, sample)) << 1
  }

  /** Returns the six-bit code of a sample. */
  encode(sample: number): number {
    const difference = clip((sample >> 1) - this.#predicted)
    const size = difference >= 0 ? difference : -(difference + 1)
    let interval = 1
    while (interval < 30 && size >= ((LEVELS[interval] ?? 0) * this.#step) >> 12) interval++
    const code = (difference < 0 ? NEGATIVE_CODES : POSITIVE_CODES)[interval] ?? 0
    this.#adapt(code >> 2)
    return code
  }

  #adapt(code: number): void {
    const difference = (this.#step * (INVERSE_4[code] ?? 0)) >> 15
    const scale = ((this.#scale * 127) >> 7) + (SCALE_STEPS[STEP_OF_CODE[code] ?? 0] ?? 0)
    this.#scale = Math.max(0, Math.min(MAX_SCALE, scale))
    const mantissa = ANTILOG[(this.#scale >> 6) & 31] ?? 0
    const shift = 8 - (this.#scale >> 11)
    this.#step = (shift < 0 ? mantissa << -shift : mantissa >> shift) << 2
    this.#predict(difference)
  }

  /** Block 4L: adapts the predictor to the difference and predicts the next sample. */
  #predict(difference: number): void {
    const p0 = clip(this.#zeroPart + difference)
    const r0 = clip(this.#predicted + difference)
    this.#adaptPoles(p0)
    this.#adaptZeros(difference)
    const poles = (this.#a1 * clip(2 * r0)) >> 15
    const olderPoles = (this.#a2 * clip(2 * this.#r1)) >> 15
    this.#r1 = r0
    this.#predicted = clip(clip(poles + olderPoles) + this.#zeroPart)
  }

  #adaptPoles(p0: number): void {
    const isAsBefore = p0 < 0 === this.#p1 < 0
    const isAsTwoBefore = p0 < 0 === this.#p2 < 0
    const first = clip(this.#a1 << 2)
    const a2 =
      (Math.min(32_767, isAsBefore ? -first : first) >> 7) +
      (isAsTwoBefore ? 128 : -128) +
      ((this.#a2 * 32_512) >> 15)
    this.#a2 = Math.max(-12_288, Math.min(12_288, a2))
    const bound = clip(15_360 - this.#a2)
    const a1 = clip((isAsBefore ? 192 : -192) + ((this.#a1 * 32_640) >> 15))
    this.#a1 = Math.max(-bound, Math.min(bound, a1))
    this.#p2 = this.#p1
    this.#p1 = p0
  }

  #adaptZeros(difference: number): void {
    const d = this.#d
    const b = this.#b
    const gain = difference === 0 ? 0 : 128
    d[0] = difference
    let sum = 0
    for (let i = 6; i > 0; i--) {
      const isSameSign = (d[i] ?? 0) < 0 === difference < 0
      b[i] = clip((isSameSign ? gain : -gain) + (((b[i] ?? 0) * 32_640) >> 15))
    }
    for (let i = 6; i > 0; i--) {
      d[i] = d[i - 1] ?? 0
      sum += ((b[i] ?? 0) * clip(2 * (d[i] ?? 0))) >> 15
    }
    this.#zeroPart = clip(sum)
  }
}

function clip(value: number): number {
  return value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value
}

export class G722Decoder {
  readonly #band = new LowBand()

  /** Writes one sample for each byte between `start` and `end`. */
  decode(packet: Uint8Array, start: number, end: number, into: Int16Array): void {
    for (let at = start; at < end; at++) into[at - start] = this.#band.decode(packet[at] ?? 0)
  }
}

export class G722Encoder {
  readonly #band = new LowBand()

  /** Writes one byte for each of the first `count` samples. */
  encode(samples: Int16Array, into: Uint8Array, offset: number, count: number): void {
    for (let i = 0; i < count; i++)
      into[offset + i] = SILENT_UPPER_BAND | this.#band.encode(samples[i] ?? 0)
  }
}
