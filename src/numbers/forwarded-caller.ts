/**
 * Who a gateway or carrier is told calls when the account's number forwards a call: the caller from
 * outside, or the number that has forwarded it.
 */
export const FORWARDED_CALLERS = ['caller', 'number'] as const
export type ForwardedCaller = (typeof FORWARDED_CALLERS)[number]
