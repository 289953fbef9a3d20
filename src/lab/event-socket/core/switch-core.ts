import type { Logger } from '../../../platform/log.js'
import type { Channel } from '../channel/channel.js'
import type { Conferences } from '../conferences/conferences.js'
import type { EventBus } from '../events/event-bus.js'
import type { CommandLog } from '../model/command-log.js'
import type { SwitchFacts } from '../model/switch-facts.js'
import type { HttpCache } from './http-cache.js'

/** The parts of the media server that commands and connections use. */
export interface SwitchCore {
  readonly facts: SwitchFacts
  readonly bus: EventBus
  readonly channels: ChannelRegistry
  readonly conferences: Conferences
  readonly sessions: SessionCounts
  readonly commandLog: CommandLog
  readonly httpCache: HttpCache
  readonly log: Logger
}

const FIVE_MINUTES_S = 300

/** The open channels by UUID. */
export class ChannelRegistry extends Map<string, Channel> {
  readonly #waiting = new Set<() => void>()

  override delete(uuid: string): boolean {
    const wasThere = super.delete(uuid)
    if (this.size === 0) for (const done of [...this.#waiting]) done()
    return wasThere
  }

  /** Resolves when no channel is left, or after `limitMs`. */
  async whenEmpty(limitMs: number): Promise<void> {
    if (this.size === 0) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, limitMs)
      this.#waiting.add(done)
    })
  }
}

/** Counts channels, in total and per second. */
export class SessionCounts {
  /** True while new calls are refused (`fsctl pause`). */
  isPaused = false
  #total = 0
  #peak = 0
  /** Number of new channels in each second of the last five minutes. */
  readonly #bySecond = new Map<number, number>()

  get total(): number {
    return this.#total
  }

  get peak(): number {
    return this.#peak
  }

  /** Counts a new channel; `live` includes it. Returns its number. */
  add(live: number, now: number): number {
    this.#total++
    this.#peak = Math.max(this.#peak, live)
    const second = Math.floor(now / 1000)
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1)
    for (const old of this.#bySecond.keys()) {
      if (old > second - FIVE_MINUTES_S) break
      this.#bySecond.delete(old)
    }
    return this.#total
  }

  lastSecond(now: number): number {
    return this.#bySecond.get(Math.floor(now / 1000) - 1) ?? 0
  }

  busiestSecond(): number {
    return Math.max(0, ...this.#bySecond.values())
  }
}
