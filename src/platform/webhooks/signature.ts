/** The signature that proves to a customer's application that a request is from this server. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Form or query parameters, in order; names can repeat. */
export type WebhookParams = readonly (readonly [name: string, value: string])[]

/**
 * Default names of the signature headers. The validators of the convention's client libraries read the second
 * one.
 */
export const DEFAULT_SIGNATURE_HEADERS: readonly string[] = [
  'X-Compat-Signature',
  'X-Twilio-Signature',
]

/**
 * Returns the signature under each of the server's header names, and under the account's own name if set.
 */
export function signedHeaders(
  signature: string,
  names: readonly string[],
  accountsName: string | undefined,
): Readonly<Record<string, string>> {
  const known = new Set(names.map((name) => name.toLowerCase()))
  const isNew = accountsName !== undefined && !known.has(accountsName.toLowerCase())
  const all = isNew ? [...names, accountsName] : names
  return Object.fromEntries(all.map((name) => [name, signature]))
}

/**
 * Signs a request: Base64 of the HMAC-SHA1 under the account's token of the URL and, for a POST,
 * each parameter's name and value, names sorted, without anything between them. A GET has its
 * parameters in the URL and passes none.
 */
export function signWebhook(authToken: string, url: string, params: WebhookParams): string {
  return createHmac('sha1', authToken)
    .update(signedUrl(url) + flattened(params), 'utf8')
    .digest('base64')
}

/**
 * True when the signature is right; constant time for equal lengths. A URL signed with its scheme's default
 * port is accepted too.
 */
export function verifyWebhook(
  authToken: string,
  signature: string,
  url: string,
  params: WebhookParams,
): boolean {
  const given = Buffer.from(signature)
  const isValidFor = (candidate: string): boolean => {
    const mac = createHmac('sha1', authToken).update(candidate + flattened(params), 'utf8')
    const expected = Buffer.from(mac.digest('base64'))
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  // Both are always compared, so that the time does not reveal which one matched.
  const [a, b] = [signedUrl(url), withPort(url)].map(isValidFor)
  return a === true || b === true
}

/**
 * Returns the lower-case hex SHA-256 of a body that is not a form; it stands for the body in the
 * signed URL.
 */
export function bodySha256(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** Returns the URL to send a JSON body to, and to sign without parameters. */
export function withBodySha256(url: string, body: string | Buffer): string {
  const bare = url.replace(/#.*$/s, '')
  const separator = bare.includes('?') ? '&' : '?'
  return `${bare}${separator}bodySHA256=${bodySha256(body)}`
}

/**
 * Returns the signed part of a URL: all but the fragment, the credentials and, for https, the port. The rest
 * is unchanged, since the receiver compares it as received.
 */
export function signedUrl(url: string): string {
  const parts = partsOf(url)
  if (parts === undefined) return url
  const port = parts.scheme.toLowerCase() === 'https' ? '' : parts.port
  return `${parts.scheme}://${parts.host}${port}${parts.rest}`
}

function withPort(url: string): string {
  const parts = partsOf(url)
  if (parts === undefined) return url
  const standard = parts.scheme.toLowerCase() === 'https' ? ':443' : ':80'
  return `${parts.scheme}://${parts.host}${parts.port === '' ? standard : parts.port}${parts.rest}`
}

interface UrlParts {
  readonly scheme: string
  readonly host: string
  /** The port with its colon; empty without one. */
  readonly port: string
  readonly rest: string
}

function partsOf(url: string): UrlParts | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(:\d*)?([^#]*)/is.exec(
    url,
  )
  if (match === null) return undefined
  const [, scheme = '', host = '', port = '', rest = ''] = match
  return { scheme, host, port, rest }
}

/**
 * Returns the parameters as they are signed: each different value of a name counts once, in sorted
 * order.
 */
function flattened(params: WebhookParams): string {
  const byName = new Map<string, Set<string>>()
  for (const [name, value] of params) {
    const values = byName.get(name) ?? new Set()
    byName.set(name, values.add(value))
  }
  // By UTF-16 code unit, which is byte order for every name that we send.
  return [...byName.keys()]
    .sort()
    .flatMap((name) => [...(byName.get(name) ?? [])].sort().map((value) => name + value))
    .join('')
}
