/**
 * Overload control (RFC 6357): refuses new calls before those that were admitted suffer. It measures three
 * delays of this process: how late the event loop comes to a timer, how long a call takes from its admission,
 * or from its start, to its commit, and how long the media server takes to make a channel. One long pause of
 * the event loop is no overload; several late ticks in a row are. `ConcurrencyLimit` decides which calls are
 * admitted then. Pure: the caller brings the time.
 */
import { type Load, UnderWay, type Work } from '../../../platform/under-way.js'
import { BaselineDelay, BaselineP90 } from './baseline.js'
import { ConcurrencyLimit, type DelayLevel, type SetUpLoad } from './concurrency-limit.js'

/** The ticks in a row whose timer is late before calls are refused. */
const LOOP_TICKS = 4
/** A raised delay of more than this part of the limit is high. */
const HIGH_PART = 1 / 4
/** Delays are longer on purpose for so long after a call was held back. */
const HELD_MS = 1_000

const KINDS = ['loop', 'setUps', 'channels'] as const
type Kind = (typeof KINDS)[number]

export class OverloadControl {
  /** The number of calls that were refused for an overload. */
  refused = 0
  readonly #maxDelayMs: number
  readonly #channels: () => Load
  #loopLags: number[] = []
  /** The calls that are admitted and have no row yet, and those whose start is not committed yet. */
  readonly #setUps = new UnderWay()
  readonly #baselines = {
    loop: new BaselineDelay(),
    setUps: new BaselineDelay(),
    channels: new BaselineDelay(),
  }
  readonly #limit = new ConcurrencyLimit()
  readonly #channelTimes = new BaselineP90()
  #tickedAt = Number.NEGATIVE_INFINITY
  /** When a queued call was held back last. */
  #heldAt = Number.NEGATIVE_INFINITY

  /** `maxDelayMs`: the delay beyond which calls are refused; 0 refuses none. `channels`: the media servers' load. */
  constructor(maxDelayMs: number, channels: () => Load) {
    this.#maxDelayMs = maxDelayMs
    this.#channels = channels
  }

  /** Records by how many milliseconds the event loop was late at a timer. */
  recordLoopLag(lateMs: number): void {
    this.#loopLags = [...this.#loopLags.slice(1 - LOOP_TICKS), lateMs]
  }

  /** Records the beginning of a set-up: a call was admitted, or starts. */
  begin(now: number): Work {
    return this.#setUps.begin(now)
  }

  /** Records the commit of the call. */
  end(setUp: Work, now: number): void {
    this.#setUps.end(setUp, now)
  }

  /** Forgets a set-up that is not committed; does nothing for one that is. */
  abandon(setUp: Work, now: number): void {
    this.#setUps.forget(setUp, now)
  }

  /** The measured delay in milliseconds: the largest one of the loop, the set-ups and the channels. */
  delayMs(now: number): number {
    return Math.max(...Object.values(this.#delays(this.#channels(), now)))
  }

  /** The calls that can be set up in a second, during an overload; undefined while all are admitted. */
  get perSecond(): number | undefined {
    return this.#limit.perSecond
  }

  /** Adjusts the baselines and the limit. To be called twenty times a second. */
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

  /** True when an inbound call is to be refused, which is counted. */
  refuses(now: number): boolean {
    return this.#counted((load) => this.#limit.refuses(load, now), now)
  }

  /** True when a call that would be queued is to be refused, which is counted. */
  refusesToQueue(now: number): boolean {
    return this.#counted((load) => this.#limit.refusesToQueue(load), now)
  }

  /** True when a queued call may be set up without delaying others. */
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
    // The least late of the last ticks: one pause, however long, is not a late loop.
    const loop = this.#loopLags.length < LOOP_TICKS ? 0 : Math.min(...this.#loopLags)
    return { loop, setUps: this.#setUps.delayMs(now), channels: delayMs }
  }
}
