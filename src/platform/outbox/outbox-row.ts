/** A row to write in the transaction of the change that it reports. */
export interface NewOutboxRow {
  /** The name of the channel that delivers the row. */
  readonly channel: string
  /** The stream. Its rows go out one after the other, except for those that step aside. */
  readonly stream: string
  readonly accountSid: string
  /** The kind of change that the row reports, for people. */
  readonly kind: string
  /** The content that the channel delivers; stored as JSON. */
  readonly payload: unknown
  /**
   * The token that every attempt carries, so that a receiver can ignore repetitions; random by
   * default.
   */
  readonly idempotencyToken?: string
}

export interface OutboxRow extends NewOutboxRow {
  readonly id: number
  readonly createdAt: number
  /** The number of attempts that have ended. */
  readonly attempts: number
  readonly idempotencyToken: string
}

/** The outcome of an attempt. */
export interface AttemptResult {
  /** The HTTP status of the answer, when there was one. */
  readonly status: number | undefined
  readonly error: string | undefined
  /** The URL that was asked. */
  readonly endpoint?: string
  readonly durationMs?: number
}

/** The change of a row after an attempt. */
export type Mark = { readonly row: OutboxRow; readonly result: AttemptResult } & (
  | { readonly state: 'delivered' | 'dead' }
  /** The row is tried again at that time; its stream waits behind it. */
  | { readonly state: 'pending'; readonly nextAttemptAt: number }
  /** The row is tried again at that time, in a stream of its own: its old stream goes on. */
  | { readonly state: 'aside'; readonly nextAttemptAt: number }
)

/**
 * The store of waiting rows. A row is pending until it is marked, whatever happens to the process
 * in between, so each delivery happens at least once.
 */
export interface OutboxStore {
  /** Returns every account with pending rows, and the time at which its next one is due. */
  pendingAccounts(): Promise<readonly { readonly accountSid: string; readonly dueAt: number }[]>
  /**
   * Claims the account's rows that are due and first in their stream, longest due first. At most
   * `limit` are looked at, those of the `busy` streams among them: they are being delivered and
   * still pending.
   */
  claimDue(
    accountSid: string,
    now: number,
    limit: number,
    busy: ReadonlySet<string>,
  ): Promise<readonly OutboxRow[]>
  /** Returns the time at which the account's first pending row beyond `now` is due. */
  nextDueAfter(accountSid: string, now: number): Promise<number | undefined>
  /** Stores the outcome of a row; the stream's next row may go unless the row is `pending`. */
  mark(mark: Mark): Promise<void>
}
