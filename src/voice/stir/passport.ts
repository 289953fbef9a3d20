/** PASSporTs of the extension `shaken` (RFC 8225, RFC 8588): written, read and checked. Pure. */
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

export interface Passport {
  /** The URL of the certificate (RFC 8225 §4.2). */
  readonly certificateUrl: string
  readonly claims: Omit<ShakenClaims, 'attest'> & { readonly attest: Attestation | undefined }
  readonly signedText: string
  readonly signature: Buffer
}

/** What the server says of a call that it diverts (RFC 8946 §4). */
export interface DivClaims {
  readonly dest: readonly string[]
  /** The number that the call was for, which diverts it. */
  readonly div: string
  readonly iat: number
  readonly orig: string
}

const ATTESTATIONS: readonly Attestation[] = ['A', 'B', 'C']
const MAX_DESTINATIONS = 32
const SIGNATURE_BYTES = 64

/** Writes a PASSporT, its keys in the order of RFC 8225 §9 and without spaces. */
export function signPassport(claims: ShakenClaims, certificateUrl: string, key: KeyObject): string {
  const { attest, dest, iat, orig, origid } = claims
  const payload = { attest, dest: { tn: dest }, iat, orig: { tn: orig }, origid }
  return signed('shaken', payload, certificateUrl, key)
}

/** Writes a PASSporT of the extension `div`, in the same way. */
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

/** Reads a PASSporT in its full form. Undefined when it is none, or not one of `shaken`. */
export function readPassport(token: string): Passport | undefined {
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  const [header, payload] = [objectOf(head), objectOf(body)]
  if (header === undefined || payload === undefined || more.length > 0) return undefined
  const certificateUrl = certificateOf(header)
  const claims = claimsOf(payload)
  const bytes = Buffer.from(signature, 'base64url')
  if (certificateUrl === undefined || claims === undefined) return undefined
  if (bytes.length !== SIGNATURE_BYTES) return undefined
  return { certificateUrl, claims, signedText: `${head}.${body}`, signature: bytes }
}

/** The URL of the certificate; undefined when the header is not one of `shaken` (RFC 8588 §4). */
function certificateOf({
  alg,
  ppt,
  typ,
  x5u,
}: Readonly<Record<string, unknown>>): string | undefined {
  const isShaken = alg === 'ES256' && ppt === 'shaken' && typ === 'passport'
  return isShaken && typeof x5u === 'string' ? x5u : undefined
}

/** True when the text was signed with the key by ES256 (RFC 7518 §3.4). */
export function isSignedBy(
  { signedText, signature }: Pick<Passport, 'signedText' | 'signature'>,
  key: KeyObject,
): boolean {
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false
  const encoded = { key, dsaEncoding: 'ieee-p1363' } as const
  return verify('sha256', Buffer.from(signedText), encoded, signature)
}

function claimsOf(payload: Readonly<Record<string, unknown>>): Passport['claims'] | undefined {
  const { attest, dest, iat, orig, origid } = payload
  const numbers = isObject(dest) ? destinationsIn(dest['tn']) : undefined
  const caller = isObject(orig) ? orig['tn'] : undefined
  if (numbers === undefined) return undefined
  if (typeof caller !== 'string' || typeof iat !== 'number' || !Number.isSafeInteger(iat))
    return undefined
  return {
    attest: ATTESTATIONS.find((each) => each === attest),
    dest: numbers,
    iat,
    orig: caller,
    origid: typeof origid === 'string' ? origid : '',
  }
}

function destinationsIn(numbers: unknown): readonly string[] | undefined {
  if (!Array.isArray(numbers) || numbers.length > MAX_DESTINATIONS) return undefined
  return numbers.every((number) => typeof number === 'string') ? numbers : undefined
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function objectOf(part: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^[\w-]+$/.test(part)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
