/**
 * Recipients who sent STOP: a row for the campaign, with all its numbers, and one for the number itself, which
 * outlives the number's campaign. The latter belongs to the paying account: it follows the number between that
 * payer's accounts, is valid again when the number returns, and does not bind a later holder.
 */
import type { Reader, Writer } from '../../platform/database/database.js'

/** A number as the sender that recipients opt out of. */
export interface StoppableSender {
  /** The scope from `scopeOf`. */
  readonly scope: string
  /** The number in E.164. */
  readonly number: string
  /** Account that pays for the number's holder. */
  readonly payerSid: string
}

/** True after a STOP to the number, or to the campaign for which it sends. */
export async function hasOptedOut(
  read: Reader,
  { scope, number, payerSid }: StoppableSender,
  recipient: string,
): Promise<boolean> {
  const ofNumber = await read
    .selectFrom('message_number_opt_outs')
    .select('optedOutAt')
    .where('phoneNumber', '=', number)
    .where('payerSid', '=', payerSid)
    .where('recipient', '=', recipient)
    .executeTakeFirst()
  if (ofNumber !== undefined) return true
  if (!isOfCampaign(scope)) return false
  const ofCampaign = await read
    .selectFrom('message_opt_outs')
    .select('optedOutAt')
    .where('scope', '=', scope)
    .where('recipient', '=', recipient)
    .executeTakeFirst()
  return ofCampaign !== undefined
}

/** False when the recipient has opted out already. */
export async function optOut(
  tx: Writer,
  { scope, number, payerSid }: StoppableSender,
  recipient: string,
  now: number,
): Promise<boolean> {
  const own = { phoneNumber: number, payerSid, recipient, optedOutAt: now }
  const ofNumber = await tx
    .insertInto('message_number_opt_outs')
    .values(own)
    .onConflict((known) => known.columns(['phoneNumber', 'payerSid', 'recipient']).doNothing())
    .executeTakeFirst()
  const isNew = (ofNumber.numInsertedOrUpdatedRows ?? 0n) > 0n
  if (!isOfCampaign(scope)) return isNew
  const ofCampaign = await tx
    .insertInto('message_opt_outs')
    .values({ scope, recipient, optedOutAt: now })
    .onConflict((known) => known.columns(['scope', 'recipient']).doNothing())
    .executeTakeFirst()
  return isNew || (ofCampaign.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** False when the recipient had not opted out. */
export async function optIn(
  tx: Writer,
  { scope, number, payerSid }: StoppableSender,
  recipient: string,
): Promise<boolean> {
  const ofNumber = await tx
    .deleteFrom('message_number_opt_outs')
    .where('phoneNumber', '=', number)
    .where('payerSid', '=', payerSid)
    .where('recipient', '=', recipient)
    .executeTakeFirst()
  if (!isOfCampaign(scope)) return ofNumber.numDeletedRows > 0n
  const ofCampaign = await tx
    .deleteFrom('message_opt_outs')
    .where('scope', '=', scope)
    .where('recipient', '=', recipient)
    .executeTakeFirst()
  return ofNumber.numDeletedRows + ofCampaign.numDeletedRows > 0n
}

function isOfCampaign(scope: string): boolean {
  return scope.startsWith('campaign:')
}
