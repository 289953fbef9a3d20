/** Stores which endpoints are connected; an endpoint has at most one connection. */
import type { DigitJob } from '../dsp/digit-sender.js'
import type { Feed } from '../model/audio-flow.js'
import type { Endpoint } from './endpoint.js'

/** Minimum length and pause of forwarded digits, ms, whatever the first phone sent. */
const MIN_DIGIT_MS = 80
const DIGIT_GAP_MS = 80
/** Maximum number of queued digits, more than a person presses; further ones are dropped. */
const MAX_DIGITS_WAITING = 32

export class Bridges {
  readonly #partners = new Map<Endpoint, Endpoint>()
  readonly #echoing = new Set<Endpoint>()

  bridge(one: Endpoint, other: Endpoint): void {
    if (one === other || this.#partners.get(one) === other) return
    this.unbridge(one)
    this.unbridge(other)
    this.#partners.set(one, other)
    this.#partners.set(other, one)
    this.#connect(one)
    this.#connect(other)
  }

  unbridge(endpoint: Endpoint): void {
    const partner = this.#partners.get(endpoint)
    if (partner === undefined) return
    this.#partners.delete(endpoint)
    this.#partners.delete(partner)
    this.#connect(endpoint)
    this.#connect(partner)
  }

  /** Switches an echo on or off, which the peer receives while the endpoint is not bridged. */
  setEcho(endpoint: Endpoint, isOn: boolean): void {
    if (isOn) this.#echoing.add(endpoint)
    else this.#echoing.delete(endpoint)
    this.#connect(endpoint)
  }

  /**
   * Forwards a telephone event. A digit in the audio is forwarded only as audio, to avoid a
   * duplicate.
   */
  forwardDigit(from: Endpoint, digit: string, durationMs: number): void {
    const partner = this.#partners.get(from)
    if (partner === undefined || partner.digits.queued >= MAX_DIGITS_WAITING) return
    const job: DigitJob = {
      digits: digit,
      durationMs: Math.max(MIN_DIGIT_MS, durationMs),
      gapMs: DIGIT_GAP_MS,
      onSent: nothing,
    }
    partner.digits.add(job)
  }

  forget(endpoint: Endpoint): void {
    this.unbridge(endpoint)
    this.#echoing.delete(endpoint)
  }

  #connect(endpoint: Endpoint): void {
    const partner = this.#partners.get(endpoint)
    const source = partner ?? (this.#echoing.has(endpoint) ? endpoint : undefined)
    endpoint.setFeed(source === undefined ? undefined : new HeardFeed(source))
  }
}

function nothing(): void {
  // nobody waits for a forwarded key
}

/**
 * Forwards another endpoint's received audio of the same tick: every endpoint listens before any
 * speaks.
 */
class HeardFeed implements Feed {
  readonly #other: Endpoint

  constructor(other: Endpoint) {
    this.#other = other
  }

  fill(into: Int16Array): boolean {
    into.set(this.#other.heard)
    return true
  }
}
