/** Signs the caller of a call to a carrier (RFC 8224 §6.1, ATIS-1000074 §5.2). */
import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import { canonical } from './canonical.js'
import { formatIdentity } from './identity-header.js'
import { type Attestation, signDivPassport, signPassport } from './passport.js'

/** The certificate that a carrier's calls are signed with. */
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

/** Keys by their PEM text: reading one costs more than signing. */
const keys = new Map<string, KeyObject>()
const MAX_KEYS = 100

/** The value of an Identity header. Undefined for a caller without a number. */
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
  /** The number that the call was for, and the one that it is sent on to. */
  readonly divertedFrom: string
  readonly to: string
  readonly atMs: number
}

/**
 * The value of the Identity header that stands beside those of the caller of a call that is sent on
 * (RFC 8946 §5). Undefined where a party has no number.
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

/** Reads a private key; undefined for any other than ECDSA on P-256, which ES256 asks for. */
export function readSigningKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch (error) {
    // OpenSSL throws plain errors about what it cannot read.
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
