/**
 * Digest access authentication with qop=auth (RFC 7616; RFC 8760 brings SHA-256 to SIP), both sides.
 * Nonces, counts and time are inputs.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type Cursor,
  isAtEnd,
  noParams,
  type Params,
  quote,
  readQuoted,
  readToken,
  skipSpace,
  takeSeparator,
} from '../sip-grammar/scan.js'

export type DigestAlgorithm = 'MD5' | 'SHA-256'

/** With `-sess` the secret is hashed with both nonces before it is used (RFC 7616 §3.4.2). */
export type ChallengeAlgorithm = DigestAlgorithm | `${DigestAlgorithm}-sess`

export interface DigestChallenge {
  readonly realm: string
  readonly nonce: string
  readonly algorithm: ChallengeAlgorithm
  /**
   * What the answer covers: the request, or also its body; undefined for a server of RFC 2069, which has no
   * counts and client nonces.
   */
  readonly qop: 'auth' | 'auth-int' | undefined
  readonly opaque?: string
  /** True when only the nonce is too old: the client retries without prompting the user. */
  readonly isStale: boolean
}

export interface DigestAnswer {
  readonly username: string
  readonly password: string
  readonly method: string
  /** The Request-URI. */
  readonly uri: string
  /** Number of uses of this nonce, this one included. */
  readonly count: number
  readonly clientNonce: string
  /** The body of the request, which counts for qop=auth-int. */
  readonly body?: string | undefined
}

/** The claims of a client in Authorization or Proxy-Authorization. */
export interface DigestCredentials {
  readonly username: string
  readonly realm: string
  readonly nonce: string
  readonly uri: string
  readonly response: string
  readonly algorithm: DigestAlgorithm
  readonly count: number
  readonly clientNonce: string
  readonly opaque?: string
}

/** Writes the value of WWW-Authenticate or Proxy-Authenticate. */
export function formatChallenge(challenge: DigestChallenge): string {
  const parts = [`realm=${quote(challenge.realm)}`, `nonce=${quote(challenge.nonce)}`]
  if (challenge.opaque !== undefined) parts.push(`opaque=${quote(challenge.opaque)}`)
  if (challenge.isStale) parts.push('stale=true')
  parts.push(`algorithm=${challenge.algorithm}`)
  if (challenge.qop !== undefined) parts.push(`qop="${challenge.qop}"`)
  return `Digest ${parts.join(', ')}`
}

/**
 * Parses a challenge; undefined for another scheme, or an algorithm or quality of protection that
 * we do not support.
 */
export function parseChallenge(value: string): DigestChallenge | undefined {
  const params = parseDigest(value)
  if (params === undefined) return undefined
  const { realm, nonce, opaque, qop, stale } = params
  const algorithm = challengeAlgorithmOf(params['algorithm'])
  if (algorithm === undefined || realm === undefined || nonce === undefined) return undefined
  const chosen = qop === undefined ? undefined : chooseQop(qop)
  if (qop !== undefined && chosen === undefined) return undefined
  const isStale = stale?.toLowerCase() === 'true'
  const challenge = { realm, nonce, algorithm, qop: chosen, isStale }
  return opaque === undefined ? challenge : { ...challenge, opaque }
}

function chooseQop(offered: string): 'auth' | 'auth-int' | undefined {
  const options = offered.split(',').map((option) => option.trim().toLowerCase())
  return (['auth', 'auth-int'] as const).find((known) => options.includes(known))
}

/**
 * Returns the topmost challenge that we support (RFC 8760 §2.4), of the realm if given. `-sess` and `auth-int`,
 * which few servers implement correctly, are used only when there is no other.
 */
export function chooseChallenge(
  values: readonly string[],
  realm?: string,
): DigestChallenge | undefined {
  const usable = values
    .map(parseChallenge)
    .filter((challenge) => challenge !== undefined)
    .filter((challenge) => realm === undefined || challenge.realm === realm)
  const isPlain = ({ algorithm, qop }: DigestChallenge): boolean =>
    baseOf(algorithm) === algorithm && qop !== 'auth-int'
  return usable.find(isPlain) ?? usable[0]
}

/**
 * Divides a header of several challenges, whose parameters are divided by commas too and may hold
 * commas in quotes. Empty elements of the list are left out (RFC 9110 §5.6.1.2, §11.6.1).
 */
