/** Portability checks: the newest one of each number. */
import type { Reader, Writer } from '../../platform/database/database.js'
import type { Portability } from '../losing-carrier.js'

export interface PortCheck extends Portability {
  readonly e164: string
  readonly checkedAt: number
}

/** The checks are kept for a day, for the operator's questions. */
const KEPT_MS = 86_400_000
/** The number of numbers that one query names. */
const AT_ONCE = 500

export async function storeCheck(tx: Writer, check: PortCheck): Promise<void> {
  const row = {
    is_portable: Number(check.isPortable),
    reason: check.reason ?? null,
    losing_carrier: check.losingCarrier,
    routing_number: check.localRoutingNumber ?? null,
    rate_center_tier: check.rateCenterTier ?? null,
    checked_at: check.checkedAt,
  }
  await tx
    .insertInto('port_checks')
    .values({ phone_number: check.e164, ...row })
    .onConflict((known) => known.column('phone_number').doUpdateSet(row))
    .execute()
  await tx
    .deleteFrom('port_checks')
    .where('checked_at', '<', check.checkedAt - KEPT_MS)
    .execute()
}

/** The checks of these numbers that are newer than a time. */
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
      .where('phone_number', 'in', numbers.slice(from, from + AT_ONCE))
      .where('checked_at', '>', after)
      .execute()
    for (const row of rows)
      found.set(row.phone_number, {
        e164: row.phone_number,
        isPortable: row.is_portable === 1,
        reason: row.reason ?? undefined,
        losingCarrier: row.losing_carrier,
        localRoutingNumber: row.routing_number ?? undefined,
        rateCenterTier: row.rate_center_tier ?? undefined,
        checkedAt: row.checked_at,
      })
  }
  return found
}
