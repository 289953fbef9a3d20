/** The text with a replacement character for each half of a surrogate pair that stands alone. */
export function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
