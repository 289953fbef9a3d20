/**
 * Replaces NUL characters, which PostgreSQL stores in no text, by U+FFFD. So what
 * a stranger sends has the same effect on every engine.
 */
export function withoutNul<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value
}
