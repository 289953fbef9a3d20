/** Finds whether a number may send, and at what rate. */
import { findHeldNumber } from '../../numbers/held-numbers.js'
import type { Reader } from '../../platform/database/database.js'
import type { MaySend } from '../../registry/registry.js'
import { rateOf, type SendingRate } from '../rules/sending-rate.js'

export interface Sender {
  /** The campaign, or the number without one, whose recipients opt out together. */
  readonly scope: string
  /** Undefined: nothing limits it. */
  readonly rate: SendingRate | undefined
}

export type SenderVerdict =
  | { readonly type: 'allowed'; readonly sender: Sender }
  /** The account does not hold the number, or it takes no messages. */
  | { readonly type: 'not-capable' }
  /** Its campaign does not let it send. */
  | { readonly type: 'no-permission'; readonly reason: string }

/**
 * A local number of North America sends for a campaign, which makes it capable. Toll-free numbers and
 * those of other countries send when they are capable.
 */
export async function judgeSender(
  read: Reader,
  maySend: MaySend,
  accountSid: string,
  from: string,
): Promise<SenderVerdict> {
  const number = await findHeldNumber(read, from)
  if (number?.accountSid !== accountSid) return { type: 'not-capable' }
  if (!from.startsWith('+1') || number.kind === 'toll-free') {
    if (!number.capabilities.sms) return { type: 'not-capable' }
    return { type: 'allowed', sender: { scope: `number:${from}`, rate: undefined } }
  }
  const permission = await maySend(from)
  if (!permission.isAllowed) return { type: 'no-permission', reason: permission.reason }
  const { campaignId, operators } = permission
  const rate = rateOf(campaignId, from, operators)
  return { type: 'allowed', sender: { scope: `campaign:${campaignId}`, rate } }
}
