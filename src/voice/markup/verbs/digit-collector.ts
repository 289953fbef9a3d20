/** The keys that belong to one Gather; later keys are dropped. Pure. */
export interface DigitRules {
  /** Empty: no key finishes. */
  readonly finishOnKey: string
  readonly numDigits: number | undefined
}

export interface CollectedDigits {
  /** The digits without the key that finished. */
  readonly digits: string
  /** The key that finished; empty when the count or the time did. */
  readonly finishedOnKey: string
  readonly isComplete: boolean
}

export const NO_DIGITS: CollectedDigits = { digits: '', finishedOnKey: '', isComplete: false }

/** The limit without numDigits: a stuck key ends the Gather too. */
const MAX_DIGITS = 1000

export function collectDigit(
  collected: CollectedDigits,
  digit: string,
  rules: DigitRules,
): CollectedDigits {
  if (collected.isComplete) return collected
  if (digit === rules.finishOnKey) return { ...collected, finishedOnKey: digit, isComplete: true }
  const digits = collected.digits + digit
  return { ...collected, digits, isComplete: digits.length >= (rules.numDigits ?? MAX_DIGITS) }
}
