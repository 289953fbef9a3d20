/** Verifies the caller of an inbound call by its Identity header (RFC 8224 §6.2, RFC 8946, ATIS-1000074). */
import type { X509Certificate } from 'node:crypto'
import type { CallerIdentity } from '../model/call-record.js'
import type { Certificates } from './certificates.js'
import { type Diversion, diversionsTo } from './diversions.js'
import { type Identity, readIdentities } from './identity-header.js'
import { isSignedBy, readDivPassport, readPassport, type Signed } from './passport.js'
import { trustedSigner } from './trusted-chain.js'
import {
  type ClaimedCall,
  carrierVerdict,
  type IdentityVerdict,
  speaksOf,
  verstatOf,
} from './verstat.js'

export interface CallerVerificationDeps {
  readonly certificates: Pick<Certificates, 'find'>
  /** Trusted root certificates; without any, nothing is validated. */
  readonly anchors: readonly X509Certificate[]
}

export class CallerVerification {
  readonly #deps: CallerVerificationDeps

  constructor(deps: CallerVerificationDeps) {
    this.#deps = deps
  }

  /** Resolves with undefined when the INVITE contains no identity of its caller. */
  async verify(
    header: (name: string) => string | undefined,
    call: ClaimedCall,
  ): Promise<CallerIdentity | undefined> {
    const received = header('identity')
    if (received === undefined) {
      const claim = carrierVerdict(header)
      return claim && { verstat: verstatOf(claim), token: undefined, received: undefined }
    }
    const identities = readIdentities(received)
    const shaken = identities.find(({ extension }) => extension === 'shaken') ?? identities[0]
    const verdict: IdentityVerdict =
      shaken === undefined
        ? { type: 'not-validated' }
        : await this.#judge(shaken, identities.flatMap(diversionIn), call)
    return { verstat: verstatOf(verdict), token: shaken?.token, received }
  }

  async #judge(
    identity: Identity,
    received: readonly Diversion[],
    call: ClaimedCall,
  ): Promise<IdentityVerdict> {
    const { anchors } = this.#deps
    const passport = readPassport(identity.token)
    // RFC 8224 §6.2.2: the header and the PASSporT name the same certificate.
    if (passport === undefined || identity.certificateUrl !== passport.certificateUrl)
      return { type: 'not-validated' }
    if (anchors.length === 0) return { type: 'not-validated' }
    const { attest } = passport.claims
    const diversions = diversionsTo(call.to, passport, received)
    const isDiverted = diversions === undefined ? received.length > 0 : diversions.length > 0
    if (diversions === undefined || !speaksOf(passport, call, diversions))
      return { type: 'failed', attest, isDiverted }
    // RFC 8946 §4.2: every link of the chain is validated.
    const links = await Promise.all(
      [passport, ...diversions].map((link) => this.#isRight(link, call.atMs)),
    )
    if (links.includes(undefined)) return { type: 'not-validated' }
    return { type: links.includes(false) ? 'failed' : 'passed', attest, isDiverted }
  }

  /** True when the certificate of the PASSporT has signed it; undefined without a certificate. */
  async #isRight(passport: Signed<unknown>, atMs: number): Promise<boolean | undefined> {
    const { anchors, certificates } = this.#deps
    const chain = await certificates.find(passport.certificateUrl)
    if (chain === undefined) return undefined
    const signer = trustedSigner(chain, anchors, atMs)
    return signer !== undefined && isSignedBy(passport, signer.publicKey)
  }
}

/** Returns the `div` PASSporT of an Identity; none when it is another kind or cannot be read. */
function diversionIn({ certificateUrl, extension, token }: Identity): readonly Diversion[] {
  const passport = extension === 'div' ? readDivPassport(token) : undefined
  return passport?.certificateUrl === certificateUrl && passport !== undefined ? [passport] : []
}
