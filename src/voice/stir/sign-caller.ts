/** Signs the caller of a call to a carrier (RFC 8224 §6.1, ATIS-1000074 §5.2). */
import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import { canonical } from './canonical.js'
import { formatIdentity } from './identity-header.js'
import { type Attestation, signDivPassport, signPassport } from './passport.js'

/** The certificate and key that sign a carrier's calls. */
export interface SigningIdentity {
  /** The public URL of the certificate chain, in PEM. */
  readonly certificateUrl: string
  /** The private key of the certificate, in PEM: ECDSA on P-256. */
  readonly privateKey: string
}

export interface SignedCall {
  readonly from: string
  readonly to: string
  readonly attest: Attestation
  readonly atMs: number
}

/** Cache of parsed keys by PEM text: parsing costs more than signing. */
const keys = new Map<string, KeyObject>()
const MAX_KEYS = 100

/** Returns the value of an Identity header; undefined for a caller without a number. */
export function signCaller(identity: SigningIdentity, call: SignedCall): string | undefined {
  if (!/^\+[0-9]{3,15}$/.test(call.from) || !/^\+[0-9]{3,15}$/.test(call.to)) return undefined
  const claims = {
    attest: call.attest,
    dest: [canonical(call.to)],
    iat: Math.floor(call.atMs / 1_000),
    orig: canonical(call.from),
    origid: randomUUID(),
  }
  const { certificateUrl, privateKey } = identity
  const token = signPassport(claims, certificateUrl, keyOf(privateKey))
  return formatIdentity(token, certificateUrl, 'shaken')
}

export interface DivertedCall {
  readonly from: string
  /** The number that was called, and the number that the call is diverted to. */
  readonly divertedFrom: string
  readonly to: string
  readonly atMs: number
}

/**
 * Returns the value of the Identity header to add to a diverted call (RFC 8946 §5); undefined when
 * a party has no number.
 */
export function signDiversion(identity: SigningIdentity, call: DivertedCall): string | undefined {
  const numbers = [call.from, call.divertedFrom, call.to]
  if (!numbers.every((number) => /^\+[0-9]{3,15}$/.test(number))) return undefined
  const claims = {
    dest: [canonical(call.to)],
    div: canonical(call.divertedFrom),
    iat: Math.floor(call.atMs / 1_000),
    orig: canonical(call.from),
  }
  const { certificateUrl, privateKey } = identity
  const token = signDivPassport(claims, certificateUrl, keyOf(privateKey))
  return formatIdentity(token, certificateUrl, 'div')
}

/** Parses a private key; undefined unless it is ECDSA on P-256, which ES256 requires. */
export function readSigningKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch (error) {
    // OpenSSL throws plain errors for unreadable input.
    if (error instanceof Error) return undefined
    throw error
  }
}

function keyOf(pem: string): KeyObject {
  const known = keys.get(pem)
  if (known !== undefined) return known
  const key = createPrivateKey(pem)
  if (keys.size >= MAX_KEYS) keys.clear()
  keys.set(pem, key)
  return key
}
