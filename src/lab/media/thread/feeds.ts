/** The simple connections: to another endpoint, and back to oneself. */
import type { Feed } from '../model/audio-flow.js'
import type { Endpoint } from './endpoint.js'

/** What the other's peer says. Every endpoint listens before any speaks, so it is of the same tick. */
export class HeardFeed implements Feed {
  readonly #other: Endpoint

  constructor(other: Endpoint) {
    this.#other = other
  }

  fill(into: Int16Array): boolean {
    into.set(this.#other.heard)
    return true
  }
}
