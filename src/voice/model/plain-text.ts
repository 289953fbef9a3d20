/** True for a text that a document can hold, without control characters. Pure. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\ufffe\uffff]/u.test(text)
}
