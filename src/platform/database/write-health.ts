import { StorageBusyError, StorageUnavailableError } from './storage-error.js'

/** Interval between probes of a storage that refused a write, ms. */
const PROBE_EVERY_MS = 1_000

export interface WriteHealthDeps {
  /** Writes something; rejects while nothing can be stored. */
  readonly probe: () => Promise<void>
  readonly failureOf: (error: unknown) => unknown
}

/**
 * Tracks whether the storage accepts writes. After a refused write, `probe` runs until one succeeds: a server
 * that gets no requests while unready would otherwise never become ready.
 */
export class WriteHealth implements Disposable {
  readonly #deps: WriteHealthDeps
  #timer: NodeJS.Timeout | undefined
  #isWritable = true
  #isDisposed = false
  #isProbing = false

  constructor(deps: WriteHealthDeps) {
    this.#deps = deps
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
      const failure = this.#deps.failureOf(error)
      const isAway =
        failure instanceof StorageUnavailableError && !(failure instanceof StorageBusyError)
      if (isAway) this.#refused()
      throw failure
    }
  }

  /** Probes at once whether the storage still accepts writes. */
  suspect(): void {
    if (this.#isWritable) this.#try()
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
      if (!this.#isWritable) this.#try()
    }, PROBE_EVERY_MS).unref()
  }

  #try(): void {
    if (this.#isDisposed || this.#isProbing) return
    this.#isProbing = true
    // A failure of any kind is what the next probe is for.
    this.watch(this.#deps.probe())
      .catch(() => {
        this.#refused()
      })
      .finally(() => {
        this.#isProbing = false
      })
  }
}
