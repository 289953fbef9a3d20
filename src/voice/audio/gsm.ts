/** Reads GSM 06.10 full-rate speech: headerless files, and the data of WAV files of format 49. */
import type { AudioBlock } from './audio-block.js'
import { gsmFrames, gsmPairFrames } from './gsm-frame.js'

const RATE = 8000

const GSM_SAMPLES = 160
const SUBFRAME = 40
const SUBFRAME_PARAMETERS = 17
const RATIOS = 8
/** Maximum pitch lag in samples. */
const HISTORY = 120

/** Long-term gain (table 5.3b). */
const PITCH_GAIN = [3277, 11_469, 21_299, 32_767]
/** Mantissa of the block's amplitude (table 5.6). */
const AMPLITUDE = [18_431, 20_479, 22_527, 24_575, 26_623, 28_671, 30_719, 32_767]
/** Offset B, least coded value and 1/A of each log area ratio (tables 5.1 and 5.2). */
const RATIO_CODING = [
  [0, -32, 13_107],
  [0, -32, 13_107],
  [2048, -16, 13_107],
  [-2560, -16, 13_107],
  [94, -8, 19_223],
  [-1792, -8, 17_476],
  [-341, -4, 31_454],
  [-1144, -4, 29_708],
] as const
const DEEMPHASIS = 28_180

interface GsmDecoder {
  /** Decodes one frame. The returned array is reused. */
  decode(parameters: Int16Array): Int16Array
}

/**
 * Interpolation of the last and the current frame's ratios, and the samples that each step applies to
 * (§5.2.9.1).
 */
const GLIDE = [
  { from: 0, to: 13, mix: (a: number, b: number) => add(add(a >> 2, b >> 2), a >> 1) },
  { from: 13, to: 27, mix: (a: number, b: number) => add(a >> 1, b >> 1) },
  { from: 27, to: 40, mix: (a: number, b: number) => add(add(a >> 2, b >> 2), b >> 1) },
  { from: 40, to: GSM_SAMPLES, mix: (_a: number, b: number) => b },
] as const

export const readGsm = (file: Uint8Array): Generator<AudioBlock> => decoded(gsmFrames(file), RATE)

export const readGsmPairs = (data: Uint8Array, rate: number): Generator<AudioBlock> =>
  decoded(gsmPairFrames(data), rate)

function* decoded(frames: Iterable<Int16Array>, rate: number): Generator<AudioBlock> {
  const decoder = createGsmDecoder()
  for (const frame of frames) {
    const samples = new Float32Array(GSM_SAMPLES)
    for (const [index, sample] of decoder.decode(frame).entries()) samples[index] = sample / 32_768
    yield { rate, samples }
  }
}

/**
 * Returns a GSM 06.10 full-rate decoder (ETSI EN 300 961 §5.3): from parameters to 160 samples of 16 bits. It
 * has three stages, each with its own state: excitation pulses, long-term pitch, and the filter of the vocal
 * tract.
 */
function createGsmDecoder(): GsmDecoder {
  const excite = createExcitation()
  const shape = createMouth()
  const output = new Int16Array(GSM_SAMPLES)
  let last = 0
  return {
    decode: (parameters) => {
      for (let part = 0; part < GSM_SAMPLES / SUBFRAME; part += 1)
        output.set(excite(parameters, RATIOS + part * SUBFRAME_PARAMETERS), part * SUBFRAME)
      shape(parameters, output)
      for (let index = 0; index < GSM_SAMPLES; index += 1) {
        last = add(output[index] ?? 0, multiply(last, DEEMPHASIS))
        // The samples are upscaled and truncated to 13 bits (§5.3.7).
        output[index] = add(last, last) & ~7
      }
      return output
    },
  }
}

