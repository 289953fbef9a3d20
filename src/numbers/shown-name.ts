import { readOnce } from '../platform/database/compiled-once.js'
import type { Reader } from '../platform/database/database.js'

interface HeldBy {
  readonly accountSid: string
  readonly e164: string
}

/** Finds the name that calls from a number of the account show; undefined where none is set. */
export async function shownName(read: Reader, number: HeldBy): Promise<string | undefined> {
  const [row] = await readName(read, { ...number })
  return row?.caller_name ?? undefined
}

const readName = readOnce<
  HeldBy & Readonly<Record<string, unknown>>,
  { readonly caller_name: string | null }
>(['accountSid', 'e164'], (db, { accountSid, e164 }) =>
  db
    .selectFrom('phone_numbers')
    .innerJoin('number_settings', 'number_settings.number_sid', 'phone_numbers.sid')
    .select('caller_name')
    .where('phone_number', '=', e164)
    .where('phone_numbers.account_sid', '=', accountSid),
)
