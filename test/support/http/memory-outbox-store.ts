import type {
  AttemptResult,
  Mark,
  NewOutboxRow,
  OutboxRow,
  OutboxStore,
} from '../../../src/platform/outbox/outbox-row.js'

export interface StoredRow extends OutboxRow {
  state: 'pending' | 'delivered' | 'dead'
  attempts: number
  nextAttemptAt: number
  last: AttemptResult | undefined
}

/** An in-memory outbox store, for tests of the worker's own rules. */
export class MemoryOutboxStore implements OutboxStore {
  readonly rows: StoredRow[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  enqueue(rows: readonly NewOutboxRow[]): Promise<void> {
    for (const row of rows) {
      const first = this.#pending().find((other) => other.stream === row.stream)
      this.rows.push({
        ...row,
        id: this.rows.length + 1,
        createdAt: this.#now(),
        attempts: 0,
        idempotencyToken: `token-${this.rows.length + 1}`,
        state: 'pending',
        nextAttemptAt: first?.nextAttemptAt ?? this.#now(),
        last: undefined,
      })
    }
    return Promise.resolve()
  }

  pendingAccounts() {
    const accounts = new Map<string, number>()
    for (const row of this.#pending())
      accounts.set(
        row.accountSid,
        Math.min(accounts.get(row.accountSid) ?? Infinity, row.nextAttemptAt),
      )
    return Promise.resolve([...accounts].map(([accountSid, dueAt]) => ({ accountSid, dueAt })))
  }

  claimDue(
    accountSid: string,
    now: number,
    limit: number,
    busy: ReadonlySet<string>,
  ): Promise<readonly OutboxRow[]> {
    const heads = new Map<string, StoredRow>()
    for (const row of this.#pending()) if (!heads.has(row.stream)) heads.set(row.stream, row)
    const due = [...heads.values()]
      .filter((row) => row.accountSid === accountSid && row.nextAttemptAt <= now)
      .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || a.id - b.id)
    const seen = due.slice(0, limit).filter((row) => !busy.has(row.stream))
    return Promise.resolve(seen.map((row) => ({ ...row })))
  }

  nextDueAfter(accountSid: string, now: number): Promise<number | undefined> {
    const times = this.#pending()
      .filter((row) => row.accountSid === accountSid && row.nextAttemptAt > now)
      .map((row) => row.nextAttemptAt)
    return Promise.resolve(times.length === 0 ? undefined : Math.min(...times))
  }

  async mark(mark: Mark): Promise<void> {
    const { row, result } = mark
    await this.#change(row, result, mark.state === 'aside' ? 'pending' : mark.state)
    if (!('nextAttemptAt' in mark)) return
    const held = this.#pending().filter(({ stream }) => stream === row.stream)
    const moved = held.find(({ id }) => id === row.id)
    if (mark.state === 'aside' && moved !== undefined)
      Object.assign(moved, { stream: `aside ${row.id}`, nextAttemptAt: mark.nextAttemptAt })
    else for (const other of held) other.nextAttemptAt = mark.nextAttemptAt
  }

  #pending(): StoredRow[] {
    return this.rows.filter((row) => row.state === 'pending')
  }

  #change(row: OutboxRow, result: AttemptResult, state: StoredRow['state']): Promise<void> {
    const stored = this.rows.find((other) => other.id === row.id)
    if (stored === undefined) return Promise.reject(new Error(`no row ${row.id}`))
    Object.assign(stored, { state, last: result, attempts: row.attempts + 1 })
    return Promise.resolve()
  }
}
