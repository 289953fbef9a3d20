import type { CallRecord } from '../../model/call-record.js'
import type { DialRoute } from '../../routing/dial-route.js'
import type { Leg, LegEnd, LegEvents } from '../../telephony/port.js'
import type { Dialer } from '../actor/dialer.js'
import type { ParentLink } from './child-calls.js'
import { withEarlyAudio } from './early-media.js'

/** Dials a child call: its parent hears the early media, and learns of each leg. */
export class ChildDialer implements Dialer {
  readonly #dialer: Dialer
  readonly #parent: Pick<ParentLink, 'dialed' | 'earlyAudio'>

  constructor(dialer: Dialer, parent: Pick<ParentLink, 'dialed' | 'earlyAudio'>) {
    this.#dialer = dialer
    this.#parent = parent
  }

  next(call: CallRecord, previous: LegEnd | undefined): Promise<DialRoute | undefined> {
    return this.#dialer.next(call, previous)
  }

  dial(call: CallRecord, route: DialRoute, events: LegEvents): Leg {
    const heard = withEarlyAudio(events, () => leg, this.#parent.earlyAudio)
    const leg: Leg = this.#dialer.dial(call, route, heard)
    this.#parent.dialed(leg)
    return leg
  }

  stop(): void {
    this.#dialer.stop()
  }
}
