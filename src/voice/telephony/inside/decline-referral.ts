import { AdapterError } from '../../../platform/errors.js'
import { type Leg, LegEndedError, type ReferralOutcome } from '../port.js'

/** RFC 3515 §2.4.2: a REFER that nobody takes is declined. */
const DECLINE = 603

/** Declines a REFER in a call inside: the other side is this server, which follows none of its own. */
export function declineReferral(state: Leg['state']): Promise<ReferralOutcome> {
  if (state === 'ended') return Promise.reject(new LegEndedError('the leg is over'))
  if (state !== 'answered')
    return Promise.reject(new AdapterError('only an answered leg can be referred'))
  return Promise.resolve({ how: 'refused', sipStatus: DECLINE, notifiedStatus: undefined })
}
