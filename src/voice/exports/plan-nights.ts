/** Queues the archives that the nights have made due, and those that were built too early. */
import type { Account, Accounts } from '../../accounts/accounts.js'
import type { Database } from '../../platform/database/database.js'
import { nightlyDays, rangeOf } from './export-day.js'
import {
  type ExportKey,
  type ExportRow,
  insertQueued,
  queueAgain,
  rowsOf,
} from './storage/export-storage.js'

const ACCOUNTS_AT_ONCE = 100
const DAY_MS = 86_400_000

export interface NightDeps {
  readonly db: Database
  readonly accounts: Pick<Accounts, 'list'>
}

/** May run in several processes at once: the database keeps each archive once. */
export async function planNights({ db, accounts }: NightDeps, now: number): Promise<void> {
  const days = nightlyDays(now)
  let page = await accounts.list({}, { limit: ACCOUNTS_AT_ONCE, offset: 0 })
  for (;;) {
    const open = page.items.filter(({ status }) => status !== 'closed')
    const rows = await rowsOf(
      db.read,
      open.map(({ sid }) => sid),
      days,
    )
    const missing = missingOf(open, rows, days)
    const early = rows.filter((row) => isEarly(row, now))
    if (missing.length > 0) await db.write((tx) => insertQueued(tx, missing, now))
    for (const { account_sid: accountSid, day } of early)
      await db.write((tx) => queueAgain(tx, { accountSid, day }, now))
    if (page.nextAfter === undefined) return
    const cursor = { ...page.nextAfter, side: 'after' as const }
    page = await accounts.list({}, { limit: ACCOUNTS_AT_ONCE, offset: 0, cursor })
  }
}

function missingOf(
  accounts: readonly Account[],
  rows: readonly ExportRow[],
  days: readonly string[],
): readonly ExportKey[] {
  const known = new Set(rows.map(({ account_sid, day }) => `${account_sid} ${day}`))
  return accounts.flatMap(({ sid, createdAt }) =>
    days
      .filter((day) => createdAt < (rangeOf(day)?.before ?? 0) && !known.has(`${sid} ${day}`))
      .map((day) => ({ accountSid: sid, day })),
  )
}

/** True a day after an archive was built while some of its calls were under way. */
function isEarly({ state, unfinished, built_at: builtAt }: ExportRow, now: number): boolean {
  return state === 'completed' && unfinished > 0 && builtAt !== null && builtAt <= now - DAY_MS
}
