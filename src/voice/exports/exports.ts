/**
 * Daily archives of an account's records. They are built each night and on demand, and kept for a
 * year. The build queue is in the database: each archive is built by one process, and another
 * process takes over when that one dies.
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
  /** Lists the account's archives, newest first. */
  list(accountSid: string): Promise<readonly ExportRow[]>
  /** Resolves with an archive's state; undefined when it was never requested. */
  find(key: ExportKey): Promise<ExportRow | undefined>
  /**
   * Queues the build of an archive, even if one exists. Rejects with NotExportableError for a day
   * that is not over, or older than archives are kept.
   */
  request(key: ExportKey): Promise<ExportRow>
  /** Resolves with an expiring URL of the archive; undefined when there is no archive. */
  link(key: ExportKey): Promise<string | undefined>
  /**
   * Starts building; first re-queues builds that an earlier process of this node left unfinished.
   */
  start(): Promise<void>
}

export interface ExportsDeps {
  readonly db: Database
  readonly accounts: Pick<Accounts, 'list'>
  readonly clock: Clock
  readonly log: Logger
  readonly files: FileStore
  readonly kinds: readonly ExportKind[]
  /** Folder for files of builds in progress; emptied at start. */
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
/** Time without progress after which another process takes over a build, ms. */
const LEASE_MS = 60_000
/** Minimum interval between commits of the progress, ms. */
const PROGRESS_EVERY_MS = 1_000
const MAX_ATTEMPTS = 10
const FIRST_RETRY_MS = 30_000
const MAX_RETRY_MS = 3_600_000

/** The day is not over, or older than archives are kept. */
export class NotExportableError extends DomainError {
  override readonly name = 'NotExportableError'
  readonly code = 'not-exportable'
}

/** Validity of a download link, s. */
export const LINK_SECONDS = 900
/** Interval between checks for missing nightly archives and expired ones, ms. */
const PLAN_EVERY_MS = 600_000
const REMOVED_AT_ONCE = 100
/** Pause after a failed database access, ms. */
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

/**
 * Queues missing nightly archives. Safe to run in several processes: the database keeps one row per
 * archive.
 */
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

/**
 * True when an archive is older than a day and some of its calls were unfinished when it was built.
 */
function isEarly({ state, unfinished, builtAt }: ExportRow, now: number): boolean {
  return state === 'completed' && unfinished > 0 && builtAt !== null && builtAt <= now - DAY_MS
}

/** The file is deleted first: a crash in between leaves a row, which the next run deletes. */
async function removeExpired({ db, clock, files, log }: ExportsDeps): Promise<void> {
  for (const row of await expiredExports(db.read, firstKeptDay(clock.now()), REMOVED_AT_ONCE))
    try {
      if (row.bytes !== null) await files.remove(fileNameOf(row))
      await db.write((tx) => deleteExport(tx, row))
    } catch (err) {
      log.error({ err, accountSid: row.accountSid, day: row.day }, 'could not remove an export')
    }
}

/** Thrown when another process has taken over the build. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

function fileNameOf({ accountSid, day }: Pick<ExportRow, 'accountSid' | 'day'>): string {
  return `exports/${accountSid}/${day}.tar`
}

/**
 * Builds an archive under a lease, which each progress report renews. Stops when another process
 * has taken over. Rejects only when the database cannot be read or written.
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

/** Returns a function that stores the progress and renews the lease, at limited intervals. */
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

/** The row of a build that shutdown interrupted: the next process starts it again. */
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
