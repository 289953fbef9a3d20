import type { Channel, Delivery } from '../platform/outbox/channel.js'
import { nextAttemptAt, RETRY_SCHEDULE } from '../platform/outbox/retry-schedule.js'

/** An entry has brought a balance below the threshold of its account; amounts are 1/10,000 dollar. */
export interface LowBalance {
  readonly accountSid: string
  /** The key of that entry: one crossing has one notification. */
  readonly entryKey: string
  readonly amount: number
  readonly threshold: number
  readonly at: number
}

/**
 * Delivers notifications of low balances. `tell` may be called again for one that it has told, after a
 * crash; the `token` is then the same.
 */
export function lowBalanceChannel(
  tell: (low: LowBalance, token: string) => Promise<void>,
): Channel<LowBalance> {
  return {
    name: 'low-balance',
    toRow: (low) => ({
      stream: `low-balance:${low.accountSid}`,
      accountSid: low.accountSid,
      kind: 'low-balance',
      payload: low,
      idempotencyToken: low.entryKey,
    }),
    deliver: async (row): Promise<Delivery> => {
      await tell(row.payload as LowBalance, row.idempotencyToken) // as `toRow` has written it
      return { type: 'delivered', status: undefined, error: undefined }
    },
    nextAttemptAt: (row, now, random) => nextAttemptAt(RETRY_SCHEDULE, row, now, random),
  }
}
