import { InvariantError } from '../../../platform/errors.js'
import type { LegDeps } from '../legs/leg-deps.js'
import { offerInvite } from '../offer-invite.js'
import type { IncomingInvite, Leg } from '../port.js'
import { CalledLeg } from './called-leg.js'
import type { InsideCall } from './inside-call.js'
import { insideInvite } from './inside-invite.js'

/**
 * Hands calls inside to the handler of new calls. Both legs of a call are on one drachtio, whose `deps`
 * these are; `keep` counts the leg that takes it.
 */
export function insideOffers(
  deps: LegDeps,
  keep: (leg: Leg) => Leg,
  handler: ((invite: IncomingInvite) => void) | undefined,
): (call: InsideCall) => void {
  return (call) => {
    const invite = insideInvite(call, (events) => {
      if (call.isTaken) throw new InvariantError('a call makes one leg')
      return keep(new CalledLeg(call, events, deps))
    })
    offerInvite(invite, handler, () => call.isTaken, deps.log)
  }
}
