/** Recipients who have sent STOP to a campaign, or to a number that has none. */
import type { Reader, Writer } from '../../platform/database/database.js'

export async function hasOptedOut(
  read: Reader,
  scope: string,
  recipient: string,
): Promise<boolean> {
  const row = await read
    .selectFrom('message_opt_outs')
    .select('opted_out_at')
    .where('scope', '=', scope)
    .where('recipient', '=', recipient)
    .executeTakeFirst()
  return row !== undefined
}

/** False when the recipient has opted out already. */
export async function optOut(
  tx: Writer,
  scope: string,
  recipient: string,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('message_opt_outs')
    .values({ scope, recipient, opted_out_at: now })
    .onConflict((known) => known.columns(['scope', 'recipient']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** False when the recipient had not opted out. */
export async function optIn(tx: Writer, scope: string, recipient: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('message_opt_outs')
    .where('scope', '=', scope)
    .where('recipient', '=', recipient)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
