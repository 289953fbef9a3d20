/** The reason of a ledger entry. */
export type Cause =
  | 'call'
  | 'number'
  | 'message'
  | 'recording'
  | 'transcription'
  | 'campaign'
  | 'port'
  | 'lookup'
  | 'payment'
  | 'credit'
  | 'recurring'
  | 'adjustment'
