import { AsyncLocalStorage } from 'node:async_hooks'
import { SerialQueue } from '../async/serial-queue.js'

/** A transaction that the reads and writes of its work join. */
class Joined<Tx> {
  readonly tx: Tx
  /**
   * The queue of savepoints: those of one transaction nest, and those of concurrent writes would
   * cross.
   */
  readonly turns = new SerialQueue()
  readonly effects: (() => void)[] = []

  constructor(tx: Tx) {
    this.tx = tx
  }
}

/** Lets code within the work of one transaction find that transaction, however deep it is. */
export class JoinedWrites<Tx> {
  readonly #context = new AsyncLocalStorage<Joined<Tx>>()
  readonly #open = new Set<Joined<Tx>>()

  /** The transaction that the caller runs within; undefined outside one, and once it has ended. */
  get current(): Joined<Tx> | undefined {
    if (this.#open.size === 0) return undefined
    const joined = this.#context.getStore()
    return joined !== undefined && this.#open.has(joined) ? joined : undefined
  }

  /** Runs `work` within `tx`; resolves with the effects that wait for its commit. */
  async run<Result>(
    tx: Tx,
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly effects: readonly (() => void)[] }> {
    const joined = new Joined(tx)
    this.#open.add(joined)
    try {
      const result = await this.#context.run(joined, work)
      return { result, effects: joined.effects }
    } finally {
      this.#open.delete(joined)
      // Without a store no promise of this process pays for the tracking.
      if (this.#open.size === 0) this.#context.disable()
    }
  }
}
