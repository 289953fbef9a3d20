/** The reason of a ledger entry. */
export type Cause =
  | 'call'
  | 'number'
  | 'message'
  | 'campaign'
  | 'port'
  | 'payment'
  | 'credit'
  | 'recurring'
  | 'adjustment'
