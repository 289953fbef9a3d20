/** Parses an http or https URL, absolute or relative to `base`. Undefined for anything else, and for port 0. */
export function readWebUrl(text: string, base?: string): URL | undefined {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.port !== '0' ? url : undefined
}

/** True for an absolute web address. */
export function isWebUrl(text: string): boolean {
  return readWebUrl(text) !== undefined
}
