/**
 * System routes: destinations of every account's numbers beside its own gateways. Their ids are fixed by the
 * specification; ids of gateways are higher. Pure.
 */

export const SYSTEM_ROUTES = {
  /** A registered user of the account: the one that the number names, or any. */
  USER: 1,
  /** Fax by T.30 over the call's audio. */
  T30: 2,
  /** Voice application of the number: its voice URL, or that of its application or account. */
  VOICE_BRIDGE: 3,
  /** Default of an order: the number's voice application, else the account's registered users. */
  DID: 4,
  /** Fax over IP (ITU-T T.38). */
  T38: 5,
  /** The voice application, for a browser at the other end. */
  RTC_BRIDGE: 6,
  SDN: 8,
} as const

export type SystemRouteName = keyof typeof SYSTEM_ROUTES

/** Minimum id of a gateway. */
export const FIRST_GATEWAY_ID = 100

/** Returns the name of a system route; undefined for other ids. */
export function systemRouteName(id: number): SystemRouteName | undefined {
  const found = Object.entries(SYSTEM_ROUTES).find(([, route]) => route === id)
  return found?.[0] as SystemRouteName | undefined // a name of the table
}
