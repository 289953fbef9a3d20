import { AdapterError } from '../../../platform/errors.js'
import { BaseLeg } from '../legs/base-leg.js'
import { type Leg, LegEndedError, type ReferralOutcome } from '../port.js'

/** RFC 3515 §2.4.2: a REFER that nobody takes is declined. */
const DECLINE = 603

/** The part that both legs of a call inside share: they have no dialog, and leave nothing behind. */
export abstract class InsideLeg extends BaseLeg {
  override get openInvites(): Leg['openInvites'] {
    return []
  }

  /** The other side is this server, which follows no REFER of its own. */
  override refer(): Promise<ReferralOutcome> {
    if (this.state === 'ended') return Promise.reject(new LegEndedError('the leg is over'))
    if (this.state !== 'answered')
      return Promise.reject(new AdapterError('only an answered leg can be referred'))
    return Promise.resolve({ how: 'refused', sipStatus: DECLINE, notifiedStatus: undefined })
  }
}
