/** The latest portability check of each number. */
import type { Reader, Writer } from '../../platform/database/database.js'
import type { Portability } from '../losing-carrier.js'

export interface PortCheck extends Portability {
  readonly e164: string
  readonly checkedAt: number
}

/** Retention of checks for the operator's queries: one day, ms. */
const KEPT_MS = 86_400_000
/** Maximum numbers per query. */
const AT_ONCE = 500

export async function storeCheck(tx: Writer, check: PortCheck): Promise<void> {
  const row = {
    isPortable: Number(check.isPortable),
    reason: check.reason ?? null,
    losingCarrier: check.losingCarrier,
    routingNumber: check.localRoutingNumber ?? null,
    rateCenterTier: check.rateCenterTier ?? null,
    checkedAt: check.checkedAt,
  }
  await tx
    .insertInto('port_checks')
    .values({ phoneNumber: check.e164, ...row })
    .onConflict((known) => known.column('phoneNumber').doUpdateSet(row))
    .execute()
  await tx
    .deleteFrom('port_checks')
    .where('checkedAt', '<', check.checkedAt - KEPT_MS)
    .execute()
}

/** Checks of the listed numbers that are newer than a time. */
export async function checksSince(
  read: Reader,
  numbers: readonly string[],
  after: number,
): Promise<ReadonlyMap<string, PortCheck>> {
  const found = new Map<string, PortCheck>()
  for (let from = 0; from < numbers.length; from += AT_ONCE) {
    const rows = await read
      .selectFrom('port_checks')
      .selectAll()
      .where('phoneNumber', 'in', numbers.slice(from, from + AT_ONCE))
      .where('checkedAt', '>', after)
      .execute()
    for (const row of rows)
      found.set(row.phoneNumber, {
        e164: row.phoneNumber,
        isPortable: row.isPortable === 1,
        reason: row.reason ?? undefined,
        losingCarrier: row.losingCarrier,
        localRoutingNumber: row.routingNumber ?? undefined,
        rateCenterTier: row.rateCenterTier ?? undefined,
        checkedAt: row.checkedAt,
      })
  }
  return found
}
