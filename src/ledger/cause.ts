/** The reason of a ledger entry. */
export type Cause =
  | 'call'
  | 'number'
  | 'message'
  | 'recording'
  | 'transcription'
  | 'campaign'
  | 'port'
  | 'payment'
  | 'credit'
  | 'recurring'
  | 'adjustment'
