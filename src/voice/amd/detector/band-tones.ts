/**
 * Detects sounds of two close tones, which no single peak shows: the dial tone (350 and 440 Hz) and the flags
 * of a fax (ITU-T V.21 channel 2, 1650 and 1850 Hz), which some machines send without a preceding answer
 * tone.
 */
import { BIN_HZ, FRAME_MS } from './spectrum.js'

export type BandToneName = 'dial-tone' | 'fax-preamble'

/** The band that is compared with the tones, 250–3375 Hz. */
const ALL = { from: 8, to: 108 }
const AUDIBLE = 3e-6

interface Pattern {
  readonly name: BandToneName
  /** Bins of the lower and the upper tone, and those between, which must be weak. */
  readonly lower: Bins
  readonly upper: Bins
  readonly between: Bins
  /**
   * Minimum shares of the power: both tones in a frame, and each one on average; `betweenMean` is a maximum.
   */
  readonly both: number
  readonly lowerMean: number
  readonly upperMean: number
  readonly betweenMean: number
  /** Mean bins of the tones if each is one sine, within half a bin. */
  readonly centres: { readonly lower: number; readonly upper: number } | undefined
  readonly frames: number
}

interface Bins {
  readonly from: number
  readonly to: number
}

const PATTERNS: readonly Pattern[] = [
  {
    name: 'dial-tone',
    lower: { from: 9, to: 12 },
    upper: { from: 13, to: 16 },
    between: { from: 12, to: 13 },
    both: 0.8,
    lowerMean: 0.2,
    upperMean: 0.2,
    betweenMean: 0.35,
    centres: { lower: 350 / BIN_HZ, upper: 440 / BIN_HZ },
    frames: 800 / FRAME_MS,
  },
  {
    name: 'fax-preamble',
    lower: { from: 50, to: 55 },
    upper: { from: 57, to: 62 },
    between: { from: 55, to: 57 },
    both: 0.7,
    lowerMean: 0.25,
    upperMean: 0.12,
    betweenMean: 0.4,
    centres: undefined,
    frames: 340 / FRAME_MS,
  },
]
/** Maximum distance of a tone's centre from its frequency, in bins. */
const CENTRE_BINS = 0.5
/** Maximum number of consecutive frames in a run that do not match. */
const MAX_MISSES = 1

class Run {
  frames = 0
  misses = 0
  lower = 0
  upper = 0
  between = 0
  lowerCentre = 0
  upperCentre = 0
  isNamed = false

  reset(): void {
    this.frames = 0
    this.misses = 0
    this.lower = 0
    this.upper = 0
    this.between = 0
    this.lowerCentre = 0
    this.upperCentre = 0
    this.isNamed = false
  }
}

export class BandTones {
  /** Frames of the last named tone. */
  frames = 0
  readonly #runs = PATTERNS.map((pattern) => ({ pattern, run: new Run() }))

  /** Returns the name of a tone once, when it has lasted long enough. */
  onFrame(power: Float64Array): BandToneName | undefined {
    const total = sum(power, ALL)
    let name: BandToneName | undefined
    for (const { pattern, run } of this.#runs) {
      extend(run, pattern, power, total)
      if (run.isNamed || !isPattern(run, pattern)) continue
      run.isNamed = true
      this.frames = run.frames
      name = pattern.name
    }
    return name
  }
}

function extend(run: Run, pattern: Pattern, power: Float64Array, total: number): void {
  const lower = sum(power, pattern.lower)
  const upper = sum(power, pattern.upper)
  if (total < AUDIBLE || lower + upper < pattern.both * total) {
    if (++run.misses > MAX_MISSES) run.reset()
    return
  }
  run.misses = 0
  run.frames++
  run.lower += lower / total
  run.upper += upper / total
  run.between += sum(power, pattern.between) / total
  run.lowerCentre += centre(power, pattern.lower)
  run.upperCentre += centre(power, pattern.upper)
}

function isPattern(run: Run, pattern: Pattern): boolean {
  return (
    run.frames >= pattern.frames &&
    run.lower >= pattern.lowerMean * run.frames &&
    run.upper >= pattern.upperMean * run.frames &&
    run.between <= pattern.betweenMean * run.frames &&
    isCentred(run, pattern)
  )
}

function isCentred({ frames, lowerCentre, upperCentre }: Run, { centres }: Pattern): boolean {
  if (centres === undefined) return true
  return (
    Math.abs(lowerCentre / frames - centres.lower) <= CENTRE_BINS &&
    Math.abs(upperCentre / frames - centres.upper) <= CENTRE_BINS
  )
}

/** Returns the power-weighted mean bin. */
function centre(power: Float64Array, { from, to }: Bins): number {
  let all = 1e-12
  let weighted = 0
  for (let k = from; k <= to; k++) {
    all += power[k] ?? 0
    weighted += k * (power[k] ?? 0)
  }
  return weighted / all
}

function sum(power: Float64Array, { from, to }: Bins): number {
  let all = 0
  for (let k = from; k <= to; k++) all += power[k] ?? 0
  return all
}
