/**
 * Number of code points of a text, as JSON Schema counts for `maxLength`; an emoji is one. A JavaScript
 * string's length counts it as two.
 */
export function countCharacters(text: string): number {
  return Array.from(text).length
}

/**
 * Matches text without line breaks and other control characters, for names in mails, headers and terminals.
 */
export const ONE_LINE = /^\P{Cc}*$/u

/** The text with each unpaired surrogate replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

/** True for text without control characters and the two noncharacters that XML cannot hold. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\ufffe\uffff]/u.test(text)
}
