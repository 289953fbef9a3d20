/**
 * Copies finished recordings to the buckets of their accounts. The queue is in the database, so a
 * crash loses nothing. The local file is kept, whatever happens to the upload.
 */
import { setMaxListeners } from 'node:events'
import type { Accounts } from '../../../accounts/accounts.js'
import type { StorageSettings } from '../../../accounts/settings.js'
import { Pump } from '../../../platform/async/pump.js'
import { pause } from '../../../platform/async/sleep.js'
import type { Clock } from '../../../platform/clock.js'
import type { Database, Writer } from '../../../platform/database/database.js'
import { type BucketPlace, bucketPlace, signingKey } from '../../../platform/files/bucket-place.js'
import type { KeptFiles } from '../../../platform/files/kept-files.js'
import {
  createObjectStore,
  INVALID_CONFIGURATION,
  type ObjectStore,
  type StoreOutcome,
} from '../../../platform/files/object-store.js'
import type { Outbound } from '../../../platform/http/outbound.js'
import type { Logger } from '../../../platform/log.js'
import { nextAttemptAt, type RetrySchedule } from '../../../platform/outbox/retry-schedule.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { EventLog } from '../../events/event-log.js'
import { finishedName } from '../recording-files.js'
import {
  type ArchiveRow,
  forgetRow,
  insertUpload,
  nextPending,
  noteTarget,
  queueDeletion,
  settleRow,
} from './archive-storage.js'

export interface RecordingArchive extends AsyncDisposable {
  /** True when the account has a bucket. */
  isWanted(accountSid: string): Promise<boolean>
  /** Queues the upload in the transaction that completes the recording. */
  enqueue(tx: Writer, recording: ArchivedRecording): Promise<void>
  /** Queues the removal in the transaction that deletes the recording. */
  enqueueRemoval(tx: Writer, sid: string): Promise<void>
  /** Starts due work. Called after each queuing commit, and once at start. */
  wake(): void
}

interface ArchivedRecording {
  readonly sid: string
  readonly accountSid: string
  readonly callSid: string
}

export interface ArchiveDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly events: EventLog
  readonly accounts: Pick<Accounts, 'find'>
  readonly outbound: Pick<Outbound, 'request' | 'allowsPlainSockets'>
  readonly files: Pick<KeptFiles, 'find'>
  readonly random: () => number
  readonly schedules?: Readonly<Record<'upload' | 'delete', RetrySchedule>>
}

/**
 * Maximum number of accounts served at the same time, so that a hanging bucket delays no other
 * account.
 */
const RUNNING = 4
const DAY_MS = 86_400_000
const SCHEDULES = {
  // One week is enough for a person to repair the bucket or its permissions.
  upload: { firstDelayMs: 2_000, maxDelayMs: 15 * 60_000, horizonMs: 7 * DAY_MS },
  delete: { firstDelayMs: 2_000, maxDelayMs: 15 * 60_000, horizonMs: DAY_MS },
}
/** Error number of an internal failure: disk or database. */
const INTERNAL_FAILURE = 12400
/** Pause after a failed database access, ms. */
const PAUSE_MS = 1_000

type AttemptOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly code: ErrorNumber; readonly reason: string }
  /** The row needs no more work. */
  | { readonly type: 'dropped' }

interface AttemptDeps {
  readonly db: Database
  readonly log: Logger
  readonly accounts: Pick<Accounts, 'find'>
  readonly files: Pick<KeptFiles, 'find'>
}

export function createRecordingArchive(deps: ArchiveDeps): RecordingArchive {
  const { db, clock, log, accounts } = deps
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const store = createObjectStore({ ...deps, signal: closing.signal })
  /** Work in progress, by account. */
  const running = new Map<string, Promise<void>>()

  const look = async (): Promise<number> => {
    try {
      while (running.size < RUNNING && !closing.signal.aborted) {
        const row = await nextPending(db.read, db.node, [...running.keys()])
        if (row === undefined) return Number.POSITIVE_INFINITY
        if (!isDue(row, clock.now())) return row.nextAttemptAt
        begin(row)
      }
    } catch (err) {
      log.error({ err }, 'the archive queue could not be read')
      return clock.now() + PAUSE_MS
    }
    return Number.POSITIVE_INFINITY
  }
  const pump = new Pump({ name: 'archive of recordings', log, look, now: () => clock.now() })

  const begin = (row: ArchiveRow): void => {
    const done = work(row, store, deps, closing.signal)
    running.set(
      row.accountSid,
      done.finally(() => {
        running.delete(row.accountSid)
        pump.wake()
      }),
    )
  }

  return {
    isWanted: async (sid) => (await accounts.find(sid))?.settings.storage.bucket !== undefined,
    enqueue: (tx, recording) => insertUpload(tx, recording, db.node, clock.now()),
    enqueueRemoval: (tx, sid) => queueDeletion(tx, sid, clock.now()),
    wake: () => {
      pump.wake()
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await pump[Symbol.asyncDispose]()
      await Promise.all(running.values())
    },
  }
}

/** Does the work of one row. Never rejects; resolves once the row holds the result. */
async function work(
  row: ArchiveRow,
  store: ObjectStore,
  deps: ArchiveDeps,
  signal: AbortSignal,
): Promise<void> {
  const outcome = await attempted(row, store, deps)
  // Shutdown is not a failure of the bucket: the next process repeats this attempt.
  if (signal.aborted) return
  try {
    await settle(row, outcome, deps)
  } catch (err) {
    deps.log.error(
      { err, recordingSid: row.sid },
      'the result of an archive attempt could not be stored',
    )
    await pause(PAUSE_MS, signal)
  }
}

