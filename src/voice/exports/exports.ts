/**
 * Archives of what an account did in a day: built each night and on demand, kept for a year. The
 * database says who builds which one, so that several processes build each once, and another goes on
 * where one was killed.
 */
import { mkdir, rm } from 'node:fs/promises'
import type { Account, Accounts } from '../../accounts/accounts.js'
import { Pump } from '../../platform/async/pump.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { DomainError } from '../../platform/errors.js'
import type { FileStore } from '../../platform/files/file-store.js'
import type { Logger } from '../../platform/log.js'
import { fileNameOf, runBuild, TAR } from './build-export.js'
import { canBeExported, firstKeptDay, nightlyDays, rangeOf } from './export-day.js'
import type { ExportKind } from './export-kind.js'
import {
  deleteExport,
  type ExportKey,
  type ExportRow,
  expiredExports,
  findExport,
  firstDue,
  insertQueued,
  listBuilt,
  queueAgain,
  releaseBuilds,
  rowsOf,
} from './storage/export-storage.js'

export interface Exports extends AsyncDisposable {
  /** Lists the archives of an account, the newest first. */
  list(accountSid: string): Promise<readonly ExportRow[]>
  /** Resolves with the state of an archive; undefined when nobody asked for it. */
  find(key: ExportKey): Promise<ExportRow | undefined>
  /**
   * Has an archive built, also one that exists. Rejects with NotExportableError for a day that is
   * not over, or longer ago than archives are kept.
   */
  request(key: ExportKey): Promise<ExportRow>
  /** A URL of the archive that expires; undefined when there is none. */
  link(key: ExportKey): Promise<string | undefined>
  /** Begins to build what is due, first of all what this node's former process has left. */
  start(): Promise<void>
}

export interface ExportsDeps {
  readonly db: Database
  readonly accounts: Pick<Accounts, 'list'>
  readonly clock: Clock
  readonly log: Logger
  readonly files: FileStore
  readonly kinds: readonly ExportKind[]
  /** A folder for the files of builds under way; it is emptied at the start. */
  readonly folder: string
}

const ACCOUNTS_AT_ONCE = 100
const DAY_MS = 86_400_000

interface NightDeps {
  readonly db: Database
  readonly accounts: Pick<Accounts, 'list'>
}

/** The day is not over, or longer ago than archives are kept. */
export class NotExportableError extends DomainError {
  override readonly name = 'NotExportableError'
  readonly code = 'not-exportable'
}

/** How long a link to an archive is valid. */
export const LINK_SECONDS = 900
/** The time between looks for nights to make up for, and for archives to remove. */
const PLAN_EVERY_MS = 600_000
const REMOVED_AT_ONCE = 100
/** The pause after the database could not be read or written. */
const PAUSE_MS = 5_000

export function createExports(deps: ExportsDeps): Exports {
  const { db, clock, files, log, folder } = deps
  let plannedAt = Number.NEGATIVE_INFINITY
  const look = async (signal: AbortSignal): Promise<number> => {
    try {
      if (clock.now() >= plannedAt + PLAN_EVERY_MS || clock.now() < plannedAt) {
        plannedAt = clock.now()
        await planNights(deps, plannedAt)
        await removeExpired(deps)
      }
      for (;;) {
        const row = await firstDue(db.read)
        if (row === undefined) return plannedAt + PLAN_EVERY_MS
        if (row.due_at > clock.now()) return Math.min(row.due_at, plannedAt + PLAN_EVERY_MS)
        if (signal.aborted) return Number.POSITIVE_INFINITY
        await runBuild(row, { ...deps, signal })
      }
    } catch (err) {
      log.error({ err }, 'could not look for exports to build')
      return clock.now() + PAUSE_MS
    }
  }
  const pump = new Pump({ name: 'exports', log, look, now: () => clock.now() })
  return {
    list: (accountSid) => listBuilt(db.read, accountSid, firstKeptDay(clock.now())),
    find: (key) => findExport(db.read, key),
    request: async (key) => {
      const range = rangeOf(key.day)
      const now = clock.now()
      if (range === undefined || !canBeExported(range, now))
        throw new NotExportableError(`${key.day} is not a day of the last year that is over (UTC)`)
      const row = await db.write(async (tx) => {
        await queueAgain(tx, key, now)
        return findExport(tx, key)
      })
      pump.wake()
      if (row === undefined) throw new NotExportableError(`${key.day} was removed meanwhile`)
      return row
    },
    link: async (key) => {
      const row = await findExport(db.read, key)
      if (row === undefined || row.bytes === null) return undefined
      const fileName = `${key.accountSid}-${key.day}.tar`
      return files.link(fileNameOf(row), { seconds: LINK_SECONDS, fileName, mimeType: TAR })
    },
    start: async () => {
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await db.write((tx) => releaseBuilds(tx, db.node, clock.now()))
      pump.wake()
    },
    [Symbol.asyncDispose]: () => pump[Symbol.asyncDispose](),
  }
}

/** May run in several processes at once: the database keeps each archive once. */
async function planNights({ db, accounts }: NightDeps, now: number): Promise<void> {
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

/** The file goes first: a process that is killed in between removes the row the next time. */
async function removeExpired({ db, clock, files, log }: ExportsDeps): Promise<void> {
  for (const row of await expiredExports(db.read, firstKeptDay(clock.now()), REMOVED_AT_ONCE))
    try {
      if (row.bytes !== null) await files.remove(fileNameOf(row))
      await db.write((tx) => deleteExport(tx, row))
    } catch (err) {
      log.error({ err, accountSid: row.account_sid, day: row.day }, 'could not remove an export')
    }
}
