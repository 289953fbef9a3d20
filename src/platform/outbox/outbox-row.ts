import type { WebhookMethod } from '../http/http-method.js'
import type { WebhookParams } from '../webhooks/signature.js'

/** A notification to write in the transaction of the change that it reports. */
export interface NewOutboxRow {
  /** Rows of one stream go out strictly one after the other: the sid of what they are about. */
  readonly stream: string
  readonly accountSid: string
  /** What it notifies of, for people. */
  readonly kind: string
  readonly url: string
  readonly method: WebhookMethod
  readonly params: WebhookParams
}

export interface OutboxRow extends NewOutboxRow {
  readonly id: number
  readonly createdAt: number
  /** Failed ones so far. */
  readonly attempts: number
  /** The same for every attempt, so that a receiver can drop what it has seen. */
  readonly idempotencyToken: string
}

export interface AttemptResult {
  readonly status: number | undefined
  readonly error: string | undefined
}

/**
 * Where notifications wait. A row is pending until it is marked, whatever happens to the process in
 * between; that is what makes the delivery at-least-once.
 */
export interface OutboxStore {
  /** Every account with pending rows, and when its next one is due. */
  pendingAccounts(): Promise<readonly { readonly accountSid: string; readonly dueAt: number }[]>
  /**
   * The account's rows that are due and first in their stream, longest due first. At most `limit`
   * are looked at, those of the `busy` streams among them: being delivered, they are still pending.
   */
  due(
    accountSid: string,
    now: number,
    limit: number,
    busy: ReadonlySet<string>,
  ): Promise<readonly OutboxRow[]>
  /** When the account's first pending row beyond `now` is due. */
  nextDueAfter(accountSid: string, now: number): Promise<number | undefined>
  markDelivered(row: OutboxRow, result: AttemptResult): Promise<void>
  /** Counts the attempt and holds back the whole stream until `nextAttemptAt`. */
  markFailed(row: OutboxRow, result: AttemptResult, nextAttemptAt: number): Promise<void>
  /** Gives the row up; the next one of its stream is free to go. */
  markDead(row: OutboxRow, result: AttemptResult): Promise<void>
}
