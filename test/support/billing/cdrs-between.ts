import type { Reader } from '../../../src/platform/database/database.js'
import { type Cdr, listCdrs } from '../../../src/rating/cdrs.js'

/** Records of an account's calls that started between two times, newest first. */
export async function cdrsBetween(
  read: Reader,
  accountSid: string,
  bounds: readonly [number, number],
): Promise<readonly Cdr[]> {
  return (await listCdrs(read, accountSid, bounds, { limit: 10_000 })).items
}
