import type { Rates } from '../../platform/api/api.js'
import type { Clock } from '../../platform/clock.js'

export interface RateLimits {
  readonly readsPerSecond: number
  readonly writesPerSecond: number
}

export const DEFAULT_RATE_LIMITS: RateLimits = { readsPerSecond: 20, writesPerSecond: 5 }

/** How many seconds' worth may come at once. */
const BURST_SECONDS = 2
const MAX_KEYS = 10_000

/** A bucket of tokens per key, one each for reads and writes. */
export class RateLimiter implements Rates {
  readonly #limits: RateLimits
  readonly #clock: Clock
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  constructor(limits: RateLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** 0 when it may go on, else the whole seconds to wait. */
  waitSeconds(key: string, kind: 'read' | 'write'): number {
    const perSecond = kind === 'read' ? this.#limits.readsPerSecond : this.#limits.writesPerSecond
    const name = `${kind} ${key}`
    const now = this.#clock.monotonic()
    const bucket = this.#buckets.get(name) ?? { tokens: perSecond * BURST_SECONDS, at: now }
    const refilled = bucket.tokens + ((now - bucket.at) / 1_000) * perSecond
    const tokens = Math.min(refilled, perSecond * BURST_SECONDS)
    if (this.#buckets.size >= MAX_KEYS) this.#buckets.clear()
    const isAllowed = tokens >= 1
    this.#buckets.set(name, { tokens: isAllowed ? tokens - 1 : tokens, at: now })
    return isAllowed ? 0 : Math.ceil((1 - tokens) / perSecond)
  }
}
