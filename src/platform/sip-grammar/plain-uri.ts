/** Normalizes URIs of one party, however they are written. */
import { formatUri, parseUri } from './uri.js'

/** Four groups of digits with dots: an address of a host, which devices write as a user. */
const HOST_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** Removes visual separators from a telephone number (RFC 3966 §4). */
export function withoutSeparators(user: string): string {
  const isNumber = /^\+?[0-9().-]+$/.test(user) && !HOST_ADDRESS.test(user)
  return isNumber ? user.replace(/[().-]/g, '') : user
}

/**
 * The user of a URI, unescaped (RFC 3261 §19.1.2); of a telephone URI its number, with the digits of its
 * context (RFC 3966 §5.1.5). Undefined where there is none.
 */
export function userOf(uri: string): string | undefined {
  const parsed = parseUri(uri)
  if (parsed?.scheme !== 'tel') return parsed?.user
  const { user = '', params } = parsed
  const context = params['phone-context'] ?? ''
  const isLocal = !user.startsWith('+') && context.startsWith('+')
  return withoutSeparators(isLocal ? context + user : user)
}

/**
 * The URI without its parameters, written so that equivalent ones are equal (RFC 3261 §19.1.4): scheme
 * and host in lower case, escapes only where they are needed. Text that is no such URI stays as it is.
 */
export function plainUri(uri: string): string {
  const parsed = parseUri(uri)
  if (parsed === undefined) return uri
  const { scheme, host, port } = parsed
  const user = userOf(uri)
  return formatUri({
    ...{ scheme, host: host.toLowerCase(), params: {}, headers: {} },
    ...(user !== undefined && { user }),
    ...(port !== undefined && { port }),
  })
}
