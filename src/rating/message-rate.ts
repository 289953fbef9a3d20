/** What a segment of a message costs. */
import type { Reader } from '../platform/database/database.js'
import { paidRatesOf } from './account-rates.js'
import { findRate } from './rates.js'

/**
 * The rate of a segment, in millionths of a dollar: that of the longest prefix, as for calls, else the
 * account's `sms` or `mms`; 0 without any.
 */
export async function messageRate(
  read: Reader,
  message: {
    readonly accountSid: string
    readonly billedSid: string
    readonly kind: 'sms' | 'mms'
    readonly to: string
  },
): Promise<number> {
  const { accountSid, billedSid, kind, to } = message
  const byPrefix = await findRate(read, [...new Set([accountSid, billedSid])], kind, to)
  if (byPrefix !== undefined) return byPrefix.perMinute
  const { [kind]: flat } = await paidRatesOf(read, accountSid, billedSid)
  return flat ?? 0
}
