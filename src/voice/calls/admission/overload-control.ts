/**
 * Overload control (RFC 6357): refuses new calls before admitted ones suffer. It measures three delays of
 * this process: the lateness of event loop timers, the time from a call's admission or start to its commit,
 * and the time in which the media server creates a channel. One long pause of the event loop is no overload;
 * several late ticks in a row are. `ConcurrencyLimit` then decides which calls are admitted. Pure: the caller
 * passes the time.
 */
import { type Load, UnderWay, type Work } from '../../../platform/under-way.js'
import { BaselineDelay, BaselineP90 } from './baseline.js'
import { ConcurrencyLimit, type DelayLevel, type SetUpLoad } from './concurrency-limit.js'

/** Number of late ticks in a row before calls are refused. */
const LOOP_TICKS = 4
/** A raised delay above this fraction of the limit is high. */
const HIGH_PART = 1 / 4
/** Time after a call was held back during which longer delays are intended, ms. */
const HELD_MS = 1_000

const KINDS = ['loop', 'setUps', 'channels'] as const
type Kind = (typeof KINDS)[number]

export class OverloadControl {
  /** The number of calls refused because of an overload. */
  refused = 0
  readonly #maxDelayMs: number
  readonly #channels: () => Load
  #loopLags: number[] = []
  /** Admitted calls without a row, and calls whose start is not committed. */
  readonly #setUps = new UnderWay()
  readonly #baselines = {
    loop: new BaselineDelay(),
    setUps: new BaselineDelay(),
    channels: new BaselineDelay(),
  }
  readonly #limit = new ConcurrencyLimit()
  readonly #channelTimes = new BaselineP90()
  #tickedAt = Number.NEGATIVE_INFINITY
  /** The last time at which a queued call was held back. */
  #heldAt = Number.NEGATIVE_INFINITY

  /**
   * `maxDelayMs`: the delay above which calls are refused; 0 disables overload control. `channels`: returns
   * the media servers' load.
   */
  constructor(maxDelayMs: number, channels: () => Load) {
    this.#maxDelayMs = maxDelayMs
    this.#channels = channels
  }

  /** Records how late an event loop timer was, ms. */
  recordLoopLag(lateMs: number): void {
    this.#loopLags = [...this.#loopLags.slice(1 - LOOP_TICKS), lateMs]
  }

  /** Records that a set-up begins: a call was admitted, or starts. */
  begin(now: number): Work {
    return this.#setUps.begin(now)
  }

  /** Records the commit of the call. */
  end(setUp: Work, now: number): void {
    this.#setUps.end(setUp, now)
  }

  /** Drops a set-up without a commit; does nothing for a committed one. */
  abandon(setUp: Work, now: number): void {
    this.#setUps.forget(setUp, now)
  }

  /** Returns the largest delay of the loop, the set-ups and the channels, ms. */
  delayMs(now: number): number {
    return Math.max(...Object.values(this.#delays(this.#channels(), now)))
  }

  /** The rate of set-ups per second during an overload; undefined while all calls are admitted. */
  get perSecond(): number | undefined {
    return this.#limit.perSecond
  }

  /** Adjusts the baselines and the limit. Must be called twenty times a second. */
  tick(now: number): void {
    const channels = this.#channels()
    const delays = this.#delays(channels, now)
    const load = this.#load(channels, now)
    const isHeld = now - this.#heldAt < HELD_MS
    const isOpen = this.#limit.perSecond === undefined
    for (const kind of KINDS) {
      if (isOpen && !isHeld && load.delay !== 'over-limit')
        this.#baselines[kind].learn(delays[kind])
      else if (this.#limit.isSerial(load)) this.#baselines[kind].learnAny(delays[kind])
      else if (isHeld) this.#baselines[kind].learnShorter(delays[kind])
    }
    const made = channels.done.filter(({ at }) => at > this.#tickedAt)
    const isQuiet = isOpen && !isHeld && load.delay === 'normal'
    if (isQuiet || this.#limit.isLeast) this.#channelTimes.learn(made)
    this.#tickedAt = now
    this.#limit.tick(load, this.#channelTimes.count(made), now)
  }

  /** True when an inbound call must be refused; counts the refusal. */
  refuses(now: number): boolean {
    return this.#counted((load) => this.#limit.refuses(load, now), now)
  }

  /** True when a call that would be queued must be refused; counts the refusal. */
  refusesToQueue(now: number): boolean {
    return this.#counted((load) => this.#limit.refusesToQueue(load), now)
  }

  /** True when a queued call can be set up without delaying others. */
  hasRoom(now: number): boolean {
    if (this.#maxDelayMs === 0) return true
    const hasRoom = this.#limit.hasRoom(this.#load(this.#channels(), now))
    if (!hasRoom) this.#heldAt = now
    return hasRoom
  }

  #counted(refuses: (load: SetUpLoad) => boolean, now: number): boolean {
    if (this.#maxDelayMs === 0 || !refuses(this.#load(this.#channels(), now))) return false
    this.refused += 1
    return true
  }

  #load(channels: Load, now: number): SetUpLoad {
    return {
      delay: this.#level(this.#delays(channels, now)),
      baselineMs: this.#baselines.setUps.ms + this.#baselines.channels.ms,
      underWay: this.#setUps.count + channels.underWay,
      perSecond: channels.perSecond,
    }
  }

  #level(delays: Readonly<Record<Kind, number>>): DelayLevel {
    const longest = Math.max(...Object.values(delays))
    if (longest > this.#maxDelayMs) return 'over-limit'
    if (!KINDS.some((kind) => this.#baselines[kind].isRaised(delays[kind]))) return 'normal'
    const isHigh = KINDS.some((kind) => this.#baselines[kind].isHigh(delays[kind]))
    return isHigh || longest > HIGH_PART * this.#maxDelayMs ? 'high' : 'raised'
  }

  #delays({ delayMs }: Load, now: number): Readonly<Record<Kind, number>> {
    // The minimum of the last ticks: a single pause, however long, does not count.
    const loop = this.#loopLags.length < LOOP_TICKS ? 0 : Math.min(...this.#loopLags)
    return { loop, setUps: this.#setUps.delayMs(now), channels: delayMs }
  }
}
