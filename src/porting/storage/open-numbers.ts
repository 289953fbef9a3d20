/** Reads the numbers that open ports have, whosever they are. */
import type { Reader, RowText, Subquery } from '../../platform/database/database.js'
import type { NumberFeatures } from '../port.js'

/** The row of the open port that has the number of an outer query's row. */
export function openRowsOf(read: Reader, e164: RowText): Subquery {
  return read
    .selectFrom('port_numbers')
    .select('port_numbers.portSid')
    .where((eb) => eb('port_numbers.openNumber', '=', e164))
}

/** Resolves with the numbers of the list that open ports have. */
export async function openAmong(
  read: Reader,
  e164s: readonly string[],
): Promise<readonly string[]> {
  if (e164s.length === 0) return []
  const rows = await read
    .selectFrom('port_numbers')
    .select('phoneNumber')
    .where('openNumber', 'in', e164s)
    .execute()
  return rows.map((row) => row.phoneNumber)
}

/** True while an open port of the account has a number that goes to the gateway once it is here. */
export async function openNamesGateway(
  read: Reader,
  accountSid: string,
  gatewayId: number,
): Promise<boolean> {
  const rows = await read
    .selectFrom('port_numbers')
    .innerJoin('ports', 'ports.sid', 'port_numbers.portSid')
    .select('port_numbers.features')
    .where('ports.accountSid', '=', accountSid)
    .where('port_numbers.openNumber', 'is not', null)
    .where('port_numbers.features', 'like', `%${String(gatewayId)}%`)
    .execute()
  // As it was stored; the digits may be those of another feature.
  return rows.some(
    ({ features }) => (JSON.parse(features) as NumberFeatures).gatewayId === gatewayId,
  )
}

/** The numbers of open ports after `after`, in their order. */
export async function listOpenNumbers(
  read: Reader,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('port_numbers')
    .select('phoneNumber')
    .where('openNumber', '>', after)
    .orderBy('openNumber')
    .limit(limit)
    .execute()
  return rows.map((row) => row.phoneNumber)
}
