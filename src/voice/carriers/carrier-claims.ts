/**
 * Enforces the limits of each carrier: concurrent calls over all nodes, and INVITEs per second of this node.
 */
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { TokenBuckets } from '../../platform/token-buckets.js'
import type { Carrier } from './carrier.js'

export type ClaimVerdict = 'granted' | 'too-many-calls' | 'too-many-a-second'

export class CarrierClaims {
  readonly #db: Database
  readonly #clock: Clock
  readonly #buckets = new TokenBuckets({ perSecond: 1, burst: 1 })

  constructor(deps: { readonly db: Database; readonly clock: Clock }) {
    this.#db = deps.db
    this.#clock = deps.clock
  }

  /** Claims one call through the carrier. Without limits this needs no database access. */
  async claim({ name, settings }: Carrier, callSid: string): Promise<ClaimVerdict> {
    const { callsPerSecond: perSecond, maxCalls } = settings
    if (perSecond !== undefined) {
      const rate = { perSecond, burst: Math.max(1, perSecond) }
      if (!this.#buckets.take(name, this.#clock.monotonic(), rate)) return 'too-many-a-second'
    }
    if (maxCalls === undefined) return 'granted'
    return (await this.claimSlot(name, maxCalls, callSid)) ? 'granted' : 'too-many-calls'
  }

  /** Releases the call's slot. The end of the call does the same if this is never called. */
  async release(callSid: string): Promise<void> {
    await this.#db.write((tx) =>
      tx.deleteFrom('carrier_calls').where('callSid', '=', callSid).execute(),
    )
  }

  /** Resolves with the number of calls in progress through a carrier with a limit. */
  async callsThrough(name: string): Promise<number> {
    return countCalls(this.#db.read, name)
  }

  /** Deletes the claims of calls that ended in an earlier process. */
  async removeEnded(): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .deleteFrom('carrier_calls')
        .where('callSid', 'not in', (ended) =>
          ended.selectFrom('calls').select('sid').where('endedAt', 'is', null),
        )
        .execute(),
    )
  }

  /**
   * Claims one slot of a carrier or gateway; resolves to false when all are taken. Claims of one carrier are
   * serialized, so that two nodes never take the same slot and a burst causes no conflicts.
   */
  claimSlot(carrier: string, maxCalls: number, callSid: string): Promise<boolean> {
    return this.#db.writeInTurn(`slots of ${carrier}`, async (tx) => {
      if ((await countCalls(tx, carrier)) >= maxCalls) return false
      const row = { callSid, carrier }
      await tx
        .insertInto('carrier_calls')
        .values(row)
        .onConflict((conflict) => conflict.column('callSid').doUpdateSet(row))
        .execute()
      return true
    })
  }
}

async function countCalls(read: Database['read'], carrier: string): Promise<number> {
  const { calls } = await read
    .selectFrom('carrier_calls')
    .innerJoin('calls', 'calls.sid', 'carrier_calls.callSid')
    .where('carrier_calls.carrier', '=', carrier)
    .where('calls.endedAt', 'is', null)
    .select(({ fn }) => fn.countAll<number | bigint>().as('calls'))
    .executeTakeFirstOrThrow()
  return Number(calls)
}
