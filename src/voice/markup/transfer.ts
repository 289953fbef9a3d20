/** An attended transfer (RFC 5589 §7): one party of each of two bridges is connected with the other. */
import { linkAbort } from '../../platform/async/abort.js'
import { type Deferred, deferred } from '../../platform/async/deferred.js'
import { type Leg, LegEndedError } from '../telephony/port.js'

/** A party whose leg can be bridged until the signal aborts. */
interface Arrived {
  readonly leg: Leg
  readonly signal: AbortSignal
  readonly over: Deferred
}

export class Transfer {
  readonly #onFailure: (error: unknown) => void
  /** The party that waits for the other one. */
  #waiting: Arrived | undefined
  #isOver = false

  /** `onFailure` is called when the two cannot be bridged. */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure
  }

  /**
   * Joins a party whose former bridge has ended. Resolves when the new bridge has ended, or when the other
   * party left before it joined. Never rejects.
   */
  async join(leg: Leg, signal: AbortSignal): Promise<void> {
    if (signal.aborted) this.abandon()
    if (this.#isOver) return
    const first = this.#waiting
    if (first !== undefined) {
      this.#waiting = undefined
      this.#isOver = true
      await this.#bridge(first, leg, signal)
      return
    }
    const arrived = { leg, signal, over: deferred() }
    this.#waiting = arrived
    const giveUp = () => {
      this.abandon()
    }
    signal.addEventListener('abort', giveUp)
    await arrived.over.done
    signal.removeEventListener('abort', giveUp)
  }

  /** Cancels the transfer unless both parties have joined: a waiting party stops waiting. */
  abandon(): void {
    this.#isOver = true
    this.#waiting?.over.resolve()
    this.#waiting = undefined
  }

  async #bridge(first: Arrived, leg: Leg, signal: AbortSignal): Promise<void> {
    using either = linkAbort([first.signal, signal])
    try {
      await first.leg.media.bridge(leg.media, either.signal)
    } catch (error) {
      // If one party hung up before the bridge was made, the end of its call follows.
      if (!(error instanceof LegEndedError)) this.#onFailure(error)
    } finally {
      first.over.resolve()
    }
  }
}