export function divideChallenges(header: string): readonly string[] {
  const challenges: string[] = []
  for (const [element] of header.matchAll(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g)) {
    const item = element.trim()
    if (item === '') continue
    const last = challenges.at(-1)
    // A scheme stands alone, or before white space and its first parameter.
    const hasScheme = /^[^\s=",]+(\s+[^\s=]|$)/.test(item)
    if (hasScheme || last === undefined) challenges.push(item)
    else challenges[challenges.length - 1] = `${last}, ${item}`
  }
  return challenges
}

/** Builds the value of Authorization or Proxy-Authorization. */
export function answerChallenge(challenge: DigestChallenge, answer: DigestAnswer): string {
  const { nonce, qop } = challenge
  const { clientNonce, method, uri, body } = answer
  const count = formatCount(answer.count)
  const algorithm = baseOf(challenge.algorithm)
  const isSession = algorithm !== challenge.algorithm
  const known = hashSecret(algorithm, answer.username, challenge.realm, answer.password)
  const secret = isSession ? hash(algorithm, `${known}:${nonce}:${clientNonce}`) : known
  const once = qop === undefined ? undefined : { count, clientNonce, qop }
  const response = computeResponse({ algorithm, secret, nonce, method, uri, once, body })
  const parts = [
    `username=${quote(answer.username)}`,
    `realm=${quote(challenge.realm)}`,
    `nonce=${quote(challenge.nonce)}`,
    `uri=${quote(answer.uri)}`,
    `response="${response}"`,
    `algorithm=${challenge.algorithm}`,
  ]
  if (qop !== undefined) parts.push(`qop=${qop}`, `nc=${count}`)
  if (qop !== undefined || isSession) parts.push(`cnonce=${quote(clientNonce)}`)
  if (challenge.opaque !== undefined) parts.push(`opaque=${quote(challenge.opaque)}`)
  return `Digest ${parts.join(', ')}`
}

const CLAIMED = ['username', 'realm', 'nonce', 'uri', 'response', 'cnonce', 'nc', 'qop'] as const

/**
 * Parses credentials; undefined when malformed, of another scheme, or without qop=auth, whose count
 * stops replays.
 */
export function parseCredentials(value: string): DigestCredentials | undefined {
  const params = parseDigest(value)
  const claimed = params && takeAll(params, CLAIMED)
  const algorithm = params && algorithmOf(params['algorithm'])
  if (params === undefined || claimed === undefined || algorithm === undefined) return undefined
  const { nc, cnonce, qop, ...rest } = claimed
  if (qop.toLowerCase() !== 'auth' || !/^[0-9a-f]{8}$/i.test(nc)) return undefined
  const count = Number.parseInt(nc, 16)
  // RFC 7616 §3.4: the first use of a nonce counts 1.
  if (count === 0) return undefined
  const opaque = params['opaque']
  const claim = { ...rest, algorithm, count, clientNonce: cnonce }
  return opaque === undefined ? claim : { ...claim, opaque }
}

function takeAll<Name extends string>(
  params: Params,
  names: readonly Name[],
): Record<Name, string> | undefined {
  const taken: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = params[name]
    if (value === undefined) return undefined
    taken[name] = value
  }
  // Every name has been given a value above.
  return taken as Record<Name, string>
}

/** Returns H(A1) of RFC 7616 §3.4.2, which a server may store instead of the password. */
export function hashSecret(
  algorithm: DigestAlgorithm,
  username: string,
  realm: string,
  password: string,
): string {
  return hash(algorithm, `${username}:${realm}:${password}`)
}

/** True when the credentials were made with the secret; compares in constant time. */
export function isAnswerRight(
  credentials: DigestCredentials,
  method: string,
  secret: string,
): boolean {
  const { algorithm, nonce, uri, count, clientNonce } = credentials
  const once = { count: formatCount(count), clientNonce, qop: 'auth' } as const
  const expected = Buffer.from(computeResponse({ algorithm, secret, nonce, method, uri, once }))
  const given = Buffer.from(credentials.response.toLowerCase())
  return given.length === expected.length && timingSafeEqual(given, expected)
}

interface ResponseInput {
  readonly algorithm: DigestAlgorithm
  readonly secret: string
  readonly nonce: string
  readonly method: string
  readonly uri: string
  readonly once:
    | {
        readonly count: string
        readonly clientNonce: string
        readonly qop: 'auth' | 'auth-int'
      }
    | undefined
  /** Hashed for auth-int. */
  readonly body?: string | undefined
}

/** Computes the response of RFC 7616 §3.4.1. */
function computeResponse(input: ResponseInput): string {
  const { algorithm, secret, nonce, method, uri, once, body = '' } = input
  // RFC 7616 §3.4.3
  const entity = once?.qop === 'auth-int' ? `:${hash(algorithm, body)}` : ''
  const action = hash(algorithm, `${method}:${uri}${entity}`)
  const middle =
    once === undefined ? nonce : `${nonce}:${once.count}:${once.clientNonce}:${once.qop}`
  return hash(algorithm, `${secret}:${middle}:${action}`)
}

function hash(algorithm: DigestAlgorithm, text: string): string {
  return createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
    .update(text)
    .digest('hex')
}

function formatCount(count: number): string {
  return count.toString(16).padStart(8, '0')
}

function algorithmOf(name: string | undefined): DigestAlgorithm | undefined {
  const upper = name?.toUpperCase() ?? 'MD5'
  return upper === 'MD5' || upper === 'SHA-256' ? upper : undefined
}

function challengeAlgorithmOf(name: string | undefined): ChallengeAlgorithm | undefined {
  const [, base, session] = /^(.*?)(-sess)?$/i.exec(name ?? 'MD5') ?? []
  const algorithm = algorithmOf(base)
  return algorithm === undefined || session === undefined ? algorithm : `${algorithm}-sess`
}

function baseOf(algorithm: ChallengeAlgorithm): DigestAlgorithm {
  return algorithm.startsWith('MD5') ? 'MD5' : 'SHA-256'
}

/**
 * Parses `Digest name=value, …`; undefined for another scheme and for anything malformed or
 * repeated.
 */
function parseDigest(value: string): Params | undefined {
  const cursor: Cursor = { text: value, at: 0 }
  if (readToken(cursor)?.toLowerCase() !== 'digest') return undefined
  const afterScheme = cursor.at
  skipSpace(cursor)
  if (cursor.at === afterScheme) return undefined
  const params = noParams()
  do {
    const name = readToken(cursor)?.toLowerCase()
    if (name === undefined || name in params || !takeSeparator(cursor, '=')) return undefined
    const content = readContent(cursor)
    if (content === undefined) return undefined
    params[name] = content
  } while (takeSeparator(cursor, ','))
  skipSpace(cursor)
  return isAtEnd(cursor) ? params : undefined
}

function readContent(cursor: Cursor): string | undefined {
  return cursor.text[cursor.at] === '"' ? readQuoted(cursor) : readToken(cursor)
}
