/** The cookies of one call, as the customer's server set them (RFC 6265). */

export interface CookieJar {
  /**
   * Returns the `Cookie` header for a request to `url`; undefined when there is nothing to return.
   */
  headerFor(url: URL): string | undefined
  /** Takes the `Set-Cookie` headers of a response from `url`. */
  store(url: URL, setCookies: readonly string[]): void
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly host: string
  readonly path: string
  readonly isSecure: boolean
  readonly expiresAt: number
}

const MAX_COOKIES = 50
const MAX_COOKIE_CHARS = 4_096

/**
 * Creates a jar for at most 50 cookies; the oldest is dropped first. `Domain` is ignored: a cookie is sent
 * only to the host that set it, which is safe without a public suffix list.
 */
export function createCookieJar(now: () => number): CookieJar {
  const cookies = new Map<string, Cookie>()
  return {
    headerFor: (url) => {
      const fitting = [...cookies.values()].filter((cookie) => fits(cookie, url, now()))
      // Longer paths first (RFC 6265 §5.4).
      fitting.sort((a, b) => b.path.length - a.path.length)
      return fitting.length === 0
        ? undefined
        : fitting.map((c) => `${c.name}=${c.value}`).join('; ')
    },
    store: (url, setCookies) => {
      for (const text of setCookies) {
        const cookie = parseCookie(text, url, now())
        if (cookie === undefined) continue
        const key = `${cookie.host}\n${cookie.path}\n${cookie.name}`
        cookies.delete(key)
        if (cookie.expiresAt > now()) cookies.set(key, cookie)
        const [oldest] = cookies.keys()
        if (cookies.size > MAX_COOKIES && oldest !== undefined) cookies.delete(oldest)
      }
    },
  }
}

function fits(cookie: Cookie, url: URL, now: number): boolean {
  if (cookie.host !== url.hostname || cookie.expiresAt <= now) return false
  if (cookie.isSecure && url.protocol !== 'https:') return false
  if (!url.pathname.startsWith(cookie.path)) return false
  // RFC 6265 §5.1.4: `/a` is for `/a/b`, not for `/ab`.
  const next = url.pathname[cookie.path.length]
  return cookie.path.endsWith('/') || next === undefined || next === '/'
}

function parseCookie(text: string, url: URL, now: number): Cookie | undefined {
  if (text.length > MAX_COOKIE_CHARS) return undefined
  const [pair = '', ...rest] = text.split(';')
  const equals = pair.indexOf('=')
  const name = pair.slice(0, equals).trim()
  const value = pair.slice(equals + 1).trim()
  if (equals < 1 || name === '') return undefined
  const attributes = new Map(
    rest.map((part) => {
      const [key = '', ...values] = part.split('=')
      return [key.trim().toLowerCase(), values.join('=').trim()]
    }),
  )
  const path = attributes.get('path') ?? ''
  return {
    name,
    value,
    host: url.hostname,
    path: path.startsWith('/') ? path : defaultPath(url),
    isSecure: attributes.has('secure'),
    expiresAt: expiryOf(attributes, now),
  }
}

function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number {
  // Max-Age wins (RFC 6265 §5.3).
  const maxAge = attributes.get('max-age')
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return now + Number(maxAge) * 1_000
  const expires = Date.parse(attributes.get('expires') ?? '')
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires
}

function defaultPath(url: URL): string {
  const last = url.pathname.lastIndexOf('/')
  return last <= 0 ? '/' : url.pathname.slice(0, last)
}
