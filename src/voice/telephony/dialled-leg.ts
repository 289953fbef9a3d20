import { CallingLeg } from './inside/calling-leg.js'
import type { InsideCall } from './inside/inside-call.js'
import type { LegDeps } from './legs/leg-deps.js'
import { OutboundLeg } from './legs/outbound-leg.js'
import type { Leg, LegEvents } from './port.js'
import type { CheckedDial } from './signaling/dial-headers.js'

/** The leg of a dial request: one that sends an INVITE, or one that calls inside by `place`. */
export function dialledLeg(
  dial: CheckedDial,
  events: LegEvents,
  deps: LegDeps,
  place: (call: InsideCall) => void,
): Leg {
  return dial.inside === undefined
    ? new OutboundLeg(dial, events, deps)
    : new CallingLeg(dial, place, events, deps)
}
