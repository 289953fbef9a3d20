import type { Logger } from '../../../platform/log.js'
import { SourceLimit, type SourceVerdict } from '../../../platform/source-limit.js'
import type { SipPeer } from '../model/stack-types.js'

/** Judges requests by the address that they came from, before anything is allocated for them. */
export interface Admission {
  /** `inside` a dialog, or claiming to be. */
  judge(from: SipPeer, place: 'inside' | 'outside'): SourceVerdict
  /** The request from there outside a dialog got this final status. */
  answered(from: SipPeer, status: number): void
  /** Requests that were not admitted so far. */
  readonly limited: number
}

/** Two seconds' worth may come at once. */
const BURST_SECONDS = 2
/**
 * Requests inside dialogs have a measure of their own, so that a carrier with too many new calls can
 * still end those it has; each call needs some of them.
 */
const INSIDE_PER_OUTSIDE = 4
/** A call to nobody or by nobody costs as much as ten: who floods with them is served a tenth. */
const FUTILE = new Set([403, 404, 484, 604])
const FUTILE_COSTS = 9

export function createAdmission(perSecond: number, log: Logger | undefined): Admission {
  const outside = new SourceLimit({ perSecond, burst: perSecond * BURST_SECONDS })
  const insideRate = perSecond * INSIDE_PER_OUTSIDE
  const inside = new SourceLimit({ perSecond: insideRate, burst: insideRate * BURST_SECONDS })
  return {
    judge: (from, place) => {
      const limit = place === 'outside' ? outside : inside
      const verdict = limit.judge(from.address, performance.now())
      if (verdict === 'refuse')
        log?.warn({ from, place, perSecond }, 'limited a SIP source that sends too much')
      return verdict
    },
    answered: (from, status) => {
      if (FUTILE.has(status)) outside.charge(from.address, FUTILE_COSTS, performance.now())
    },
    get limited() {
      return outside.limited + inside.limited
    },
  }
}
