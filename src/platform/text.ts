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

/** Characters that a terminal obeys or that end a line. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The text with each control character written as an escape: `\\n`, `\\u001b`. */
export function visible(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const known = JSON.stringify(character).slice(1, -1)
    if (known.length > 1) return known
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
