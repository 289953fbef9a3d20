import { systemClock } from '../../platform/clock.js'
import { claimOf, isFreeFor, UNCLAIMED } from '../../platform/database/claims.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'
import { isFirstOfStream } from '../../platform/database/stream-order.js'
import type { Core } from '../model/core.js'

export interface Job {
  readonly id: number
  readonly kind: string
  /** The identifier of the record that the job works on. */
  readonly subject: string
  readonly dueAt: number
  readonly attempts: number
}

/**
 * A job runs later, or after the commit. It is stored as a row, so that the next process resumes it
 * after a kill. A `commit` handler does its work in one transaction with the job's end. A `perform`
 * handler acts outside first, and may run again when the process was killed in between.
 */
export type JobHandler =
  | { readonly type: 'commit'; run(tx: Writer, job: Job): Promise<void> }
  | {
      readonly type: 'perform'
      /** Resolves with the change that is committed together with the job's end. */
      run(job: Job, signal: AbortSignal): Promise<(tx: Writer) => Promise<void>>
    }

/** What running a job needs of the core. */
export interface JobsCore extends Pick<Core, 'db' | 'log'> {
  readonly clock: Pick<Core['clock'], 'now'>
}

export type JobHandlers = Readonly<Record<string, JobHandler>>

/**
 * The place of a `perform` job among those that run in the order in which they were scheduled, one at a
 * time on all nodes. One that fails holds back the later ones until it succeeds.
 */
export interface JobOrder {
  readonly stream: string
  /**
   * The part of the stream that the job is about. Jobs of different parts do not wait for each other; a
   * job of the whole stream, which has null, waits for all earlier ones and holds back all later ones.
   */
  readonly part: string | null
}

const UNORDERED = { stream: null, part: null }

export async function schedule(
  tx: Writer,
  kind: string,
  subject: string,
  dueAt: number,
  order: JobOrder | typeof UNORDERED = UNORDERED,
): Promise<void> {
  const { stream, part } = order
  await tx
    .insertInto('registry_jobs')
    .values({ kind, subject, dueAt, attempts: 0, stream, part, ...UNCLAIMED })
    .execute()
}

export async function cancelJobs(tx: Writer, kind: string, subject: string): Promise<void> {
  await tx
    .deleteFrom('registry_jobs')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .execute()
}

/** True while a job of that kind, about that subject or of that stream, waits or runs. */
export async function hasJob(
  db: Reader,
  kind: string,
  { column, value }: { readonly column: 'subject' | 'stream'; readonly value: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('registry_jobs')
    .select('id')
    .where(column, '=', value)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The job that has waited longest, due or not, of those that no other node has claimed and that need not
 * wait for another one.
 */
async function nextJob({ read, node }: Database): Promise<Job | undefined> {
  const now = systemClock.now()
  const row = await read
    .selectFrom('registry_jobs')
    .selectAll()
    .where(isFreeFor(node, now))
    .where(isFirstOfStream('registry_jobs', node, now))
    .orderBy('dueAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, kind, subject, dueAt, attempts } = row
  return { id, kind, subject, dueAt, attempts }
}

/**
 * Claims a job for this node; resolves with false when another node has claimed, put off or ended it, or
 * runs one that it waits for.
 */
async function claim(db: Database, { id, dueAt }: Job): Promise<boolean> {
  // The registry's own clock can be turned; a lease is of the time that all nodes share.
  const now = systemClock.now()
  return await db.write(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('registry_jobs')
      .set(claimOf(db.node, now))
      .where('id', '=', id)
      .where('dueAt', '=', dueAt)
      .where(isFreeFor(db.node, now))
      .where(isFirstOfStream('registry_jobs', db.node, now))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  })
}

/** Gives back the jobs that a node which was declared dead had claimed. */
export async function releaseJobs(tx: Writer, node: string): Promise<void> {
  await tx.updateTable('registry_jobs').set(UNCLAIMED).where('claimedBy', '=', node).execute()
}

/** Runs the due jobs, oldest first; resolves with the time at which the next job is due. */
export async function runDueJobs(
  core: JobsCore,
  handlers: JobHandlers,
  signal: AbortSignal,
): Promise<number | undefined> {
  for (;;) {
    const job = await nextJob(core.db)
    if (job === undefined || job.dueAt > core.clock.now() || signal.aborted) return job?.dueAt
    await runJob(core, handlers, job, signal)
  }
}

const RETRY_MS = [1_000, 5_000, 30_000, 120_000, 600_000]

/** Runs one job; a job that fails is put off. */
async function runJob(
  core: JobsCore,
  handlers: JobHandlers,
  job: Job,
  signal: AbortSignal,
): Promise<void> {
  const handler = handlers[job.kind]
  try {
    if (handler === undefined) throw new Error(`there is no job ${job.kind}`)
    if (handler.type === 'commit') {
      await finish(core, job, (tx) => handler.run(tx, job))
      return
    }
    if (await claim(core.db, job)) await finish(core, job, await handler.run(job, signal))
  } catch (error) {
    if (signal.aborted) return
    core.log.warn({ err: error, job }, 'a registry job failed and will be retried')
    await putOff(core, job)
  }
}

/** Ends a job together with its change; a job that another node has ended changes nothing. */
async function finish(
  { db }: JobsCore,
  { id }: Job,
  commit: (tx: Writer) => Promise<void>,
): Promise<void> {
  await db.write(async (tx) => {
    // The job's row goes first, so that the work itself may schedule the same kind again.
    const { numDeletedRows } = await tx
      .deleteFrom('registry_jobs')
      .where('id', '=', id)
      .executeTakeFirst()
    if (numDeletedRows > 0n) await commit(tx)
  })
}

/** Schedules another attempt, unless another node has claimed the job meanwhile. */
async function putOff({ db, clock }: JobsCore, job: Job): Promise<void> {
  const wait = RETRY_MS[Math.min(job.attempts, RETRY_MS.length - 1)] ?? 0
  const change = { dueAt: clock.now() + wait, attempts: job.attempts + 1, ...UNCLAIMED }
  await db.write((tx) =>
    tx
      .updateTable('registry_jobs')
      .set(change)
      .where('id', '=', job.id)
      .where(isFreeFor(db.node, systemClock.now()))
      .execute(),
  )
}
