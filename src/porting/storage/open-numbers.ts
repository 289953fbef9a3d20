/** Reads the numbers of all accounts' open ports. */
import type { Reader, RowText, Subquery } from '../../platform/database/database.js'
import type { NumberFeatures } from '../port.js'

/** Subquery for the open port of the number in an outer query's row. */
export function openRowsOf(read: Reader, e164: RowText): Subquery {
  return read
    .selectFrom('port_numbers')
    .select('port_numbers.portSid')
    .where((eb) => eb('port_numbers.openNumber', '=', e164))
}

/** Resolves with the listed numbers that are in open ports. */
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

/** True while an open port of the account has a number that will be routed to the gateway. */
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

/** Numbers of open ports after `after`, sorted. */
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
