/** Which keys belong to one Gather, and when it has enough. Keys after that are nobody's. */
export interface DigitRules {
  /** Empty: no key finishes. */
  readonly finishOnKey: string
  readonly numDigits: number | undefined
}

export interface CollectedDigits {
  /** Without the key that finished. */
  readonly digits: string
  /** Empty when the count or the time finished. */
  readonly finishedOnKey: string
  readonly isComplete: boolean
}

export const NO_DIGITS: CollectedDigits = { digits: '', finishedOnKey: '', isComplete: false }

/** More than anybody types, so that a stuck key ends too. */
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
