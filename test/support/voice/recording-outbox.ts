import type { Database } from '../../../src/platform/database/database.js'
import type { CallbackOutbox, NewCallback } from '../../../src/platform/outbox/callback.js'

/** An outbox that commits changes and keeps the callbacks in a list instead of delivering them. */
export class RecordingOutbox implements CallbackOutbox {
  readonly callbacks: NewCallback[] = []
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  readonly commit: CallbackOutbox['commit'] = async (work) => {
    let stored: NewCallback[] = []
    const result = await this.#db.write((tx) => {
      // The work may run again.
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
