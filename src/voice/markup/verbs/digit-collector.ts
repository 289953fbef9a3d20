/** Collects the keys of one Gather; later keys are dropped. Pure. */
export interface DigitRules {
  /** The keys that finish the input; empty when no key does. */
  readonly finishOnKey: string
  readonly numDigits: number | undefined
}

export interface CollectedDigits {
  /** The digits without the key that finished the input. */
  readonly digits: string
  /** The key that finished the input; empty when the count or the time did. */
  readonly finishedOnKey: string
  readonly isComplete: boolean
}

export const NO_DIGITS: CollectedDigits = { digits: '', finishedOnKey: '', isComplete: false }

/** The limit without numDigits, so that a stuck key ends the Gather too. */
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
