import type { CallRecord } from '../../model/call-record.js'
import type { DialRoute } from '../../routing/dial-route.js'
import type { Leg, LegEnd, LegEvents } from '../../telephony/port.js'
import type { Dialer } from '../actor/dialer.js'
import type { ParentLink } from './child-calls.js'
import { withEarlyAudio } from './early-media.js'

type DialingParent = Pick<ParentLink, 'beside' | 'dialed' | 'earlyAudio'>

/** Dials a child call: its parent hears the early media, and learns of each leg. */
export class ChildDialer implements Dialer {
  readonly #dialer: Dialer
  readonly #parent: DialingParent

  constructor(dialer: Dialer, parent: DialingParent) {
    this.#dialer = dialer
    this.#parent = parent
  }

  next(call: CallRecord, previous: LegEnd | undefined): Promise<DialRoute | undefined> {
    return this.#dialer.next(call, previous)
  }

  dial(call: CallRecord, route: DialRoute, events: LegEvents): Leg {
    const heard = withEarlyAudio(events, () => leg, this.#parent.earlyAudio)
    const leg: Leg = this.#dialer.dial(call, this.#beside(route), heard)
    this.#parent.dialed(leg)
    return leg
  }

  stop(): void {
    this.#dialer.stop()
  }

  /** The route with the parent's leg in each request: both legs then share a media server. */
  #beside(route: DialRoute): DialRoute {
    const { beside } = this.#parent
    if (beside === undefined) return route
    const [first, ...others] = route.requests
    return {
      ...route,
      requests: [{ ...first, beside }, ...others.map((request) => ({ ...request, beside }))],
    }
  }
}
