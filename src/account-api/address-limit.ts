/**
 * Rate limit per address and operation, across nodes and restarts; an IPv6 address counts as its /64. Each
 * address has an allowance of one hour's requests, which refills evenly and may be used in one burst. The
 * allowance is stored as one time, `fullAt`: when it is full again. Each request moves `fullAt` forward by an
 * hour divided by the limit, and is refused if that would set it more than an hour from now.
 */
import type { AccountGate } from '../accounts/account-gate.js'
import type { AddressLimit } from '../platform/api/api.js'
import { countedNetwork } from '../platform/cidr.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import { startRetention } from '../platform/database/retention.js'
import type { Logger } from '../platform/log.js'
import { sha256Hex } from '../platform/secrets.js'

const HOUR_MS = 3_600_000
const SECOND_MS = 1_000
const REMOVED_AT_ONCE = 500
/** Maximum number of stored addresses; beyond it, those with the most allowance left are deleted. */
const MAX_KEPT = 100_000

export interface AddressLimitDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly accountGate: Pick<AccountGate, 'addressOf'>
}

/** Limits the requests of an address to each operation that names a limit. Undefined when `perHour` is 0. */
export function createAddressLimit(
  perHour: number,
  { db, clock, accountGate }: AddressLimitDeps,
): AddressLimit | undefined {
  if (perHour === 0) return undefined
  const part = Math.ceil(HOUR_MS / perHour)
  const allowance = part * (perHour - 1)
  return {
    waitSeconds: async (name, request) => {
      const source = sha256Hex(`${name} ${countedNetwork(accountGate.addressOf(request))}`)
      const now = clock.now()
      const latest = now + allowance
      const waitNow = async () => {
        const fullAt = await fullAtOf(db, source)
        return fullAt > latest ? Math.ceil((fullAt - latest) / SECOND_MS) : 0
      }
      // A refused request writes nothing, so a flood of them causes no disk writes.
      const wait = await waitNow()
      if (wait > 0) return wait
      const isTaken = await db.write(
        (tx) => take(tx, { source, now, latest, part }),
        'read-committed',
      )
      // Another request took the rest of the allowance meanwhile.
      return isTaken ? 0 : Math.max(1, await waitNow())
    },
  }
}

async function fullAtOf({ read }: Database, source: string): Promise<number> {
  const row = await read
    .selectFrom('address_limits')
    .select('fullAt')
    .where('source', '=', source)
    .executeTakeFirst()
  return row?.fullAt ?? 0
}

interface Taken {
  readonly source: string
  readonly now: number
  /** Latest `fullAt` at which another request is allowed. */
  readonly latest: number
  /** Share of the hour that one request uses, ms. */
  readonly part: number
}

/** Takes one request from the allowance in one statement; false when nothing is left. */
async function take(tx: Writer, { source, now, latest, part }: Taken): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('address_limits')
    .values({ source, fullAt: now + part })
    .onConflict((known) =>
      known
        .column('source')
        .doUpdateSet((set) => ({
          fullAt: set
            .case()
            .when('address_limits.fullAt', '>', now)
            .then(set('address_limits.fullAt', '+', part))
            .else(now + part)
            .end(),
        }))
        .where('address_limits.fullAt', '<=', latest),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Removes addresses with a full allowance, until disposed. */
export function startAddressLimitRetention({
  db,
  clock,
  log,
}: {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}): AsyncDisposable {
  return startRetention({
    name: 'old limits of addresses',
    log,
    removeSome: () => {
      const now = clock.now()
      return db.write((tx) => removeAddressLimits(tx, now, MAX_KEPT))
    },
  })
}

/**
 * Removes some of the addresses with a full allowance, and of those beyond `maxKept`. True when more may
 * remain.
 */
export async function removeAddressLimits(
  tx: Writer,
  now: number,
  maxKept: number,
): Promise<boolean> {
  const beyond = await tx
    .selectFrom('address_limits')
    .select('fullAt')
    .orderBy('fullAt', 'desc')
    .offset(maxKept)
    .limit(1)
    .executeTakeFirst()
  const old = await tx
    .selectFrom('address_limits')
    .select('source')
    .where('fullAt', '<=', Math.max(now, beyond?.fullAt ?? 0))
    .orderBy('fullAt')
    .limit(REMOVED_AT_ONCE)
    .execute()
  const sources = old.map(({ source }) => source)
  if (sources.length > 0)
    await tx.deleteFrom('address_limits').where('source', 'in', sources).execute()
  return sources.length === REMOVED_AT_ONCE
}
