/**
 * The health of each carrier's servers as this node sees it: a server that does not answer, or asks for a
 * pause, is tried last for a while. Nodes have different network paths to a carrier, so each one decides
 * alone.
 */
import type { Clock } from '../../platform/clock.js'

/** `unknown`: nothing was sent to the server yet. */
export type ServerState = 'up' | 'down' | 'unknown'

export interface ServerHealth {
  readonly state: ServerState
  /** The time in epoch milliseconds until which the server is tried last; undefined while it is up. */
  readonly until?: number | undefined
  readonly reason?: string | undefined
  /** The last INVITE, when the server refused it for a reason other than the called party. */
  readonly refusal?: Refusal | undefined
}

/** A refused INVITE: its status, and its time in epoch milliseconds. */
export interface Refusal {
  readonly status: number
  readonly at: number
}

interface Entry {
  /** The monotonic time of its last answer. */
  answeredAtMs: number
  failures: number
  downUntilMs: number
  downUntil: number
  reason: string
}

/** Pause after the first failure, ms; it doubles with each further failure. */
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000
/** Maximum pause that a carrier can ask for (RFC 3261 §20.33), ms. */
const LONGEST_ASKED_MS = 600_000
/** Maximum number of entries; removed carriers leave entries, so above it all are dropped. */
const MAX_ENTRIES = 10_000

export class CarrierHealth {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #refusals = new Map<string, Refusal>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True while calls go to the server `address:port`; an untried server counts as up. */
  isUp(server: string): boolean {
    const entry = this.#entries.get(server)
    return entry === undefined || entry.downUntilMs <= this.#clock.monotonic()
  }

  /** Records any answer of the server. */
  answered(server: string): void {
    const answeredAtMs = this.#clock.monotonic()
    this.#keep(server, { answeredAtMs, failures: 0, downUntilMs: 0, downUntil: 0, reason: '' })
  }

  /**
   * Records that the server did not answer; the pause grows with consecutive failures. Ignored if the server
   * has answered since the request at `askedAtMs` of the monotonic clock.
   */
  failed(server: string, reason: string, askedAtMs = Number.POSITIVE_INFINITY): void {
    const before = this.#entries.get(server)
    if (before !== undefined && before.answeredAtMs > askedAtMs) return
    const failures = (before?.failures ?? 0) + 1
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10))
    this.#pause(server, pause, failures, reason)
  }

  /** Records that the server asked for a pause, as 503 with `Retry-After` does (RFC 3261 §21.5.4). */
  askedForPause(server: string, seconds: number): void {
    const pause = Math.min(LONGEST_ASKED_MS, seconds * 1_000)
    this.#pause(server, pause, 0, `it asked for a pause of ${String(seconds)} s`)
  }

  /** Records the status of an INVITE that the server refused; undefined when it carried out the last one. */
  setRefusal(server: string, status: number | undefined): void {
    if (status === undefined) this.#refusals.delete(server)
    else {
      if (this.#refusals.size >= MAX_ENTRIES) this.#refusals.clear()
      this.#refusals.set(server, { status, at: this.#clock.now() })
    }
  }

  of(server: string): ServerHealth {
    const entry = this.#entries.get(server)
    const refusal = this.#refusals.get(server)
    if (entry === undefined) return { state: 'unknown', refusal }
    if (entry.downUntilMs > this.#clock.monotonic() || entry.failures > 0)
      return { state: 'down', until: entry.downUntil, reason: entry.reason, refusal }
    return { state: 'up', refusal }
  }

  #pause(server: string, pauseMs: number, failures: number, reason: string): void {
    const answeredAtMs = this.#entries.get(server)?.answeredAtMs ?? Number.NEGATIVE_INFINITY
    this.#keep(server, {
      answeredAtMs,
      failures,
      downUntilMs: this.#clock.monotonic() + pauseMs,
      downUntil: this.#clock.now() + pauseMs,
      reason,
    })
  }

  #keep(server: string, entry: Entry): void {
    if (this.#entries.size >= MAX_ENTRIES && !this.#entries.has(server)) this.#entries.clear()
    this.#entries.set(server, entry)
  }
}
