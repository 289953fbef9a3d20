/** True for a language tag such as en-US (RFC 5646), by its form. */
export function isLanguageTag(value: string): boolean {
  return /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value)
}
