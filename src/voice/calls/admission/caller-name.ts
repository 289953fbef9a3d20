import { E164 } from '../../../destinations/phone-number.js'
import type { Logger } from '../../../platform/log.js'
import type { CalledNumber } from '../../applications/number-bindings.js'
import type { IncomingInvite } from '../../telephony/port.js'
import type { NumberDestinationDeps } from './number-destination.js'

/** A call whose caller may be named. */
interface NamedCall {
  readonly sid: string
  readonly from: string
}

export interface CallerNameDeps extends Pick<NumberDestinationDeps, 'numberSettings'> {
  /**
   * Looks up the name of a caller for the account of the called number, which pays for it. Undefined
   * when none is known in time, or the balance does not pay for it.
   */
  readonly callerNameFor: (
    call: NamedCall & { readonly accountSid: string },
  ) => Promise<string | undefined>
  readonly log: Logger
}

/**
 * The name of a caller: the one that is looked up, where the called number asks for that, else the
 * display name of the INVITE. A look-up that fails keeps no call waiting.
 */
export async function callerNameOf(
  { sid, from }: NamedCall,
  { from: { displayName } }: Pick<IncomingInvite, 'from'>,
  { number }: CalledNumber,
  deps: CallerNameDeps,
): Promise<string | undefined> {
  // A caller that hides, or has no number, has no name to look up.
  if (!E164.test(from)) return displayName
  const { looksUpCallerName } = await deps.numberSettings(number.sid)
  if (!looksUpCallerName) return displayName
  try {
    const { accountSid } = number
    return (await deps.callerNameFor({ sid, accountSid, from })) ?? displayName
  } catch (err) {
    deps.log.warn({ err, callSid: sid, number: number.e164 }, 'could not look up a caller name')
    return displayName
  }
}
