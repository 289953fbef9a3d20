import type { Hop } from './hop.js'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status)
}

/**
 * Resolves `location` to a URL; undefined when it is malformed or has a scheme that is not allowed.
 * 301, 302 and 303 turn a POST into a GET without its body, as every browser does (RFC 9110 §15.4);
 * 307 and 308 keep both. Credentials of the URL stay with their origin.
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string | null,
  allowedSchemes: readonly string[],
): Hop | undefined {
  if (location === null || !URL.canParse(location, hop.url.href)) return undefined
  const url = wireUrl(location, hop.url)
  if (!allowedSchemes.includes(url.protocol)) return undefined
  if (url.origin === hop.url.origin && url.username === '' && url.password === '') {
    url.username = hop.url.username
    url.password = hop.url.password
  }
  const keepsMethod = status === 307 || status === 308 || hop.method === 'GET'
  return keepsMethod ? { ...hop, url } : { url, method: 'GET', body: undefined }
}

/**
 * Returns the URL whose `href` goes on the wire: a question mark with nothing behind it does not.
 */
export function wireUrl(text: string, base?: URL): URL {
  const url = new URL(text, base)
  if (url.search === '') url.search = ''
  return url
}
