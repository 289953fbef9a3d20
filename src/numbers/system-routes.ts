/**
 * The system routes: the destinations that every account has for its numbers besides its own
 * gateways. Their ids are fixed by the specification; ids of gateways begin above them. Pure.
 */

export const SYSTEM_ROUTES = {
  /** A registered user of the account: the one that the number names, or whoever is registered. */
  USER: 1,
  /** Fax by the rules of T.30, over the sound of the call. */
  T30: 2,
  /** The voice application of the number: its voice URL, or that of its application or account. */
  VOICE_BRIDGE: 3,
  /**
   * The default of an order: the voice application of the number when there is one, otherwise the
   * registered users of the account.
   */
  DID: 4,
  /** Fax over IP (ITU-T T.38). */
  T38: 5,
  /** The voice application, for a browser at the other end. */
  RTC_BRIDGE: 6,
  SDN: 8,
} as const

export type SystemRouteName = keyof typeof SYSTEM_ROUTES

/** The smallest id that a gateway of an account may have. */
export const FIRST_GATEWAY_ID = 100

/** The name of a system route; undefined for any other id. */
export function systemRouteName(id: number): SystemRouteName | undefined {
  const found = Object.entries(SYSTEM_ROUTES).find(([, route]) => route === id)
  return found?.[0] as SystemRouteName | undefined // a name of the table
}
