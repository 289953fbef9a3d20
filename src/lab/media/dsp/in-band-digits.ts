/**
 * Finds keys in the audio and reports each once, when it is released (ITU-T Q.23, Q.24). The audio
 * is examined in blocks of 12.75 ms, of which a key of 40 ms fills two wherever it begins. A block
 * holds a key when one low and one high tone stand out of their groups, are about equally loud, and
 * hold nearly all the energy. Speech rarely does that, and not in two blocks with the same levels.
 */
import { SAMPLE_RATE, SAMPLES_PER_MS } from './frame.js'

/**
 * The samples of a block. Its bins of 78 Hz keep the tones of a group apart and tolerate 1.5 % of
 * error.
 */
const BLOCK_SAMPLES = 102
const LOW = [697, 770, 852, 941]
const HIGH = [1209, 1336, 1477, 1633]
const KEYS = ['123A', '456B', '789C', '*0#D']
/** The least amplitude of a key's tone: −42 dBm0. */
const MIN_AMPLITUDE = 181
const MIN_POWER = (MIN_AMPLITUDE * BLOCK_SAMPLES * 0.5) ** 2
/** The largest power ratio between the two tones: 8 dB, either may be the louder. */
const MAX_TWIST = 6.3
/** Minimum ratio of a tone's power to that of the other tones in its group. */
const MIN_PROMINENCE = 6.3
/** The least share of a block's energy that the two tones have. */
const MIN_SHARE = 0.75
/** The largest change of either tone's power from one block to the next. */
const MAX_CHANGE = 2
/** Maximum number of blocks without the key; a break of about 10 ms still belongs to the same key. */
const MAX_GAP_BLOCKS = 2

export type ReportDigit = (digit: string, durationMs: number) => void

class Tone {
  readonly coefficient: number
  power = 0
  #last = 0
  #before = 0

  constructor(hz: number) {
    this.coefficient = 2 * Math.cos((2 * Math.PI * hz) / SAMPLE_RATE)
  }

  push(sample: number): void {
    const next = sample + this.coefficient * this.#last - this.#before
    this.#before = this.#last
    this.#last = next
  }

  /** Leaves the squared magnitude of the block in `power`, and begins the next block. */
  close(): void {
    const { coefficient } = this
    this.power = this.#last ** 2 + this.#before ** 2 - coefficient * this.#last * this.#before
    this.#last = 0
    this.#before = 0
  }
}

/** The key of one block of audio, if the block holds one, with the power of its two tones. */
interface BlockKey {
  readonly key: string | undefined
  readonly lowPower: number
  readonly highPower: number
}

const NO_KEY: BlockKey = { key: undefined, lowPower: 0, highPower: 0 }

export class InBandDigits {
  readonly #lows = LOW.map((hz) => new Tone(hz))
  readonly #highs = HIGH.map((hz) => new Tone(hz))
  readonly #held: HeldKey
  #blockSamples = 0
  #blockEnergy = 0
  #before = NO_KEY

  constructor(report: ReportDigit) {
    this.#held = new HeldKey(report)
  }

  push(samples: Int16Array): void {
    for (const sample of samples) {
      for (const tone of this.#lows) tone.push(sample)
      for (const tone of this.#highs) tone.push(sample)
      this.#blockEnergy += sample * sample
      if (++this.#blockSamples === BLOCK_SAMPLES) this.#onBlock()
    }
  }

  /** Reports a key that is still held, because no more audio follows. */
  end(): void {
    this.#held.release()
  }

  #onBlock(): void {
    const block = this.#readBlock()
    const before = this.#before
    const isSteady =
      block.key !== undefined &&
      block.key === before.key &&
      isNear(block.lowPower, before.lowPower) &&
      isNear(block.highPower, before.highPower)
    this.#held.follow(block.key, isSteady)
    this.#before = block
    this.#blockSamples = 0
    this.#blockEnergy = 0
  }

  #readBlock(): BlockKey {
    const low = strongest(this.#lows)
    const high = strongest(this.#highs)
    const lowPower = this.#lows[low]?.power ?? 0
    const highPower = this.#highs[high]?.power ?? 0
    const isKey =
      isPair(lowPower, highPower) &&
      isProminent(this.#lows, low) &&
      isProminent(this.#highs, high) &&
      lowPower + highPower >= (MIN_SHARE * this.#blockEnergy * BLOCK_SAMPLES) / 2
    return isKey ? { key: KEYS[low]?.[high], lowPower, highPower } : NO_KEY
  }
}

/** Tracks a held key from block to block and reports it once it is released. */
class HeldKey {
  readonly #report: ReportDigit
  #key: string | undefined
  /** The number of blocks that have held the key. */
  #blocks = 0
  /** Number of consecutive blocks without the key. */
  #missed = 0

  constructor(report: ReportDigit) {
    this.#report = report
  }

  follow(key: string | undefined, isSteady: boolean): void {
    if (this.#key !== undefined && key === this.#key) {
      this.#blocks += 1 + this.#missed
      this.#missed = 0
      return
    }
    if (this.#key !== undefined && (isSteady || ++this.#missed >= MAX_GAP_BLOCKS)) this.release()
    if (this.#key !== undefined || !isSteady) return
    this.#key = key
    this.#blocks = 2
    this.#missed = 0
  }

  release(): void {
    const key = this.#key
    this.#key = undefined
    if (key !== undefined)
      this.#report(key, Math.round((this.#blocks * BLOCK_SAMPLES) / SAMPLES_PER_MS))
  }
}

/** Returns the index of the strongest tone; closes the block of each. */
function strongest(tones: readonly Tone[]): number {
  let best = 0
  for (const [index, tone] of tones.entries()) {
    tone.close()
    if (tone.power > (tones[best]?.power ?? 0)) best = index
  }
  return best
}

function isProminent(tones: readonly Tone[], index: number): boolean {
  const power = tones[index]?.power ?? 0
  return tones.every((tone, other) => other === index || tone.power * MIN_PROMINENCE <= power)
}

/** True when both tones are loud enough, and about as loud as each other. */
function isPair(low: number, high: number): boolean {
  return low >= MIN_POWER && high >= MIN_POWER && low <= high * MAX_TWIST && high <= low * MAX_TWIST
}

function isNear(power: number, before: number): boolean {
  return power <= before * MAX_CHANGE && before <= power * MAX_CHANGE
}
