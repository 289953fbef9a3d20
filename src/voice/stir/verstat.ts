/** Converts STIR/SHAKEN results to the values in webhooks. Pure. */
import { canonical } from './canonical.js'
import { diversionsTo } from './diversions.js'
import type { Attestation, Passport } from './passport.js'

/** The verification result of an inbound call's Identity. */
export type IdentityVerdict =
  /**
   * The Identity cannot be read, or its signature not verified: no certificate, no trusted roots.
   */
  | { readonly type: 'not-validated' }
  | {
      readonly type: 'passed' | 'failed'
      readonly attest: Attestation | undefined
      /** True when another number was called and `div` PASSporTs show who diverted the call. */
      readonly isDiverted: boolean
    }
  /** No Identity; the carrier has verified the caller and reports its result. */
  | {
      readonly type: 'by-carrier'
      readonly verstat: string
      readonly attest: Attestation | undefined
    }

/** The call's numbers in E.164 and the time of its INVITE. */
export interface ClaimedCall {
  readonly from: string
  readonly to: string
  readonly atMs: number
}

/** Maximum age of a PASSporT, s, also in the future (RFC 8224 §6.2, ATIS-1000074). */
const FRESH_SECONDS = 60

/**
 * Maximum age of the first PASSporT of a diverted call, s: the call may have rung at each number
 * before it was diverted. A verifier chooses the limit (RFC 8224 §6.2.4).
 */
const DIVERTED_FRESH_SECONDS = 600

/**
 * True when the claims match this call: caller, called number and time. `diversions` connect the
 * number in the claims to the called one; undefined when none do.
 */
export function speaksOf(
  passport: Pick<Passport, 'claims'>,
  call: ClaimedCall,
  diversions = diversionsTo(call.to, passport, []),
): boolean {
  const { claims } = passport
  if (diversions === undefined || canonical(claims.orig) !== canonical(call.from)) return false
  return isTimely([claims, ...diversions.map((each) => each.claims)], call.atMs / 1_000)
}

/** True when the last PASSporT is recent and none is newer than its successor. */
function isTimely(links: readonly { readonly iat: number }[], now: number): boolean {
  const times = [...links.map(({ iat }) => iat), now]
  const isInOrder = times.every((iat, at) => iat - (times[at + 1] ?? iat) <= FRESH_SECONDS)
  const [first = 0] = times
  const last = links.at(-1)?.iat ?? 0
  return isInOrder && now - last <= FRESH_SECONDS && now - first <= DIVERTED_FRESH_SECONDS
}

/** Returns the value of `StirVerstat`. */
export function verstatOf(verdict: IdentityVerdict): string {
  switch (verdict.type) {
    case 'not-validated':
      return 'No-TN-Validation'
    case 'passed':
      // SHAKEN has no validation without an attestation (ATIS-1000074 §5.3.1).
      return verdict.attest === undefined
        ? diverted('TN-Validation-Failed', verdict)
        : diverted(`TN-Validation-Passed-${verdict.attest}`, verdict)
    case 'failed':
      return diverted(withAttestation('TN-Validation-Failed', verdict.attest), verdict)
    case 'by-carrier':
      return `${withAttestation(verdict.verstat, verdict.attest)}-Passthrough`
  }
}

function diverted(verstat: string, { isDiverted }: { readonly isDiverted: boolean }): string {
  return isDiverted ? `${verstat}-Diverted` : verstat
}

function withAttestation(verstat: string, attest: Attestation | undefined): string {
  return attest === undefined ? verstat : `${verstat}-${attest}`
}

const TOLD = ['TN-Validation-Passed', 'TN-Validation-Failed', 'No-TN-Validation']

/**
 * The carrier's own verdict: the `verstat` parameter in P-Asserted-Identity or From (3GPP TS 24.229
 * §7.2A.20), and its P-Attestation-Indicator. Undefined when it gives none.
 */
export function carrierVerdict(
  header: (name: string) => string | undefined,
): IdentityVerdict | undefined {
  const parties = [header('p-asserted-identity'), header('from')]
  const said = parties
    .map((party) => /;\s*verstat\s*=\s*([\w-]+)/i.exec(party ?? '')?.[1])
    .find((value) => value !== undefined)
  const verstat = TOLD.find((known) => said?.toLowerCase().startsWith(known.toLowerCase()))
  if (verstat === undefined) return undefined
  const [, attest] = /^\s*([ABC])\s*$/.exec(header('p-attestation-indicator') ?? '') ?? []
  const isPassed = verstat === 'TN-Validation-Passed'
  // A passed validation without an attestation has no value in the webhooks.
  if (isPassed && attest === undefined) return undefined
  return {
    type: 'by-carrier',
    verstat,
    // the pattern matches only A, B and C
    attest: verstat === 'No-TN-Validation' ? undefined : (attest as Attestation | undefined),
  }
}
