import { NumberPortingError } from '../numbers/number-errors.js'
import { portingNumbersOf } from '../numbers/number-settings.js'
import type { Reader, Writer } from '../platform/database/database.js'
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

/** The account that brings a number in from another carrier. */
export async function portedBy(read: Reader, e164: string): Promise<string | undefined> {
  return (await openPortOf(read, e164))?.accountSid
}