/** Adds the sub-frame's pulses to the audio of one pitch period ago (§5.3.1 and §5.3.2). */
function createExcitation(): (parameters: Int16Array, at: number) => Int16Array {
  const heard = new Int16Array(HISTORY + SUBFRAME)
  let lag = SUBFRAME
  return (parameters, at) => {
    const [coded = 0, gain = 0] = parameters.subarray(at, at + 2)
    if (coded >= SUBFRAME && coded <= HISTORY) lag = coded
    const factor = PITCH_GAIN[gain] ?? 0
    heard.copyWithin(0, SUBFRAME)
    const now = heard.subarray(HISTORY)
    now.fill(0)
    placePulses(parameters, at + 2, now)
    for (let index = 0; index < SUBFRAME; index += 1)
      now[index] = add(now[index] ?? 0, multiply(factor, heard[HISTORY + index - lag] ?? 0))
    return now
  }
}

/** Places 13 pulses, every third sample from the grid's position (the inverse of §5.2.15 and §5.2.16). */
function placePulses(parameters: Int16Array, at: number, to: Int16Array): void {
  const [grid = 0, block = 0] = parameters.subarray(at, at + 2)
  const { exponent, mantissa } = amplitudeOf(block)
  const shift = 6 - exponent
  const half = shift === 0 ? 0 : 1 << (shift - 1)
  for (let pulse = 0; pulse < 13; pulse += 1) {
    const coded = ((parameters[at + 2 + pulse] ?? 0) * 2 - 7) << 12
    to[grid + 3 * pulse] = add(multiply(AMPLITUDE[mantissa] ?? 0, coded), half) >> shift
  }
}

function amplitudeOf(block: number): { readonly exponent: number; readonly mantissa: number } {
  let exponent = block > 15 ? (block >> 3) - 1 : 0
  let mantissa = block - (exponent << 3)
  if (mantissa === 0) return { exponent: -4, mantissa: 7 }
  for (; mantissa <= 7; exponent -= 1) mantissa = mantissa * 2 + 1
  return { exponent, mantissa: mantissa - 8 }
}

/**
 * Returns the lattice filter, which interpolates from the last frame's coefficients to the current ones
 * (§5.3.3 to §5.3.6).
 */
function createMouth(): (parameters: Int16Array, samples: Int16Array) => void {
  const state = new Int16Array(RATIOS + 1)
  let before: Int16Array = new Int16Array(RATIOS)
  return (parameters, samples) => {
    const now = logAreaRatios(parameters)
    for (const { from, to, mix } of GLIDE) {
      const reflections = now.map((ratio, index) => reflectionOf(mix(before[index] ?? 0, ratio)))
      filter(samples.subarray(from, to), reflections, state)
    }
    before = now
  }
}

function logAreaRatios(parameters: Int16Array): Int16Array {
  const ratios = new Int16Array(RATIOS)
  for (const [index, [offset, least, inverse]] of RATIO_CODING.entries()) {
    const coded = ((parameters[index] ?? 0) + least) << 10
    const scaled = multiply(inverse, add(coded, -2 * offset))
    ratios[index] = add(scaled, scaled)
  }
  return ratios
}

/** Returns the reflection coefficient of a ratio: piecewise linear and symmetrical (§5.2.9.2). */
function reflectionOf(ratio: number): number {
  const size = Math.min(32_767, Math.abs(ratio))
  const reflection =
    size < 11_059 ? size * 2 : size < 20_070 ? size + 11_059 : add(size >> 2, 26_112)
  return ratio < 0 ? -reflection : reflection
}

function filter(samples: Int16Array, reflections: Int16Array, state: Int16Array): void {
  for (let n = 0; n < samples.length; n += 1) {
    let sample = samples[n] ?? 0
    for (let stage = RATIOS - 1; stage >= 0; stage -= 1) {
      const reflection = reflections[stage] ?? 0
      const stored = state[stage] ?? 0
      sample = add(sample, -multiply(reflection, stored))
      state[stage + 1] = add(stored, multiply(reflection, sample))
    }
    state[0] = sample
    samples[n] = sample
  }
}

/** Adds 16-bit numbers with saturation (`add` of GSM 06.10 §5.1). */
function add(a: number, b: number): number {
  const sum = a + b
  return sum > 32_767 ? 32_767 : sum < -32_768 ? -32_768 : sum
}

/** Multiplies two 16-bit fractions with rounding (`mult_r` of GSM 06.10 §5.1). */
function multiply(a: number, b: number): number {
  return a === -32_768 && b === -32_768 ? 32_767 : (a * b + 16_384) >> 15
}
