/**
 * Writes, reads and verifies PASSporTs of `shaken` and `div` (RFC 8225, RFC 8588, RFC 8946). Pure.
 */
import { type KeyObject, sign, verify } from 'node:crypto'

/** The attestation of a caller's number (ATIS-1000074 §5.2.3): full, partial, or gateway. */
export type Attestation = 'A' | 'B' | 'C'

/** The claims that this server signs. Numbers are digits without plus (RFC 8224 §8.3). */
export interface ShakenClaims {
  readonly attest: Attestation
  readonly dest: readonly string[]
  /** Seconds since 1970. */
  readonly iat: number
  readonly orig: string
  /** The origination identifier, a UUID (RFC 8588 §5). */
  readonly origid: string
}

/** A received PASSporT whose signature has not been verified yet. */
export interface Signed<Claims> {
  /** The URL of the certificate (RFC 8225 §4.2). */
  readonly certificateUrl: string
  readonly claims: Claims
  readonly signedText: string
  readonly signature: Buffer
}

export type Passport = Signed<
  Omit<ShakenClaims, 'attest'> & { readonly attest: Attestation | undefined }
>

/** The claims of a server that diverts a call (RFC 8946 §4). */
export interface DivClaims {
  readonly dest: readonly string[]
  /** The called number, which diverts the call. */
  readonly div: string
  readonly iat: number
  readonly orig: string
}

const ATTESTATIONS: readonly Attestation[] = ['A', 'B', 'C']
const MAX_DESTINATIONS = 32
const SIGNATURE_BYTES = 64

/** Returns a PASSporT with sorted keys and without spaces (RFC 8225 §9). */
export function signPassport(claims: ShakenClaims, certificateUrl: string, key: KeyObject): string {
  const { attest, dest, iat, orig, origid } = claims
  const payload = { attest, dest: { tn: dest }, iat, orig: { tn: orig }, origid }
  return signed('shaken', payload, certificateUrl, key)
}

/** Returns a `div` PASSporT, in the same form. */
export function signDivPassport(claims: DivClaims, certificateUrl: string, key: KeyObject): string {
  const { dest, div, iat, orig } = claims
  const payload = { dest: { tn: dest }, div: { tn: div }, iat, orig: { tn: orig } }
  return signed('div', payload, certificateUrl, key)
}

function signed(
  ppt: 'shaken' | 'div',
  payload: object,
  certificateUrl: string,
  key: KeyObject,
): string {
  const header = { alg: 'ES256', ppt, typ: 'passport', x5u: certificateUrl }
  const text = `${base64url(header)}.${base64url(payload)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

/** Parses a PASSporT in full form; undefined when it is invalid or not `shaken`. */
export function readPassport(token: string): Passport | undefined {
  return readSigned(token, 'shaken', claimsOf)
}

/** Parses a `div` PASSporT, whose full form is required (RFC 8946 §4). */
export function readDivPassport(token: string): Signed<DivClaims> | undefined {
  return readSigned(token, 'div', divClaimsOf)
}

type JsonObject = Readonly<Record<string, unknown>>

function readSigned<Claims>(
  token: string,
  ppt: 'shaken' | 'div',
  read: (payload: JsonObject) => Claims | undefined,
): Signed<Claims> | undefined {
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  const [header, payload] = [objectOf(head), objectOf(body)]
  if (header === undefined || payload === undefined || more.length > 0) return undefined
  const certificateUrl = certificateOf(header, ppt)
  const claims = read(payload)
  const bytes = Buffer.from(signature, 'base64url')
  if (certificateUrl === undefined || claims === undefined) return undefined
  if (bytes.length !== SIGNATURE_BYTES) return undefined
  return { certificateUrl, claims, signedText: `${head}.${body}`, signature: bytes }
}

/** Returns the certificate URL; undefined for another kind of header (RFC 8588 §4). */
function certificateOf(
  { alg, ppt, typ, x5u }: JsonObject,
  wanted: 'shaken' | 'div',
): string | undefined {
  const isWanted = alg === 'ES256' && ppt === wanted && typ === 'passport'
  return isWanted && typeof x5u === 'string' ? x5u : undefined
}

/** True when the key has signed the text with ES256 (RFC 7518 §3.4). */
export function isSignedBy(
  { signedText, signature }: Pick<Signed<unknown>, 'signedText' | 'signature'>,
  key: KeyObject,
): boolean {
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false
  const encoded = { key, dsaEncoding: 'ieee-p1363' } as const
  return verify('sha256', Buffer.from(signedText), encoded, signature)
}

function claimsOf(payload: JsonObject): Passport['claims'] | undefined {
  const { attest, origid } = payload
  const common = commonClaimsOf(payload)
  return (
    common && {
      ...common,
      attest: ATTESTATIONS.find((each) => each === attest),
      origid: typeof origid === 'string' ? origid : '',
    }
  )
}

function divClaimsOf(payload: JsonObject): DivClaims | undefined {
  const common = commonClaimsOf(payload)
  const div = numberIn(payload['div'])
  return common && div !== undefined ? { ...common, div } : undefined
}

/** Returns the claims that all PASSporTs for numbers have (RFC 8225 §5). */
function commonClaimsOf({ dest, iat, orig }: JsonObject): Omit<DivClaims, 'div'> | undefined {
  const numbers = isObject(dest) ? destinationsIn(dest['tn']) : undefined
  const caller = numberIn(orig)
  if (numbers === undefined || caller === undefined) return undefined
  if (typeof iat !== 'number' || !Number.isSafeInteger(iat)) return undefined
  return { dest: numbers, iat, orig: caller }
}

function numberIn(party: unknown): string | undefined {
  const number = isObject(party) ? party['tn'] : undefined
  return typeof number === 'string' ? number : undefined
}

function destinationsIn(numbers: unknown): readonly string[] | undefined {
  if (!Array.isArray(numbers) || numbers.length > MAX_DESTINATIONS) return undefined
  return numbers.every((number) => typeof number === 'string') ? numbers : undefined
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function objectOf(part: string): JsonObject | undefined {
  if (!/^[\w-]+$/.test(part)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
