import type { SipPeer } from '../model/stack-types.js'
import type { Timers } from '../transport/timers.js'
import type { Transport } from '../transport/transport.js'

/**
 * The largest datagram: a longer request needs a transport with congestion control, since the MTU
 * is unknown (RFC 3261 §18.1.1).
 */
const MAX_DATAGRAM_BYTES = 1_300
/**
 * The limit for connecting: a firewall may swallow the attempt, and the call must not wait for it
 * long.
 */
const CONNECT_LIMIT_MS = 2_000
/** The time for which a peer that took no connection is not asked again. */
const REFUSAL_MS = 10 * 60_000
/** The refusals that are remembered; beyond, all are forgotten and the peers are asked again. */
const MAX_REFUSALS = 1_024

/** Sends requests that are too large for a datagram by TCP, to peers that listen there. */
export class LargeRequests {
  readonly #timers: Timers
  /** The time at which each peer refused, by a clock that never goes back. */
  readonly #refusals = new Map<string, number>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Finds the destination of a request of this size that would go to `to`. */
  async destination(bytes: number, to: SipPeer, tcp: Transport | undefined): Promise<SipPeer> {
    if (to.transport !== 'udp' || bytes <= MAX_DATAGRAM_BYTES || tcp === undefined) return to
    const key = `${to.address} ${to.port}`
    const refusedAt = this.#refusals.get(key) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - refusedAt < REFUSAL_MS) return to
    const byTcp: SipPeer = { ...to, transport: 'tcp' }
    if (await this.#inTime(tcp.reach(byTcp))) {
      this.#refusals.delete(key)
      return byTcp
    }
    // RFC 3261 §18.1.1: a peer that refuses TCP SHOULD get the request over UDP after all.
    if (this.#refusals.size >= MAX_REFUSALS) this.#refusals.clear()
    this.#refusals.set(key, performance.now())
    return to
  }

  #inTime(reached: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      const limit = this.#timers.arm(CONNECT_LIMIT_MS, () => {
        resolve(false)
      })
      void reached.then((isReached) => {
        this.#timers.disarm(limit)
        resolve(isReached)
      })
    })
  }
}
