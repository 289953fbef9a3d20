/**
 * The caller ID of a forwarded call at a gateway or carrier: the external caller, or the number that forwards.
 */
export const FORWARDED_CALLERS = ['caller', 'number'] as const
export type ForwardedCaller = (typeof FORWARDED_CALLERS)[number]
