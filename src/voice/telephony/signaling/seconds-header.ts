/** Reads a header in seconds, without its comment and parameters (RFC 3261 §20.19, §20.33). */
export function secondsOf(text: string | undefined): number | undefined {
  const [, digits] = /^\s*(\d{1,9})\b/.exec(text ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}
