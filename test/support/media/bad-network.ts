import { seeded } from './seeded.js'

export interface BadNetworkOptions {
  readonly seed: number
  readonly lossShare?: number
  /** The longest delay of a packet; each is delayed by 0 to this. */
  readonly jitterMs?: number
  /** The share of packets that are sent behind the next one. */
  readonly reorderShare?: number
}

/** A network that loses, delays and reorders packets, the same way for the same seed. */
export class BadNetwork {
  readonly #random: () => number
  readonly #options: BadNetworkOptions
  readonly #timers = new Set<NodeJS.Timeout>()
  #isClosed = false

  constructor(options: BadNetworkOptions = { seed: 1 }) {
    this.#options = options
    this.#random = seeded(options.seed)
  }

  carry(deliver: () => void): void {
    const { lossShare = 0, jitterMs = 0, reorderShare = 0 } = this.#options
    if (this.#random() < lossShare) return
    const heldMs = this.#random() * jitterMs + (this.#random() < reorderShare ? 25 : 0)
    if (heldMs < 1) {
      deliver()
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!this.#isClosed) deliver()
    }, heldMs)
    this.#timers.add(timer)
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
