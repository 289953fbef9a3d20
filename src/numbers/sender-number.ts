import type { Reader } from '../platform/database/database.js'
import { findHeldNumber } from './held-numbers.js'

/** Who wants to send: a softphone of an account. */
export interface WantedSender {
  readonly accountSid: string
  /** The user of the softphone. */
  readonly username: string | undefined
  /** The numbers that it names itself, the preferred one first. */
  readonly named: readonly (string | undefined)[]
}

/**
 * Finds the number that a softphone sends from: one that it names and the account holds, the one that
 * is routed to its user, or the only one of the account. Undefined when there is none.
 */
export async function senderNumber(
  read: Reader,
  { accountSid, username, named }: WantedSender,
): Promise<string | undefined> {
  for (const e164 of named) {
    const held = e164 === undefined ? undefined : await findHeldNumber(read, e164)
    if (held?.accountSid === accountSid) return held.e164
  }
  const own = read
    .selectFrom('phone_numbers')
    .leftJoin('number_settings', 'number_settings.number_sid', 'phone_numbers.sid')
    .select('phone_number')
    .where('phone_numbers.account_sid', '=', accountSid)
    .orderBy('phone_number')
  if (username !== undefined) {
    const routed = await own.where('route_user', '=', username).limit(1).executeTakeFirst()
    if (routed !== undefined) return routed.phone_number
  }
  const [only, another] = await own.limit(2).execute()
  return another === undefined ? only?.phone_number : undefined
}
