/**
 * Counts the characters of a text as JSON Schema does for `maxLength`, and as our schemas do: code points, of
 * which an emoji is one. The length of a JavaScript string counts it as two.
 */
export function countCharacters(text: string): number {
  return Array.from(text).length
}

/**
 * A text without line breaks and other control characters, as names are that go into mails, headers and
 * onto terminals.
 */
export const ONE_LINE = /^\P{Cc}*$/u

/** The text with a replacement character for each half of a surrogate pair that stands alone. */
export function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

/** True for a text that a document can hold, without control characters. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\ufffe\uffff]/u.test(text)
}
