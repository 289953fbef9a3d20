/**
 * The numbers at which the simulated carrier behaves as a test needs it: any area code, then
 * 555-01XX. Pure.
 */

export type Behaviour =
  | 'delivered'
  | 'undelivered'
  | 'expired'
  | 'rejected'
  | 'throttled'
  | 'delayed'
  | 'replies-stop'
  | 'replies-text'
  | 'silent'

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '00': 'delivered',
  '01': 'undelivered',
  '02': 'expired',
  '03': 'rejected',
  '04': 'throttled',
  '05': 'delayed',
  '06': 'replies-stop',
  '07': 'replies-text',
  '08': 'silent',
}

/** The behaviour of a number; every other number takes what it is sent. */
export function behaviourOf(e164: string): Behaviour {
  const last = /^\+1\d{3}55501(\d{2})$/.exec(e164)?.[1]
  return (last === undefined ? undefined : BEHAVIOURS[last]) ?? 'delivered'
}
