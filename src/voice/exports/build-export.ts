/** Builds one archive under a lease, which other processes see: its progress keeps it alive. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { FileStore } from '../../platform/files/file-store.js'
import type { Logger } from '../../platform/log.js'
import { buildArchive } from './archive/build-archive.js'
import { rangeOf } from './export-day.js'
import type { ExportKind } from './export-kind.js'
import { changeClaimed, claim, type ExportRow } from './storage/export-storage.js'

export interface BuildDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly files: FileStore
  readonly kinds: readonly ExportKind[]
  readonly folder: string
  readonly signal: AbortSignal
}

export const TAR = 'application/x-tar'
/** The time after which another process takes over a build that shows no progress. */
const LEASE_MS = 60_000
/** The least time between two commits of the progress. */
const PROGRESS_EVERY_MS = 1_000
const MAX_ATTEMPTS = 10
const FIRST_RETRY_MS = 30_000
const MAX_RETRY_MS = 3_600_000

/** Another process has taken over. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

export function fileNameOf({ account_sid, day }: Pick<ExportRow, 'account_sid' | 'day'>): string {
  return `exports/${account_sid}/${day}.tar`
}

/**
 * Builds the row's archive, unless another process has taken it. Rejects only when the database
 * cannot be read or written.
 */
export async function runBuild(row: ExportRow, deps: BuildDeps): Promise<void> {
  const { db, clock, log, signal } = deps
  const lease = randomUUID()
  const now = clock.now()
  const taken = { name: lease, builder: db.node, until: now + LEASE_MS, now }
  if (!(await db.write((tx) => claim(tx, row, taken)))) return
  const ids = { accountSid: row.account_sid, day: row.day }
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
      accountSid: row.account_sid,
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
      built_at: startedAt,
      error: null,
      updated_at: clock.now(),
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
    const change = { records, progress: percent, due_at: now + LEASE_MS, updated_at: now }
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
    due_at: now,
    attempts: row.attempts,
    updated_at: now,
  }
}

function failed(row: ExportRow, error: unknown, now: number): Partial<ExportRow> {
  const attempts = row.attempts + 1
  const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** row.attempts)
  return {
    state: attempts >= MAX_ATTEMPTS ? 'failed' : 'queued',
    lease: null,
    builder: null,
    due_at: now + delayMs,
    error: error instanceof Error ? error.name : 'Error',
    updated_at: now,
  }
}
