/** Masks secrets in a log: values under telling names, and credentials in URLs. Pure. */

const SECRET_NAME = /password|passwd|token|secret|authorization|cookie|api[-_]?key/i
const MASK = '***'
const USERINFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#\s"'<>]*@/gi
/** The key of an `a=crypto` in SDP (RFC 4568), which decrypts the call. */
const SDES_KEY = /inline:[A-Za-z0-9+/=|^:;]{16,}/gi
/** Matches `password="…"` of markup, `"password": "…"` of JSON, `?token=…` of a query. */
const NAMED =
  /((?:password|passwd|token|secret|authorization|api[-_]?key)["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s"'&#<>,;]+)/gi

/** What follows the scheme of an Authorization whose credentials were removed. */
const REALM_ALONE = /^ realm="[^"\\\r\n]*"\r?$/m

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** Masks the SRTP keys in a text that may hold SDP. */
export function maskMediaKeys(text: string): string {
  return text.replace(SDES_KEY, `inline:${MASK}`)
}

export function maskText(text: string): string {
  // Most texts of a log are a word or a number; whatever is masked has one of these.
  if (!/[:=]/.test(text)) return text
  return maskMediaKeys(text)
    .replace(USERINFO, '$1')
    .replace(NAMED, (all: string, name: string, value: string, at: number, whole: string) => {
      if (/^digest$/i.test(value) && isRealmAlone(whole.slice(at + all.length))) return all
      const quote = /^["']/.exec(value)?.[0] ?? ''
      return `${name}${quote}${MASK}${quote}`
    })
}

function isRealmAlone(rest: string): boolean {
  return REALM_ALONE.test(rest.split('\n', 1)[0] ?? '')
}

/** Copies plain data without its secrets, at any depth; a pair of texts is a name and its value. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value)
  if (Array.isArray(value)) {
    const [name, text] = value as readonly unknown[]
    const isPair = value.length === 2 && typeof name === 'string' && typeof text === 'string'
    return isPair && isSecretName(name) ? [name, MASK] : value.map(maskSecrets)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretName(name) && inner !== undefined ? MASK : maskSecrets(inner),
    ]),
  )
}
