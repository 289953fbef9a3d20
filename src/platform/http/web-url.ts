/**
 * Reads a web address, absolute or relative to `base`. Undefined when the text is no URL of http or
 * https, and when its port is 0, at which nothing can listen.
 */
export function readWebUrl(text: string, base?: string): URL | undefined {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.port !== '0' ? url : undefined
}

/** True for an absolute web address. */
export function isWebUrl(text: string): boolean {
  return readWebUrl(text) !== undefined
}
