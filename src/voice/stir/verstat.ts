/** The outcome of STIR/SHAKEN in the words of the convention's webhooks. Pure. */
import { canonical } from './canonical.js'
import { diversionsTo } from './diversions.js'
import type { Attestation, Passport } from './passport.js'

/** What is known of an inbound call's Identity once it was looked at. */
export type IdentityVerdict =
  /** The Identity cannot be read, or its signature cannot be judged: no certificate, no anchors. */
  | { readonly type: 'not-validated' }
  | {
      readonly type: 'passed' | 'failed'
      readonly attest: Attestation | undefined
      /** True when another number was called, and `div` PASSporTs tell who has sent the call on. */
      readonly isDiverted: boolean
    }
  /** No Identity came; the carrier has validated the caller, and says how it ended. */
  | { readonly type: 'told'; readonly verstat: string; readonly attest: Attestation | undefined }

/** A call's parties in E.164 form, with the time of its INVITE. */
export interface ClaimedCall {
  readonly from: string
  readonly to: string
  readonly atMs: number
}

/** The age at which a PASSporT is stale, in either direction (RFC 8224 §6.2, ATIS-1000074). */
const FRESH_SECONDS = 60

/**
 * The age of the first PASSporT of a diverted call: it may have rung at each number for a while before
 * it was sent on. A verifier chooses it (RFC 8224 §6.2.4).
 */
const DIVERTED_FRESH_SECONDS = 600

/**
 * True when the claims speak of this call: its caller, its called number, and its time. `diversions`
 * lead from the number in the claims to the called one; undefined when none do.
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

/** True when the last link was signed just now, and each one not after those that follow it. */
function isTimely(links: readonly { readonly iat: number }[], now: number): boolean {
  const times = [...links.map(({ iat }) => iat), now]
  const isInOrder = times.every((iat, at) => iat - (times[at + 1] ?? iat) <= FRESH_SECONDS)
  const [first = 0] = times
  const last = links.at(-1)?.iat ?? 0
  return isInOrder && now - last <= FRESH_SECONDS && now - first <= DIVERTED_FRESH_SECONDS
}

/** The value of `StirVerstat`. */
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
    case 'told':
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
export function toldBy(header: (name: string) => string | undefined): IdentityVerdict | undefined {
  const parties = [header('p-asserted-identity'), header('from')]
  const said = parties
    .map((party) => /;\s*verstat\s*=\s*([\w-]+)/i.exec(party ?? '')?.[1])
    .find((value) => value !== undefined)
  const verstat = TOLD.find((known) => said?.toLowerCase().startsWith(known.toLowerCase()))
  if (verstat === undefined) return undefined
  const [, attest] = /^\s*([ABC])\s*$/.exec(header('p-attestation-indicator') ?? '') ?? []
  const isPassed = verstat === 'TN-Validation-Passed'
  // A passed validation without its attestation says less than the convention's words do.
  if (isPassed && attest === undefined) return undefined
  return {
    type: 'told',
    verstat,
    // Only A, B and C match above.
    attest: verstat === 'No-TN-Validation' ? undefined : (attest as Attestation | undefined),
  }
}
