/** Which ends of an attempt lead to the next route, and which end the call. Pure. */
import type { LegEnd } from '../telephony/port.js'

/**
 * The refusals below 500 that speak of the way, not of the called party: another carrier may take the
 * call. docs/sip-trunks.md shows the table.
 */
export const WAY_REFUSALS: ReadonlySet<number> = new Set([
  401, 402, 403, 405, 406, 407, 408, 415, 416, 420, 421, 422, 423, 430, 439, 440, 488, 493, 494,
  606,
])

/** True while the next carrier may be tried: this one did not bring the call to the called party. */
export function leadsToNextCarrier(end: LegEnd): boolean {
  return isUnserved(end) || (end.cause === 'rejected' && WAY_REFUSALS.has(end.sipStatus))
}

/** True while the next contact or host of a SIP URI may be tried: nobody has been reached. */
export function isUnserved(end: LegEnd): boolean {
  return (
    end.cause === 'unreachable' ||
    (end.cause === 'rejected' && end.sipStatus >= 500 && end.sipStatus < 600)
  )
}
