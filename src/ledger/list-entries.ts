/** Reads entries of the ledger, newest first. */
import type { Reader } from '../platform/database/database.js'
import type { Cause } from './cause.js'

export interface Entry {
  /** Sequence number of the entry in the order of storing. */
  readonly id: number
  readonly accountSid: string
  readonly originSid: string
  readonly cause: Cause
  readonly kind: string
  readonly reference: string
  readonly amount: number
  readonly description: string
  readonly at: number
}

/** Position of an entry in an account's list. */
export interface EntryPosition {
  readonly at: number
  readonly id: number
}

/** The entries that an account pays for, after a position in the list. */
export async function listEntries(
  read: Reader,
  accountSid: string,
  page: { readonly limit: number; readonly after?: EntryPosition | undefined },
): Promise<readonly Entry[]> {
  const { after } = page
  let query = entries(read).where('accountSid', '=', accountSid)
  if (after !== undefined)
    query = query.where((where) =>
      where(where.refTuple('createdAt', 'id'), '<', where.tuple(after.at, after.id)),
    )
  return await query.limit(page.limit).execute()
}

/** Newest entries of one cause that an account caused, whichever account pays. */
export async function newestOfCause(
  read: Reader,
  originSid: string,
  cause: Cause,
  limit: number,
): Promise<readonly Entry[]> {
  return await entries(read)
    .where('originSid', '=', originSid)
    .where('cause', '=', cause)
    .limit(limit)
    .execute()
}

function entries(read: Reader) {
  return read
    .selectFrom('ledger_entries')
    .select([
      'id',
      'accountSid',
      'originSid',
      'cause',
      'kind',
      'reference',
      'amount',
      'description',
      'createdAt as at',
    ])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
}
