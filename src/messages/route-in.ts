/** Destination of a number's inbound messages, when its holder has set one. */

/** Kinds of destinations. */
export const ROUTE_IN_TYPES = ['webhook', 'email', 'sip'] as const
export type RouteInType = (typeof ROUTE_IN_TYPES)[number]

export interface RouteIn {
  readonly type: RouteInType
  /**
   * webhook: the URL · email: the mail address · sip: `sip:user@domain` of a domain of the account, or
   * `client:user` at any of its domains
   */
  readonly resource: string
}
