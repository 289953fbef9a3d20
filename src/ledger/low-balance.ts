import { AdapterError } from '../platform/errors.js'
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

/** Tells somebody of a low balance. Rejects with AdapterError. */
export type TellLowBalance = (low: LowBalance, token: string, signal: AbortSignal) => Promise<void>

/**
 * Delivers notifications of low balances. `tell` may be called again for one that it has told, after a
 * crash; the `token` is then the same.
 */
export function lowBalanceChannel(tell: TellLowBalance): Channel<LowBalance> {
  return {
    name: 'low-balance',
    toRow: (low) => ({
      stream: `low-balance:${low.accountSid}`,
      accountSid: low.accountSid,
      kind: 'low-balance',
      payload: low,
      idempotencyToken: low.entryKey,
    }),
    deliver: async (row, signal): Promise<Delivery> => {
      try {
        await tell(row.payload as LowBalance, row.idempotencyToken, signal) // as `toRow` wrote it
        return { type: 'delivered', status: undefined, error: undefined }
      } catch (error) {
        if (signal.aborted) return { type: 'aborted' }
        if (!(error instanceof AdapterError)) throw error
        const type = error.isRetryable ? 'failed' : 'refused'
        return { type, status: undefined, error: error.message }
      }
    },
    nextAttemptAt: (row, now, random) => nextAttemptAt(RETRY_SCHEDULE, row, now, random),
  }
}