async function attempted(
  row: ArchiveRow,
  store: ObjectStore,
  deps: ArchiveDeps,
): Promise<AttemptOutcome> {
  try {
    return await attempt(row, store, deps)
  } catch (err) {
    deps.log.error({ err, recordingSid: row.sid }, 'a recording could not be archived')
    return { type: 'failed', code: INTERNAL_FAILURE, reason: 'the recording could not be read' }
  }
}

async function settle(row: ArchiveRow, outcome: AttemptOutcome, deps: ArchiveDeps): Promise<void> {
  const { db, clock } = deps
  if (outcome.type === 'failed') {
    await settleFailure(row, outcome, deps)
    return
  }
  const isStored = outcome.type === 'done' && row.action === 'upload'
  await db.write((tx) =>
    isStored ? settleRow(tx, row, { state: 'stored', errorCode: null }) : forgetRow(tx, row),
  )
  if (isStored) logUpload(row, clock.now() - row.createdAt, deps)
}

async function settleFailure(
  row: ArchiveRow,
  { code, reason }: Extract<AttemptOutcome, { readonly type: 'failed' }>,
  { db, clock, random, schedules = SCHEDULES, events, log }: ArchiveDeps,
): Promise<void> {
  const attempts = row.attempts + 1
  const schedule = row.action === 'delete' ? schedules.delete : schedules.upload
  const facts = { createdAt: row.createdAt, attempts }
  const next = nextAttemptAt(schedule, facts, clock.now(), random())
  await db.write((tx) => {
    if (next === undefined && row.action === 'delete') return forgetRow(tx, row)
    const when =
      next === undefined
        ? { state: 'given-up' as const }
        : { nextAttemptAt: next, state: 'pending' as const }
    return settleRow(tx, row, { ...when, attempts, errorCode: code })
  })
  log.warn(
    { recordingSid: row.sid, action: row.action, code, attempts },
    'an archive attempt failed',
  )
  // One event per kind of failure, not per attempt.
  if (code === row.errorCode && next !== undefined) return
  const what = row.action === 'delete' ? 'deleted from' : 'stored in'
  const message = `${row.sid} could not be ${what} the bucket: ${reason}`
  const detail = { code, message, recordingSid: row.sid, isLast: next === undefined }
  events.append({ callSid: row.callSid, accountSid: row.accountSid, kind: 'error', detail })
}

function logUpload(row: ArchiveRow, afterMs: number, { events }: ArchiveDeps): void {
  const detail = { event: 'archived', recordingSid: row.sid, attempts: row.attempts + 1, afterMs }
  events.append({ callSid: row.callSid, accountSid: row.accountSid, kind: 'recording', detail })
}

/** True when the row is due. A time too far ahead was written before the clock was set back. */
function isDue(
  { nextAttemptAt: at, action }: ArchiveRow,
  now: number,
  schedules = SCHEDULES,
): boolean {
  const { maxDelayMs } = action === 'delete' ? schedules.delete : schedules.upload
  return at <= now || at > now + maxDelayMs
}

/**
 * Tries the upload or removal once. Rejects when the database or the recording's file cannot be
 * read.
 */
async function attempt(
  row: ArchiveRow,
  store: ObjectStore,
  deps: AttemptDeps,
): Promise<AttemptOutcome> {
  const account = await deps.accounts.find(row.accountSid)
  if (account === undefined) return { type: 'dropped' }
  const { storage } = account.settings
  return row.action === 'delete'
    ? await remove(row, storage, store)
    : await upload(row, storage, store, deps)
}

async function upload(
  row: ArchiveRow,
  storage: StorageSettings,
  store: ObjectStore,
  { db, files, log }: AttemptDeps,
): Promise<AttemptOutcome> {
  // The account has disabled its archive.
  if (storage.bucket === undefined) return { type: 'dropped' }
  const place = bucketPlace(storage, `${row.sid}.wav`)
  if (place.type === 'invalid') return misconfigured(place.reason)
  const { url, region } = place.value
  const key = signingKey(storage, region)
  if (key.type === 'invalid') return misconfigured(key.reason)
  const file = await files.find(finishedName(row.sid))
  if (file === undefined) return missing(row, log)
  const isStillWanted = await db.write((tx) => noteTarget(tx, row.sid, { url: url.href, region }))
  if (!isStillWanted) return { type: 'dropped' }
  const object = { url, key: key.value, accountSid: row.accountSid }
  try {
    return await store.put(object, file, {
      contentType: 'audio/x-wav',
      kmsKeyId: storage.kmsKeyId,
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return missing(row, log)
  }
}

function missing({ sid }: ArchiveRow, log: Logger): AttemptOutcome {
  log.error({ recordingSid: sid }, 'the file of a recording was missing before its upload')
  return { type: 'dropped' }
}

async function remove(
  row: ArchiveRow,
  storage: StorageSettings,
  store: ObjectStore,
): Promise<AttemptOutcome> {
  const place = placeOf(row)
  if (place === undefined) return { type: 'dropped' }
  const key = signingKey(storage, place.region)
  if (key.type === 'invalid') return misconfigured(key.reason)
  return await store.remove({ url: place.url, key: key.value, accountSid: row.accountSid })
}

/** Returns the location of the uploaded object, even after the settings have changed. */
function placeOf({ url, region }: ArchiveRow): BucketPlace | undefined {
  return url === null || region === null ? undefined : { url: new URL(url), region }
}

function misconfigured(reason: string): StoreOutcome {
  return { type: 'failed', code: INVALID_CONFIGURATION, reason }
}
