import { pause } from '../async/sleep.js'
import type { Database } from '../database/database.js'
import { answersTo } from './node-request-storage.js'

/** The time in which several looks are gathered. */
const GATHER_MS = 20

/**
 * Looks for the answers to the requests that wait. Those who look within a short time share one
 * query, so that what waiting costs the database does not grow with the number that waits.
 */
export class AnswerLooks {
  readonly #db: Pick<Database, 'read'>
  #next:
    | { readonly ids: string[]; readonly found: Promise<ReadonlyMap<string, string>> }
    | undefined

  constructor(db: Pick<Database, 'read'>) {
    this.#db = db
  }

  /** Resolves with the sealed answer to a request; undefined while there is none. */
  async answerTo(id: string): Promise<string | undefined> {
    if (this.#next === undefined) {
      const ids: string[] = []
      this.#next = { ids, found: this.#find(ids) }
    }
    const { ids, found } = this.#next
    ids.push(id)
    return (await found).get(id)
  }

  /** Looks for all that `ids` has in a moment. */
  async #find(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    await pause(GATHER_MS)
    this.#next = undefined
    return await answersTo(this.#db.read, ids)
  }
}
