import { InvariantError } from '../../../platform/errors.js'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import type { LegDeps } from '../legs/leg-deps.js'
import { offerInvite } from '../offer-invite.js'
import type { IncomingInvite, Leg, LegEvents, ResponseHeaders, SipAddress } from '../port.js'
import { applicationHeaders } from '../signaling/application-headers.js'
import { sipText } from '../signaling/sip-text.js'
import { CalledLeg } from './called-leg.js'
import type { InsideCall } from './inside-call.js'

/** The source of a call that no packet has brought. */
const NOWHERE: IncomingInvite['source'] = { address: '', port: 0, transport: 'inside' }
/** The host of the addresses of calls inside. */
const HERE = 'localhost'

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

/** The invite; `accept` makes the leg. */
function insideInvite(call: InsideCall, accept: (events: LegEvents) => Leg): IncomingInvite {
  const { dial } = call.offer
  const called = addressOf(parseUri(dial.uri)?.user, undefined)
  return {
    callId: dial.callId,
    requestUri: called,
    from: addressOf(dial.from.user, dial.from.displayName),
    to: called,
    inside: dial.inside,
    source: NOWHERE,
    userAgent: undefined,
    audio: 'plain',
    headers: applicationHeaders(dial),
    maxForwards: dial.maxForwards,
    facts: undefined,
    reject: (status, reason = '', headers?: ResponseHeaders) => {
      call.refuse({ status, reason: sipText(reason), headers })
    },
    // Nobody is kept waiting inside: what would get no answer is told so.
    drop: () => {
      call.refuse({ status: 480, reason: 'Temporarily Unavailable' })
    },
    accept,
  }
}

function addressOf(user: string | undefined, displayName: string | undefined): SipAddress {
  const uri = `sip:${user === undefined ? '' : `${encodeURIComponent(user)}@`}${HERE}`
  return { user, host: HERE, displayName, uri }
}
