/** The ends of calls that have no leg to report one. */
import type { CallRecord } from '../../model/call-record.js'
import { isForCarriers } from '../../routing/dial-routes.js'
import type { LegEnd } from '../../telephony/port.js'

/**
 * The end of a call that has no route at all. RFC 3261 §16.5: an address whose set of targets is empty,
 * as that of a user who is not registered, gets 480; a number that no carrier takes is none: 404.
 */
export function noRouteEnd(call: Pick<CallRecord, 'to' | 'plan'>): LegEnd {
  const sipStatus = isForCarriers(call) ? 404 : 480
  return { cause: 'unreachable', sipStatus, reason: 'no route' }
}

export const NOT_DIALLED: LegEnd = {
  cause: 'unreachable',
  sipStatus: 500,
  reason: 'the call could not be dialled',
}
export const TAKEN_BACK: LegEnd = { cause: 'canceled', sipStatus: 487 }
