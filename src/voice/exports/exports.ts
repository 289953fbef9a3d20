/**
 * Archives of what an account did in a day: built each night and on demand, kept for a year. The
 * database says who builds which one, so that several processes build each once, and another goes on
 * where one was killed.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account, Accounts } from '../../accounts/accounts.js'
import { Pump } from '../../platform/async/pump.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { DomainError } from '../../platform/errors.js'
import type { FileStore } from '../../platform/files/file-store.js'
import type { Logger } from '../../platform/log.js'
import { buildArchive } from './archive/build-archive.js'
import { canBeExported, firstKeptDay, nightlyDays, rangeOf } from './export-day.js'
import type { ExportKind } from './export-kind.js'
import {
  changeClaimed,
  claim,
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

interface BuildDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly files: FileStore
  readonly kinds: readonly ExportKind[]
  readonly folder: string
  readonly signal: AbortSignal
}

const TAR = 'application/x-tar'
/** The time after which another process takes over a build that shows no progress. */
const LEASE_MS = 60_000
/** The least time between two commits of the progress. */
const PROGRESS_EVERY_MS = 1_000
const MAX_ATTEMPTS = 10
const FIRST_RETRY_MS = 30_000
const MAX_RETRY_MS = 3_600_000

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
        if (row.dueAt > clock.now()) return Math.min(row.dueAt, plannedAt + PLAN_EVERY_MS)
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
    for (const { accountSid, day } of early)
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
  const known = new Set(rows.map(({ accountSid, day }) => `${accountSid} ${day}`))
  return accounts.flatMap(({ sid, createdAt }) =>
    days
      .filter((day) => createdAt < (rangeOf(day)?.before ?? 0) && !known.has(`${sid} ${day}`))
      .map((day) => ({ accountSid: sid, day })),
  )
}

/** True a day after an archive was built while some of its calls were under way. */
function isEarly({ state, unfinished, builtAt }: ExportRow, now: number): boolean {
  return state === 'completed' && unfinished > 0 && builtAt !== null && builtAt <= now - DAY_MS
}

/** The file goes first: a process that is killed in between removes the row the next time. */
async function removeExpired({ db, clock, files, log }: ExportsDeps): Promise<void> {
  for (const row of await expiredExports(db.read, firstKeptDay(clock.now()), REMOVED_AT_ONCE))
    try {
      if (row.bytes !== null) await files.remove(fileNameOf(row))
      await db.write((tx) => deleteExport(tx, row))
    } catch (err) {
      log.error({ err, accountSid: row.accountSid, day: row.day }, 'could not remove an export')
    }
}

/** Another process has taken over. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

function fileNameOf({ accountSid, day }: Pick<ExportRow, 'accountSid' | 'day'>): string {
  return `exports/${accountSid}/${day}.tar`
}

/**
 * Builds the row's archive under a lease, which its progress keeps alive, unless another process has
 * taken it. Rejects only when the database cannot be read or written.
 */
async function runBuild(row: ExportRow, deps: BuildDeps): Promise<void> {
  const { db, clock, log, signal } = deps
  const lease = randomUUID()
  const now = clock.now()
  const taken = { name: lease, builder: db.node, until: now + LEASE_MS, now }
  if (!(await db.write((tx) => claim(tx, row, taken)))) return
  const ids = { accountSid: row.accountSid, day: row.day }
  try {
    const done = await buildAndStore(row, lease, deps)
    if (!(await db.write((tx) => changeClaimed(tx, row, lease, done)))) throw new LeaseLostError()
    log.info({ ...ids, records: done.records, bytes: done.bytes }, 'built an export')
  } catch (err) {
    if (err instanceof LeaseLostError) {
      log.warn(ids, 'another process has taken over the build of an export')
      return
    }
    const change = signal.aborted ? released(row, clock.now()) : failed(row, err, clock.now())
    if (!signal.aborted) log.error({ err, ...ids }, 'could not build an export')
    await db.write((tx) => changeClaimed(tx, row, lease, change))
  }
}

async function buildAndStore(row: ExportRow, lease: string, deps: BuildDeps) {
  const { clock, files, kinds, signal } = deps
  const range = rangeOf(row.day)
  if (range === undefined) throw new RangeError(`${row.day} is not a day`)
  const folder = join(deps.folder, lease)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const startedAt = clock.now()
    const built = await buildArchive({
      accountSid: row.accountSid,
      day: row.day,
      range,
      kinds,
      folder,
      now: startedAt,
      onProgress: progressWriter(row, lease, deps),
      signal,
    })
    await files.put(fileNameOf(row), built.path, TAR)
    return {
      state: 'completed' as const,
      lease: null,
      builder: null,
      progress: 100,
      records: built.records,
      bytes: built.bytes,
      unfinished: built.unfinished,
      builtAt: startedAt,
      error: null,
      updatedAt: clock.now(),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Stores the progress now and then, and with it the lease. */
function progressWriter(row: ExportRow, lease: string, { db, clock }: BuildDeps) {
  let storedAt = clock.monotonic()
  return async ({ records, percent }: { records: number; percent: number }): Promise<void> => {
    if (clock.monotonic() < storedAt + PROGRESS_EVERY_MS) return
    storedAt = clock.monotonic()
    const now = clock.now()
    const change = { records, progress: percent, dueAt: now + LEASE_MS, updatedAt: now }
    const isOurs = await db.write((tx) => changeClaimed(tx, row, lease, change))
    if (!isOurs) throw new LeaseLostError()
  }
}

/** The row of a build that the end of the process cut off: the next process begins again. */
function released(row: ExportRow, now: number): Partial<ExportRow> {
  return {
    state: 'queued',
    lease: null,
    builder: null,
    dueAt: now,
    attempts: row.attempts,
    updatedAt: now,
  }
}

function failed(row: ExportRow, error: unknown, now: number): Partial<ExportRow> {
  const attempts = row.attempts + 1
  const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** row.attempts)
  return {
    state: attempts >= MAX_ATTEMPTS ? 'failed' : 'queued',
    lease: null,
    builder: null,
    dueAt: now + delayMs,
    error: error instanceof Error ? error.name : 'Error',
    updatedAt: now,
  }
}
