/** The hangup causes and their Q.850 numbers; numbers above 127 are FreeSWITCH's own. */
const CAUSES: ReadonlyMap<string, number> = new Map([
  ['NONE', 0],
  ['UNALLOCATED_NUMBER', 1],
  ['NO_ROUTE_DESTINATION', 3],
  ['NORMAL_CLEARING', 16],
  ['USER_BUSY', 17],
  ['NO_USER_RESPONSE', 18],
  ['NO_ANSWER', 19],
  ['SUBSCRIBER_ABSENT', 20],
  ['CALL_REJECTED', 21],
  ['NUMBER_CHANGED', 22],
  ['DESTINATION_OUT_OF_ORDER', 27],
  ['INVALID_NUMBER_FORMAT', 28],
  ['FACILITY_REJECTED', 29],
  ['NORMAL_UNSPECIFIED', 31],
  ['NORMAL_CIRCUIT_CONGESTION', 34],
  ['NETWORK_OUT_OF_ORDER', 38],
  ['NORMAL_TEMPORARY_FAILURE', 41],
  ['SWITCH_CONGESTION', 42],
  ['REQUESTED_CHAN_UNAVAIL', 44],
  ['SERVICE_UNAVAILABLE', 63],
  ['BEARERCAPABILITY_NOTIMPL', 65],
  ['SERVICE_NOT_IMPLEMENTED', 79],
  ['INCOMPATIBLE_DESTINATION', 88],
  ['RECOVERY_ON_TIMER_EXPIRE', 102],
  ['PROTOCOL_ERROR', 111],
  ['INTERWORKING', 127],
  ['ORIGINATOR_CANCEL', 487],
  ['SYSTEM_SHUTDOWN', 501],
  ['LOSE_RACE', 502],
  ['MANAGER_REQUEST', 503],
  ['ALLOTTED_TIMEOUT', 602],
  ['MEDIA_TIMEOUT', 604],
  ['PICKED_OFF', 605],
])
const NAMES: ReadonlyMap<string, string> = new Map(
  [...CAUSES].map(([name, number]) => [String(number), name]),
)

export type HangupCause = string

/** Parses a hangup cause, given by name or number; an unknown one becomes NORMAL_CLEARING. */
export function readHangupCause(text: string): HangupCause {
  const name = text.trim().toUpperCase()
  if (CAUSES.has(name)) return name
  return NAMES.get(name) ?? 'NORMAL_CLEARING'
}

export function q850(cause: HangupCause): number {
  return CAUSES.get(cause) ?? 16
}

/** Builds the Reason header of a BYE (RFC 3326). */
export function reasonHeader(cause: HangupCause): { name: string; value: string } {
  return { name: 'Reason', value: `Q.850;cause=${q850(cause)};text="${cause}"` }
}
