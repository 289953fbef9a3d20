/**
 * Who a gateway or carrier is told calls when the account's number forwards a call: the caller from
 * outside, or the number that has forwarded it.
 */
export type ForwardedCaller = 'caller' | 'number'

export const FORWARDED_CALLERS = ['caller', 'number'] as const satisfies readonly ForwardedCaller[]
