import { seeded } from './seeded.js'

export interface BadNetworkOptions {
  readonly seed: number
  readonly lossShare?: number
  /** Maximum delay of a packet, ms; delays are random from 0. */
  readonly jitterMs?: number
  /** Share of packets that are swapped with the next one. */
  readonly reorderShare?: number
  /** True when a delayed packet holds back those behind it, as a queue does. */
  readonly keepsOrder?: boolean
}

/**
 * A network that loses, delays and reorders packets, identically for the same seed. The sender advances its
 * time, so that a busy machine does not mix the packets of half a second.
 */
export class BadNetwork {
  readonly #random: () => number
  readonly #options: BadNetworkOptions
  /** Number of packets lost so far, and of packets delivered. */
  lost = 0
  delivered = 0
  #held: { readonly dueMs: number; readonly deliver: () => void }[] = []
  #nowMs = 0

  constructor(options: BadNetworkOptions = { seed: 1 }) {
    this.#options = options
    this.#random = seeded(options.seed)
  }

  carry(deliver: () => void): void {
    const { lossShare = 0, jitterMs = 0, reorderShare = 0, keepsOrder = false } = this.#options
    if (this.#random() < lossShare) {
      this.lost++
      return
    }
    const heldMs = this.#random() * jitterMs + (this.#random() < reorderShare ? 25 : 0)
    const lastDueMs = keepsOrder ? (this.#held.at(-1)?.dueMs ?? 0) : 0
    this.#held.push({ dueMs: Math.max(this.#nowMs + heldMs, lastDueMs), deliver })
  }

  /** Advances the time: delivers the packets that become due, in order. */
  pass(ms: number): void {
    this.#nowMs += ms
    const due = this.#held.filter(({ dueMs }) => dueMs < this.#nowMs)
    this.#held = this.#held.filter(({ dueMs }) => dueMs >= this.#nowMs)
    for (const { deliver } of due.sort((a, b) => a.dueMs - b.dueMs)) deliver()
    this.delivered += due.length
  }
}
