import { StorageUnavailableError, storageErrorOf } from './storage-error.js'

/** The time between tries of a disk that refused a write. */
const PROBE_EVERY_MS = 1_000

/**
 * Knows whether the disk takes writes. After a refused write, `probe` writes now and then until one
 * succeeds: a server that gets no requests while it is not ready would otherwise never become
 * ready.
 */
export class WriteHealth implements Disposable {
  readonly #probe: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  #isWritable = true
  #isDisposed = false

  constructor(probe: () => Promise<void>) {
    this.#probe = probe
  }

  get isWritable(): boolean {
    return this.#isWritable
  }

  /** Settles as the write does; a refusal becomes a `StorageUnavailableError`. */
  async watch<Result>(write: Promise<Result>): Promise<Result> {
    try {
      const result = await write
      this.#isWritable = true
      return result
    } catch (error) {
      const failure = storageErrorOf(error)
      if (failure instanceof StorageUnavailableError) this.#refused()
      throw failure
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearTimeout(this.#timer)
  }

  #refused(): void {
    this.#isWritable = false
    if (this.#timer !== undefined || this.#isDisposed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#isWritable) return
      // Its failure is what the next probe is for.
      this.watch(this.#probe()).catch(() => {
        this.#refused()
      })
    }, PROBE_EVERY_MS).unref()
  }
}
