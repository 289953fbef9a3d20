import type { Database } from '../../../src/platform/database/database.js'
import type { CallbackOutbox, NewCallback } from '../../../src/platform/outbox/callback.js'

/** An outbox that commits changes and records the callbacks instead of delivering them. */
export class RecordingOutbox implements CallbackOutbox {
  readonly callbacks: NewCallback[] = []
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  readonly commit: CallbackOutbox['commit'] = async (work) => {
    let stored: NewCallback[] = []
    const result = await this.#db.write((tx) => {
      // The transaction may be retried.
      stored = []
      return work(tx, (callbacks) => {
        stored.push(...callbacks)
        return Promise.resolve()
      })
    })
    this.callbacks.push(...stored)
    return result
  }
}
