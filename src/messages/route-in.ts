/** Where the messages go that come to a number, when its holder has chosen that. */

/** The kinds of places that messages can be routed to. */
export const ROUTE_IN_TYPES = ['webhook', 'email', 'sip'] as const
export type RouteInType = (typeof ROUTE_IN_TYPES)[number]

export interface RouteIn {
  readonly type: RouteInType
  /**
   * webhook: the URL that is asked · email: the address of mail · sip: `sip:user@domain` of a domain of
   * the account, or `client:user` at any of its domains
   */
  readonly resource: string
}
