/** Verifies the caller of an inbound call by its Identity header (RFC 8224 §6.2, ATIS-1000074). */
import type { X509Certificate } from 'node:crypto'
import type { CallerIdentity } from '../model/caller-identity.js'
import type { Certificates } from './certificates.js'
import { type Identity, readIdentities } from './identity-header.js'
import { isSignedBy, readPassport } from './passport.js'
import { trustedSigner } from './trusted-chain.js'
import { type ClaimedCall, type IdentityVerdict, speaksOf, toldBy, verstatOf } from './verstat.js'

export interface CallerVerificationDeps {
  readonly certificates: Pick<Certificates, 'find'>
  /** The certificates of the authorities that are trusted; without any, nothing is validated. */
  readonly anchors: readonly X509Certificate[]
}

export class CallerVerification {
  readonly #deps: CallerVerificationDeps

  constructor(deps: CallerVerificationDeps) {
    this.#deps = deps
  }

  /** Undefined when the INVITE says nothing of its caller's identity. */
  async verify(
    header: (name: string) => string | undefined,
    call: ClaimedCall,
  ): Promise<CallerIdentity | undefined> {
    const received = header('identity')
    if (received === undefined) {
      const told = toldBy(header)
      return told && { verstat: verstatOf(told), token: undefined, received: undefined }
    }
    const identities = readIdentities(received)
    const shaken = identities.find(({ extension }) => extension === 'shaken') ?? identities[0]
    const verdict: IdentityVerdict =
      shaken === undefined ? { type: 'not-validated' } : await this.#judge(shaken, call)
    return { verstat: verstatOf(verdict), token: shaken?.token, received }
  }

  async #judge(identity: Identity, call: ClaimedCall): Promise<IdentityVerdict> {
    const { anchors, certificates } = this.#deps
    const passport = readPassport(identity.token)
    // RFC 8224 §6.2.2: the header and the PASSporT name the same certificate.
    if (passport === undefined || identity.certificateUrl !== passport.certificateUrl)
      return { type: 'not-validated' }
    if (anchors.length === 0) return { type: 'not-validated' }
    const { attest } = passport.claims
    if (!speaksOf(passport, call)) return { type: 'failed', attest }
    const chain = await certificates.find(passport.certificateUrl)
    if (chain === undefined) return { type: 'not-validated' }
    const signer = trustedSigner(chain, anchors, call.atMs)
    const isRight = signer !== undefined && isSignedBy(passport, signer.publicKey)
    return { type: isRight ? 'passed' : 'failed', attest }
  }
}
