/**
 * Keys in the audio → digits, each once, when it is let go (ITU-T Q.23, Q.24). The audio is looked at
 * in blocks of 12.75 ms, of which a key of 40 ms fills two wherever it begins. A block holds a key when
 * one low and one high tone stand out of their groups, are about equally loud, and are nearly all that
 * is heard: speech rarely is, and not in two blocks with the same levels.
 */
import { SAMPLE_RATE, SAMPLES_PER_MS } from './frame.js'

/** Bins of 78 Hz: the tones of a group are far enough apart, and 1.5 % off is still near enough. */
const BLOCK_SAMPLES = 102
const LOW = [697, 770, 852, 941]
const HIGH = [1209, 1336, 1477, 1633]
const KEYS = ['123A', '456B', '789C', '*0#D']
/** Amplitude of a tone at −42 dBm0, fainter than which nothing is a key. */
const MIN_AMPLITUDE = 181
const MIN_POWER = (MIN_AMPLITUDE * BLOCK_SAMPLES * 0.5) ** 2
/** Between the two tones: 8 dB, either may be the louder. */
const MAX_TWIST = 6.3
/** Over the other tones of its group. */
const MIN_PROMINENCE = 6.3
/** Of a block's energy in the two tones. */
const MIN_SHARE = 0.75
/** From one block to the next, of either tone. */
const MAX_CHANGE = 2
/** A break in one block, of 10 ms or so, leaves it one key. */
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

  /** Leaves the squared magnitude of the block in `power`, and begins the next one. */
  close(): void {
    const { coefficient } = this
    this.power = this.#last ** 2 + this.#before ** 2 - coefficient * this.#last * this.#before
    this.#last = 0
    this.#before = 0
  }
}

export class InBandDigits {
  readonly #report: ReportDigit
  readonly #tones = { low: LOW.map((hz) => new Tone(hz)), high: HIGH.map((hz) => new Tone(hz)) }
  readonly #block = { samples: 0, energy: 0 }
  /** What the block before held. */
  readonly #before = { key: undefined as string | undefined, low: 0, high: 0 }
  /** The key that is down, since how many blocks, and how many of the last ones did not hold it. */
  readonly #held = { key: undefined as string | undefined, blocks: 0, missed: 0 }

  constructor(report: ReportDigit) {
    this.#report = report
  }

  push(samples: Int16Array): void {
    for (const sample of samples) {
      for (const tone of this.#tones.low) tone.push(sample)
      for (const tone of this.#tones.high) tone.push(sample)
      this.#block.energy += sample * sample
      if (++this.#block.samples === BLOCK_SAMPLES) this.#onBlock()
    }
  }

  /** Reports what is held: no more audio comes. */
  end(): void {
    this.#release()
  }

  #onBlock(): void {
    const low = strongest(this.#tones.low)
    const high = strongest(this.#tones.high)
    const key = this.#isKey(low, high) ? KEYS[low]?.[high] : undefined
    const lowPower = this.#tones.low[low]?.power ?? 0
    const highPower = this.#tones.high[high]?.power ?? 0
    const before = this.#before
    const isSteady =
      key !== undefined &&
      key === before.key &&
      isNear(lowPower, before.low) &&
      isNear(highPower, before.high)
    this.#follow(key, isSteady)
    before.key = key
    before.low = lowPower
    before.high = highPower
    this.#block.samples = 0
    this.#block.energy = 0
  }

  #follow(key: string | undefined, isSteady: boolean): void {
    const held = this.#held
    if (held.key !== undefined && key === held.key) {
      held.blocks += 1 + held.missed
      held.missed = 0
      return
    }
    if (held.key !== undefined && (isSteady || ++held.missed >= MAX_GAP_BLOCKS)) this.#release()
    if (held.key !== undefined || !isSteady) return
    held.key = key
    held.blocks = 2
    held.missed = 0
  }

  #release(): void {
    const { key, blocks } = this.#held
    this.#held.key = undefined
    if (key !== undefined) this.#report(key, Math.round((blocks * BLOCK_SAMPLES) / SAMPLES_PER_MS))
  }

  #isKey(low: number, high: number): boolean {
    const lowPower = this.#tones.low[low]?.power ?? 0
    const highPower = this.#tones.high[high]?.power ?? 0
    const both = lowPower + highPower
    return (
      lowPower >= MIN_POWER &&
      highPower >= MIN_POWER &&
      lowPower <= highPower * MAX_TWIST &&
      highPower <= lowPower * MAX_TWIST &&
      isProminent(this.#tones.low, low) &&
      isProminent(this.#tones.high, high) &&
      both >= (MIN_SHARE * this.#block.energy * BLOCK_SAMPLES) / 2
    )
  }
}

/** Its index; closes the block of each. */
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

function isNear(power: number, before: number): boolean {
  return power <= before * MAX_CHANGE && before <= power * MAX_CHANGE
}
