/** The ends of calls that have no leg to report one. */
import type { LegEnd } from '../../telephony/port.js'

export const NO_ROUTE: LegEnd = { cause: 'unreachable', sipStatus: 404, reason: 'no route' }
export const NOT_DIALLED: LegEnd = {
  cause: 'unreachable',
  sipStatus: 500,
  reason: 'the call could not be dialled',
}
export const TAKEN_BACK: LegEnd = { cause: 'canceled', sipStatus: 487 }
