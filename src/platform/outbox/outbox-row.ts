/** A row to write in the transaction of the change that it reports. */
export interface NewOutboxRow {
  /** The name of the channel that delivers it. */
  readonly channel: string
  /** Rows of one stream go out strictly one after the other. */
  readonly stream: string
  readonly accountSid: string
  /** The kind of change that it reports, for people. */
  readonly kind: string
  /** The content that the channel delivers; stored as JSON. */
  readonly payload: unknown
  /**
   * The token that every attempt carries, so that a receiver can drop what it has seen; random by
   * default.
   */
  readonly idempotencyToken?: string
}

export interface OutboxRow extends NewOutboxRow {
  readonly id: number
  readonly createdAt: number
  /** Attempts that have ended so far. */
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
  /** It is tried again then; its stream waits behind it. */
  | { readonly state: 'pending'; readonly nextAttemptAt: number }
)

/**
 * The place where rows wait. A row is pending until it is marked, whatever happens to the process
 * in between; that makes the delivery at-least-once.
 */
export interface OutboxStore {
  /** Every account with pending rows, and when its next one is due. */
  pendingAccounts(): Promise<readonly { readonly accountSid: string; readonly dueAt: number }[]>
  /**
   * Claims the account's rows that are due and first in their stream, longest due first. At most
   * `limit` are looked at, those of the `busy` streams among them: being delivered, they are still
   * pending.
   */
  claimDue(
    accountSid: string,
    now: number,
    limit: number,
    busy: ReadonlySet<string>,
  ): Promise<readonly OutboxRow[]>
  /** When the account's first pending row beyond `now` is due. */
  nextDueAfter(accountSid: string, now: number): Promise<number | undefined>
  /**
   * Stores what became of a row; the next one of its stream is free to go unless it is `pending`.
   */
  mark(mark: Mark): Promise<void>
}
