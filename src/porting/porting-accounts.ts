import { NumberPortingError } from '../numbers/number-errors.js'
import { portingNumbersOf } from '../numbers/number-settings.js'
import type { PortedNumbers } from '../numbers/ported-numbers.js'
import type { Writer } from '../platform/database/database.js'
import { listOpenNumbers, openAmong, openNamesGateway, openRowsOf } from './storage/open-numbers.js'
import { openNumbersOf, openPortOf } from './storage/port-storage.js'

/** Rejects with NumberPortingError while a number of the account is on its way in or out. */
export async function refuseWhilePorting(
  tx: Writer,
  { sid }: { readonly sid: string },
): Promise<void> {
  const numbers = [...(await openNumbersOf(tx, sid)), ...(await portingNumbersOf(tx, sid))]
  if (numbers.length === 0) return
  const shown = [...new Set(numbers)].toSorted().join(', ')
  throw new NumberPortingError(`numbers of the account are porting: ${shown}`)
}

/** The numbers of open ports, for the searches and orders of numbers. */
export const portedNumbers: PortedNumbers = {
  accountOf: async (read, e164) => (await openPortOf(read, e164))?.accountSid,
  rowsOf: openRowsOf,
  among: openAmong,
  namesGateway: openNamesGateway,
  list: listOpenNumbers,
}
