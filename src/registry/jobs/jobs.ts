import type { Reader, Writer } from '../../platform/database/database.js'
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

export type JobHandlers = Readonly<Record<string, JobHandler>>

export async function schedule(
  tx: Writer,
  kind: string,
  subject: string,
  dueAt: number,
): Promise<void> {
  await tx
    .insertInto('registry_jobs')
    .values({ kind, subject, due_at: dueAt, attempts: 0 })
    .execute()
}

export async function cancelJobs(tx: Writer, kind: string, subject: string): Promise<void> {
  await tx
    .deleteFrom('registry_jobs')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .execute()
}

async function nextJob(db: Reader): Promise<Job | undefined> {
  const row = await db
    .selectFrom('registry_jobs')
    .selectAll()
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, kind, subject, due_at: dueAt, attempts } = row
  return { id, kind, subject, dueAt, attempts }
}

/** Runs the due jobs, oldest first; resolves with the time at which the next job is due. */
export async function runDueJobs(
  core: Core,
  handlers: JobHandlers,
  signal: AbortSignal,
): Promise<number | undefined> {
  for (;;) {
    const job = await nextJob(core.db.read)
    if (job === undefined || job.dueAt > core.clock.now() || signal.aborted) return job?.dueAt
    await runJob(core, handlers, job, signal)
  }
}

const RETRY_MS = [1_000, 5_000, 30_000, 120_000, 600_000]

/** Runs one job; a job that fails is put off. */
async function runJob(
  core: Core,
  handlers: JobHandlers,
  job: Job,
  signal: AbortSignal,
): Promise<void> {
  const handler = handlers[job.kind]
  try {
    if (handler === undefined) throw new Error(`there is no job ${job.kind}`)
    const commit =
      handler.type === 'commit'
        ? (tx: Writer) => handler.run(tx, job)
        : await handler.run(job, signal)
    await core.db.write(async (tx) => {
      // The job's row goes first, so that the work itself may schedule the same kind again.
      await tx.deleteFrom('registry_jobs').where('id', '=', job.id).execute()
      await commit(tx)
    })
  } catch (error) {
    if (signal.aborted) return
    const wait = RETRY_MS[Math.min(job.attempts, RETRY_MS.length - 1)] ?? 0
    core.log.warn({ err: error, job }, 'a registry job failed and will be retried')
    await core.db.write((tx) =>
      tx
        .updateTable('registry_jobs')
        .set({ due_at: core.clock.now() + wait, attempts: job.attempts + 1 })
        .where('id', '=', job.id)
        .execute(),
    )
  }
}
