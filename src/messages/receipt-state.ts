/** States in delivery receipts (SMPP 3.4, appendix B and §5.2.28). Pure. */

export const RECEIPT_STATES = [
  ...(['ENROUTE', 'ACCEPTD', 'DELIVRD', 'UNDELIV', 'EXPIRED', 'DELETED'] as const),
  ...(['REJECTD', 'UNKNOWN'] as const),
] as const
export type ReceiptState = (typeof RECEIPT_STATES)[number]

/** Final states from best to worst, with the documented error number of each failure. */
const FINAL: readonly (readonly [ReceiptState, number | undefined])[] = [
  ['DELIVRD', undefined],
  ['UNKNOWN', 30008],
  ['DELETED', 30008],
  ['EXPIRED', 30036],
  ['UNDELIV', 30003],
  ['REJECTD', 30007],
]

export function isFinalReceipt(state: ReceiptState): boolean {
  return FINAL.some(([final]) => final === state)
}

/** Returns the worst final state and its number; undefined when all were delivered. */
export function worstReceipt(states: readonly ReceiptState[]): {
  readonly state: ReceiptState
  readonly errorCode: number | undefined
} {
  const worst = Math.max(0, ...states.map((each) => FINAL.findIndex(([state]) => state === each)))
  const [state, errorCode] = FINAL[worst] ?? (['UNKNOWN', 30008] as const)
  return { state, errorCode }
}

/**
 * Parses the state of a receipt. Carriers write `FAILED` beside the words of the standard; an unknown word is
 * `UNKNOWN`.
 */
export function readReceiptState(word: string): ReceiptState {
  const upper = word.trim().toUpperCase()
  if (upper === 'FAILED') return 'UNDELIV'
  return RECEIPT_STATES.find((state) => state === upper) ?? 'UNKNOWN'
}
