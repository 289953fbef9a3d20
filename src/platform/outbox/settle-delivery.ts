import type { Clock } from '../clock.js'
import { assertNever } from '../errors.js'
import type { Logger } from '../log.js'
import type { AttemptResult, OutboxRow, OutboxStore } from './outbox-row.js'
import { nextAttemptAt, RETRY_SCHEDULE, type RetrySchedule } from './retry-schedule.js'

export type Delivery =
  | ({ readonly type: 'delivered' } & AttemptResult)
  /** Worth another attempt. */
  | ({ readonly type: 'failed' } & AttemptResult)
  /** Another attempt would bring the same. */
  | ({ readonly type: 'refused' } & AttemptResult)
  /** The signal ended it; it counts for nothing. */
  | { readonly type: 'aborted' }

export interface SettleDeps {
  readonly store: OutboxStore
  readonly clock: Clock
  /** Of [0, 1). */
  readonly random: () => number
  readonly log: Logger
  readonly schedule?: RetrySchedule
  /** Sees each row that is given up, once that is stored. */
  readonly onGivenUp?: (row: OutboxRow, result: AttemptResult) => void
}

/** Stores what came of an attempt: the end of the row, or when it is tried again. */
export async function settleDelivery(
  row: OutboxRow,
  delivery: Delivery,
  deps: SettleDeps,
): Promise<void> {
  switch (delivery.type) {
    case 'aborted':
      return
    case 'delivered':
      await deps.store.markDelivered(row, delivery)
      return
    case 'failed': {
      const failed = { createdAt: row.createdAt, attempts: row.attempts + 1 }
      const { schedule = RETRY_SCHEDULE, clock, random } = deps
      const at = nextAttemptAt(schedule, failed, clock.now(), random())
      if (at === undefined) await giveUp(row, delivery, deps)
      else await deps.store.markFailed(row, delivery, at)
      return
    }
    case 'refused':
      await giveUp(row, delivery, deps)
      return
    default:
      assertNever(delivery)
  }
}

async function giveUp(row: OutboxRow, result: AttemptResult, deps: SettleDeps): Promise<void> {
  const { stream, accountSid, kind } = row
  const { status, error } = result
  deps.log.warn({ stream, accountSid, kind, status, error }, 'a notification was given up')
  await deps.store.markDead(row, result)
  deps.onGivenUp?.(row, result)
}
