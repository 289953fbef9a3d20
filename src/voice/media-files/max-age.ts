/**
 * The time that an answer may be used without asking again (RFC 9111 §5.2.2); 0 when it must be
 * asked for each time.
 */
export function maxAgeMs(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((d) => d.trim())
  if (directives.includes('no-cache') || directives.includes('no-store')) return 0
  const seconds = directives
    .map((directive) => /^max-age="?([0-9]{1,9})"?$/.exec(directive)?.[1])
    .find((value) => value !== undefined)
  return seconds === undefined ? 0 : Number(seconds) * 1000
}
