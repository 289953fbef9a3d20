/** Maximum number of jobs that share a commit; more wait for the next one. */
const MAX_BATCH = 64

interface Job<Writer> {
  readonly work: (tx: Writer) => Promise<unknown>
  readonly settle: (outcome: Outcome) => void
}

type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown }

export interface WriteQueueDeps<Writer> {
  /** True while the transaction is open: a full disk ends it from within. */
  readonly isOpen: () => boolean
  readonly transaction: (work: (tx: Writer) => Promise<void>) => Promise<void>
  readonly savepoint: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/**
 * Commits writes in groups, since each commit costs a disk flush. Each write has its own savepoint and resolves
 * after the flush.
 */
export class WriteQueue<Writer> {
  readonly #deps: WriteQueueDeps<Writer>
  #waiting: Job<Writer>[] = []
  #pumping: Promise<void> | undefined

  constructor(deps: WriteQueueDeps<Writer>) {
    this.#deps = deps
  }

  run<Result>(work: (tx: Writer) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({
        work,
        settle: (outcome) => {
          // The outcome is that of this very `work`.
          if (outcome.ok) resolve(outcome.value as Result)
          else
            reject(
              outcome.error instanceof Error ? outcome.error : new Error(String(outcome.error)),
            )
        },
      })
      this.#pumping ??= this.#pump()
    })
  }

  /** Number of writes that wait for a commit. */
  get waiting(): number {
    return this.#waiting.length
  }

  async drain(): Promise<void> {
    while (this.#pumping !== undefined) await this.#pumping
  }

  async #pump(): Promise<void> {
    // One turn of the loop lets the writes of this moment gather.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, MAX_BATCH))
    this.#pumping = undefined
  }

  async #commit(batch: readonly Job<Writer>[]): Promise<void> {
    const [first, ...others] = batch
    if (first === undefined) return
    if (others.length === 0) await this.#commitAlone(first)
    else await this.#commitTogether(batch)
  }

  /** The transaction undoes what a failed job did: it needs no savepoint. */
  async #commitAlone(job: Job<Writer>): Promise<void> {
    let value: unknown
    try {
      await this.#deps.transaction(async (tx) => {
        value = await job.work(tx)
      })
    } catch (error) {
      job.settle({ ok: false, error })
      return
    }
    job.settle({ ok: true, value })
  }

  async #commitTogether(batch: readonly Job<Writer>[]): Promise<void> {
    const outcomes = new Map<Job<Writer>, Outcome>()
    try {
      await this.#deps.transaction(async (tx) => {
        for (const job of batch) {
          const outcome = await this.#attempt(job, tx)
          // What came before is undone as well, and what comes next would be outside.
          if (!outcome.ok && !this.#deps.isOpen()) throw outcome.error
          outcomes.set(job, outcome)
        }
      })
    } catch (error) {
      for (const job of batch) job.settle({ ok: false, error })
      return
    }
    for (const [job, outcome] of outcomes) job.settle(outcome)
  }

  async #attempt(job: Job<Writer>, tx: Writer): Promise<Outcome> {
    try {
      return { ok: true, value: await this.#deps.savepoint(() => job.work(tx)) }
    } catch (error) {
      return { ok: false, error }
    }
  }
}
