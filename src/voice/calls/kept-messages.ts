import type { AccountSettings } from '../../accounts/settings.js'
import type { CallRecord } from '../model/call-record.js'

type Parties = Pick<CallRecord, 'from' | 'to'>

/**
 * True when the operator keeps whole SIP messages of the account, or of a number that calls or is called. A call
 * that another one dialled is kept with it.
 */
export function keepsSipMessages(
  { keepSipMessages, keepSipMessagesOf = [] }: AccountSettings,
  calls: readonly Parties[],
): boolean {
  if (keepSipMessages === true) return true
  return calls.some(({ from, to }) => [from, to].some((party) => keepSipMessagesOf.includes(party)))
}
