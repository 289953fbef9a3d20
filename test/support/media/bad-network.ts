import { seeded } from './seeded.js'

export interface BadNetworkOptions {
  readonly seed: number
  readonly lossShare?: number
  /** The longest delay of a packet; each is delayed by 0 to this. */
  readonly jitterMs?: number
  /** The share of packets that are sent behind the next one. */
  readonly reorderShare?: number
}

/**
 * A network that loses, delays and reorders packets, the same way for the same seed. Its time is that
 * of the party that sends: a busy machine must not mix the packets of half a second.
 */
export class BadNetwork {
  readonly #random: () => number
  readonly #options: BadNetworkOptions
  #held: { readonly dueMs: number; readonly deliver: () => void }[] = []
  #nowMs = 0

  constructor(options: BadNetworkOptions = { seed: 1 }) {
    this.#options = options
    this.#random = seeded(options.seed)
  }

  carry(deliver: () => void): void {
    const { lossShare = 0, jitterMs = 0, reorderShare = 0 } = this.#options
    if (this.#random() < lossShare) return
    const heldMs = this.#random() * jitterMs + (this.#random() < reorderShare ? 25 : 0)
    this.#held.push({ dueMs: this.#nowMs + heldMs, deliver })
  }

  /** Lets time pass: delivers the packets that are due in it, in their order. */
  pass(ms: number): void {
    this.#nowMs += ms
    const due = this.#held.filter(({ dueMs }) => dueMs < this.#nowMs)
    this.#held = this.#held.filter(({ dueMs }) => dueMs >= this.#nowMs)
    for (const { deliver } of due.sort((a, b) => a.dueMs - b.dueMs)) deliver()
  }
}
