import type { Logger } from '../../../platform/log.js'
import { SourceLimit, type SourceVerdict } from '../../../platform/source-limit.js'
import type { SipPeer } from '../model/stack-types.js'

/** Judges requests by the address that they came from, before anything is allocated for them. */
export interface Admission {
  /** Judges a request; `inside` is one in a dialog, or claiming to be. */
  judge(from: SipPeer, place: 'inside' | 'outside'): SourceVerdict
  /** Takes note of the final status of a request from there outside a dialog. */
  answered(from: SipPeer, status: number): void
  /** The number of requests that were not admitted. */
  readonly limited: number
}

/** The seconds' worth of requests that may come at once. */
const BURST_SECONDS = 2
/**
 * The measure of requests inside dialogs. They have their own, so that a carrier with too many new
 * calls can still end those it has; each call needs some of them.
 */
const INSIDE_PER_OUTSIDE = 4
/**
 * The statuses of calls to nobody or by nobody. Such a call costs as much as ten, so a flood of
 * them is served a tenth.
 */
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
