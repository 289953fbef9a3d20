/** A row to write in the transaction of the change that it reports. */
export interface NewOutboxRow {
  /** Name of the channel that delivers the row. */
  readonly channel: string
  /** Stream of the row; its rows are sent one after the other, except those that step aside. */
  readonly stream: string
  readonly accountSid: string
  /** The kind of change that the row reports, for people. */
  readonly kind: string
  /** The content that the channel delivers; stored as JSON. */
  readonly payload: unknown
  /** Token sent with every attempt, so that receivers can drop duplicates; random by default. */
  readonly idempotencyToken?: string
}

export interface OutboxRow extends NewOutboxRow {
  readonly id: number
  readonly createdAt: number
  /** Number of completed attempts. */
  readonly attempts: number
  readonly idempotencyToken: string
}

/** The outcome of an attempt. */
export interface AttemptResult {
  /** The HTTP status of the answer, when there was one. */
  readonly status: number | undefined
  readonly error: string | undefined
  /** The requested URL. */
  readonly endpoint?: string
  readonly durationMs?: number
}

/** The new state of a row after an attempt. */
export type Mark = { readonly row: OutboxRow; readonly result: AttemptResult } & (
  | { readonly state: 'delivered' | 'dead' }
  /** Retried at that time; its stream waits for it. */
  | { readonly state: 'pending'; readonly nextAttemptAt: number }
  /** Retried at that time in its own stream; the old stream proceeds. */
  | { readonly state: 'aside'; readonly nextAttemptAt: number }
)

/**
 * The stored rows. A row stays pending until its result is stored, so that each is delivered at least once,
 * even after a crash.
 */
export interface OutboxStore {
  /** Resolves with every account that has pending rows, and when its next one is due. */
  pendingAccounts(): Promise<readonly { readonly accountSid: string; readonly dueAt: number }[]>
  /**
   * Claims the account's due rows that are first in their stream, longest due first. Reads at most `limit`,
   * including those of the `busy` streams, which are pending while they are being delivered.
   */
  claimDue(
    accountSid: string,
    now: number,
    limit: number,
    busy: ReadonlySet<string>,
  ): Promise<readonly OutboxRow[]>
  /** Resolves with the due time of the account's first pending row after `now`. */
  nextDueAfter(accountSid: string, now: number): Promise<number | undefined>
  /** Stores the result of a row; the stream's next row may be sent unless the row is `pending`. */
  mark(mark: Mark): Promise<void>
}
