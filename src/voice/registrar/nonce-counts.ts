/** The stored counts of nonces. A request with a used count is a replay, in every process. */
import type { Clock } from '../../platform/clock.js'
import { compiledOnce } from '../../platform/database/compiled-once.js'
import type { Database, Writer } from '../../platform/database/database.js'
import { startRetention } from '../../platform/database/retention.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { Logger } from '../../platform/log.js'
import type { SipNonceCountsTable } from './tables.js'

const REMOVED_AT_ONCE = 500

export interface NonceCountsDeps {
  readonly db: Database
  readonly clock: Clock
}

/** One use of a nonce, and the time at which the nonce becomes stale. */
export interface NonceUse {
  readonly nonce: string
  readonly count: number
  readonly expiresAt: number
}

const putCount = compiledOnce<Selectable<SipNonceCountsTable>>(
  ['nonce', 'used', 'expiresAt'],
  (db, { nonce, used, expiresAt }) =>
    db
      .insertInto('sip_nonce_counts')
      .values({ nonce, used, expiresAt })
      .onConflict((conflict) =>
        conflict.column('nonce').doUpdateSet({ used }).where('sip_nonce_counts.used', '<', used),
      ),
)

/** Stores the use of a nonce in a transaction; false for a replay (RFC 7616 §3.4.3). */
export async function acceptNonce(
  tx: Writer,
  { nonce, count, expiresAt }: NonceUse,
): Promise<boolean> {
  const { changed } = await putCount(tx, { nonce, used: count, expiresAt })
  return changed > 0
}

export class StoredNonceCounts {
  readonly #deps: NonceCountsDeps

  constructor(deps: NonceCountsDeps) {
    this.#deps = deps
  }

  /** Stores the use of a nonce; false for a replay. */
  accept(use: NonceUse): Promise<boolean> {
    // One statement compares and stores, so there is no race in between.
    return this.#deps.db.write((tx) => acceptNonce(tx, use), 'read-committed')
  }

  /** Deletes the counts of stale nonces until disposed. */
  startRetention(log: Logger): AsyncDisposable {
    return startRetention({ name: 'stale nonces', log, removeSome: () => this.#removeSome() })
  }

  async #removeSome(): Promise<boolean> {
    const { db, clock } = this.#deps
    const stale = await db.read
      .selectFrom('sip_nonce_counts')
      .select('nonce')
      .where('expiresAt', '<=', clock.now())
      .limit(REMOVED_AT_ONCE)
      .execute()
    const nonces = stale.map(({ nonce }) => nonce)
    if (nonces.length === 0) return false
    await db.write((tx) => tx.deleteFrom('sip_nonce_counts').where('nonce', 'in', nonces).execute())
    return nonces.length === REMOVED_AT_ONCE
  }
}
