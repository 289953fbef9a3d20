import { createHash } from 'node:crypto'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Returns the `user:pass@` of a URL; undefined when it has none. */
export function credentialsOf(url: URL): Credentials | undefined {
  if (url.username === '' && url.password === '') return undefined
  return { username: decoded(url.username), password: decoded(url.password) }
}

/** Returns a copy of `url` without credentials and fragment, safe to show, log and send. */
export function bareUrl(url: URL): URL {
  const bare = new URL(url.href)
  bare.username = ''
  bare.password = ''
  bare.hash = ''
  return bare
}

/** Returns the text of a URL without credentials; a text that is no URL, or has none, is returned unchanged. */
export function withoutCredentials(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url === undefined || credentialsOf(url) === undefined ? text : bareUrl(url).href
}

/** Adds the credentials of `of` to a URL of the same origin that has none. */
export function withCredentialsOf(text: string, of: string): string {
  const [url, other] = [new URL(text), new URL(of)]
  if (url.origin !== other.origin || credentialsOf(url) !== undefined) return text
  url.username = other.username
  url.password = other.password
  return url.href
}

/**
 * Returns the `Authorization` for the challenges of a 401, Digest before Basic (RFC 9110 §11.6.1); undefined
 * for other schemes.
 */
export function answerChallenge(
  challenge: string,
  credentials: Credentials,
  request: { readonly method: string; readonly target: string; readonly cnonce: string },
): string | undefined {
  const digest = challengesOf(challenge).find(
    (c) => c.scheme === 'digest' && hashOf(c.params) !== undefined,
  )
  if (digest !== undefined) return digestAnswer(digest.params, credentials, request)
  if (!challengesOf(challenge).some((c) => c.scheme === 'basic')) return undefined
  const pair = `${credentials.username}:${credentials.password}`
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`
}

interface Challenge {
  readonly scheme: string
  readonly params: ReadonlyMap<string, string>
}

/**
 * Reads the challenges: schemes and parameters share one comma-separated list (RFC 9110 §11.6.1).
 */
function challengesOf(header: string): readonly Challenge[] {
  const challenges: { scheme: string; params: Map<string, string> }[] = []
  const item = /([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g
  for (const [, token = '', quoted, plain] of header.matchAll(item)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) challenges.push({ scheme: token.toLowerCase(), params: new Map() })
    else challenges.at(-1)?.params.set(token.toLowerCase(), value)
  }
  return challenges
}

function hashOf(params: ReadonlyMap<string, string>): 'md5' | 'sha256' | undefined {
  const algorithm = (params.get('algorithm') ?? 'MD5').toUpperCase()
  const qop = params.get('qop')
  const isUsable = qop === undefined || qop.split(/\s*,\s*/).includes('auth')
  if (!isUsable) return undefined
  return algorithm === 'MD5' ? 'md5' : algorithm === 'SHA-256' ? 'sha256' : undefined
}

/** Answers a Digest challenge (RFC 7616 §3.4.1), without the `-sess` algorithms. */
function digestAnswer(
  params: ReadonlyMap<string, string>,
  { username, password }: Credentials,
  { method, target, cnonce }: { method: string; target: string; cnonce: string },
): string {
  const hash = (text: string): string =>
    createHash(hashOf(params) ?? 'md5')
      .update(text)
      .digest('hex')
  const realm = params.get('realm') ?? ''
  const nonce = params.get('nonce') ?? ''
  const hasQop = params.has('qop')
  const middle = hasQop ? `${nonce}:00000001:${cnonce}:auth` : nonce
  const response = hash(
    `${hash(`${username}:${realm}:${password}`)}:${middle}:${hash(`${method}:${target}`)}`,
  )
  const fields = [
    `username=${quote(username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(target)}`,
    `algorithm=${params.get('algorithm') ?? 'MD5'}`,
    ...(hasQop ? ['qop=auth', 'nc=00000001', `cnonce=${quote(cnonce)}`] : []),
    `response=${quote(response)}`,
    ...(params.has('opaque') ? [`opaque=${quote(params.get('opaque') ?? '')}`] : []),
  ]
  return `Digest ${fields.join(', ')}`
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text // a stray per cent sign is part of the password
    throw error
  }
}
