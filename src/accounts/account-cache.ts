import type { Clock } from '../platform/clock.js'
import type { StoredAccount } from './account-storage.js'

/** Maximum delay before another process's change is seen, ms. */
const KEPT_MS = 2_000
const MAX_ENTRIES = 1_000

/** Cache of recently read accounts. This process's own changes are visible at once. */
export class AccountCache {
  readonly #clock: Clock
  readonly #entries = new Map<string, { readonly stored: StoredAccount; readonly until: number }>()
  /** Change counter: rows that were read before a change are not cached after it. */
  #changes = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves with the cached account, or with the result of `read`. */
  async find(
    sid: string,
    read: () => Promise<StoredAccount | undefined>,
  ): Promise<StoredAccount | undefined> {
    const kept = this.#entries.get(sid)
    if (kept !== undefined && kept.until > this.#clock.monotonic()) return kept.stored
    const before = this.#changes
    const stored = await read()
    if (stored === undefined || before !== this.#changes) return stored
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear()
    this.#entries.set(sid, { stored, until: this.#clock.monotonic() + KEPT_MS })
    return stored
  }

  /** Must be called once the change of an account is durable. */
  changed(sid: string): void {
    this.#changes += 1
    this.#entries.delete(sid)
  }
}
