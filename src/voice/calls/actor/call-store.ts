import { idle } from '../../../platform/async/sleep.js'
import type { Clock } from '../../../platform/clock.js'
import type { Writer } from '../../../platform/database/database.js'
import type { CallbackOutbox } from '../../../platform/outbox/callback.js'
import type { CallRecord } from '../../model/call-record.js'
import { saveCall } from '../storage/call-storage.js'
import type { CallbackRow } from './step-record.js'

export interface CallStoreDeps {
  readonly clock: Clock
  readonly outbox: CallbackOutbox
}

const RETRY_MS = 1_000

/** One call as it is stored. What a full disk refused goes with the next commit that it takes. */
export class CallStore {
  readonly #deps: CallStoreDeps
  #record: CallRecord
  #shown: CallRecord
  #isStored = true
  #owed: readonly CallbackRow[] = []

  constructor(record: CallRecord, deps: CallStoreDeps) {
    this.#record = record
    this.#shown = record
    this.#deps = deps
  }

  get record(): CallRecord {
    return this.#record
  }

  /** The record that others may see: the stored one, or the newest while the disk takes nothing. */
  get shown(): CallRecord {
    return this.#shown
  }

  /** Counts from now on; stored with the next commit. */
  note(record: CallRecord): void {
    this.#record = record
  }

  /** Rejects when it could not be stored; the record counts from now on all the same. */
  async commit(
    record: CallRecord,
    rows: readonly CallbackRow[],
    also?: (tx: Writer) => Promise<void>,
  ): Promise<void> {
    const { clock, outbox } = this.#deps
    const stored = { ...record, updatedAt: clock.now() }
    this.#record = stored
    const owed = [...this.#owed, ...rows]
    this.#owed = owed
    this.#isStored = false
    try {
      await outbox.commit(async (tx, enqueue) => {
        await saveCall(tx, stored)
        await enqueue(owed)
        await also?.(tx)
      })
    } finally {
      this.#shown = stored
    }
    this.#isStored = true
    this.#owed = []
  }

  /** Resolves once the newest record is stored, however long the disk takes no writes. */
  async stored(): Promise<void> {
    while (!this.#isStored) {
      // The end of the process does not wait for it: the next one ends what is not stored as ended.
      await idle(RETRY_MS)
      // Its failure was said when it first failed.
      await this.commit(this.#record, []).catch(() => undefined)
    }
  }
}
