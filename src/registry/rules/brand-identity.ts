/**
 * The identity status of a brand: the one place where it is decided. Pure.
 *
 * The registry checks a brand itself (`checkedStatus`); an external vetting with a score above 0
 * raises it to VETTED_VERIFIED; without one it falls back to what the check found.
 *
 * | Event            | SELF_DECLARED | UNVERIFIED        | VERIFIED          | VETTED_VERIFIED      |
 * |------------------|---------------|-------------------|-------------------|----------------------|
 * | checked          | what it found | what it found     | what it found     | kept while vetted    |
 * | phone-verified   | VERIFIED      | VERIFIED          | –                 | –                    |
 * | vetted, score >0 | –             | VETTED_VERIFIED   | VETTED_VERIFIED   | –                    |
 * | vetted, score 0  | –             | –                 | –                 | –                    |
 * | vetting-lost     | –             | –                 | –                 | what the check found |
 * | facts-changed    | UNVERIFIED    | –                 | UNVERIFIED        | UNVERIFIED           |
 * | contact-expired  | UNVERIFIED    | –                 | UNVERIFIED        | UNVERIFIED           |
 * | appeal-granted   | VERIFIED      | VERIFIED          | –                 | –                    |
 * | decided          | as decided    | as decided        | as decided        | as decided           |
 */
import type { EntityType, IdentityStatus } from './brand.js'

export type CheckedStatus = Exclude<IdentityStatus, 'VETTED_VERIFIED'>

export interface BrandIdentity {
  readonly identityStatus: IdentityStatus
  /** The last result of the registry's own check. */
  readonly checkedStatus: CheckedStatus
}

export type BrandIdentityEvent =
  /** The scoring of the brand has finished. */
  | {
      readonly type: 'checked'
      readonly found: IdentityStatus
      readonly isPhoneVerified: boolean
      readonly bestScore: number
    }
  /** A sole proprietor has entered the PIN sent to the mobile phone. */
  | { readonly type: 'phone-verified' }
  /** An external vetting has received a score; `bestScore` is the highest active score. */
  | { readonly type: 'vetted'; readonly bestScore: number }
  /**
   * An external vetting has expired or lost its score; `bestScore` is the highest remaining one, 0
   * when there is none.
   */
  | { readonly type: 'vetting-lost'; readonly bestScore: number }
  /** A field that identifies the brand was changed. */
  | { readonly type: 'facts-changed' }
  /** The business contact did not pass Authentication+ in time. */
  | { readonly type: 'contact-expired' }
  | { readonly type: 'appeal-granted'; readonly bestScore: number }
  /** An operator has decided; this overrides checks and vettings. */
  | {
      readonly type: 'decided'
      readonly status: 'UNVERIFIED' | 'VERIFIED' | 'VETTED_VERIFIED'
    }

/** The identity of a newly registered brand. */
export function newIdentity(entityType: EntityType): BrandIdentity {
  return entityType === 'SOLE_PROPRIETOR' ? plain('SELF_DECLARED') : plain('UNVERIFIED')
}

export function stepIdentity(identity: BrandIdentity, event: BrandIdentityEvent): BrandIdentity {
  const { identityStatus, checkedStatus } = identity
  switch (event.type) {
    case 'checked':
      return onChecked(event.found, event.isPhoneVerified, event.bestScore)
    case 'phone-verified':
      return { identityStatus: vettedOr(identityStatus, 'VERIFIED'), checkedStatus: 'VERIFIED' }
    case 'vetted':
      return event.bestScore > 0 ? raised(checkedStatus, event.bestScore) : identity
    case 'vetting-lost':
      return onVettingLost(identity, event.bestScore)
    case 'facts-changed':
    case 'contact-expired':
      return plain('UNVERIFIED')
    case 'appeal-granted':
      return raised('VERIFIED', event.bestScore)
    case 'decided':
      return {
        identityStatus: event.status,
        checkedStatus: event.status === 'UNVERIFIED' ? 'UNVERIFIED' : 'VERIFIED',
      }
  }
}

function onChecked(found: IdentityStatus, isPhoneVerified: boolean, bestScore: number) {
  // The upstream registry may itself have set VETTED_VERIFIED.
  if (found === 'VETTED_VERIFIED') return raised('VERIFIED', 1)
  // A sole proprietor who has passed the one-time password stays verified.
  const isKnownPerson = found === 'SELF_DECLARED' && isPhoneVerified
  return raised(isKnownPerson ? 'VERIFIED' : found, bestScore)
}

/**
 * The identity after the loss of a vetting. The remaining vettings do not raise a brand that an
 * operator or an expired contact check made UNVERIFIED.
 */
function onVettingLost(identity: BrandIdentity, bestScore: number): BrandIdentity {
  const wasVetted = identity.identityStatus === 'VETTED_VERIFIED'
  return wasVetted && bestScore === 0 ? plain(identity.checkedStatus) : identity
}

function plain(status: CheckedStatus): BrandIdentity {
  return { identityStatus: status, checkedStatus: status }
}

function raised(checkedStatus: CheckedStatus, bestScore: number): BrandIdentity {
  return { identityStatus: bestScore > 0 ? 'VETTED_VERIFIED' : checkedStatus, checkedStatus }
}

function vettedOr(before: IdentityStatus, otherwise: IdentityStatus): IdentityStatus {
  return before === 'VETTED_VERIFIED' ? before : otherwise
}

/** True when the brand's identity is verified, with or without a vetting. */
export function isVerified({ identityStatus }: Pick<BrandIdentity, 'identityStatus'>): boolean {
  return identityStatus === 'VERIFIED' || identityStatus === 'VETTED_VERIFIED'
}

/** The fields of a vetting that determine a brand's rank. */
export interface RankingVetting {
  readonly vettingId: string
  readonly vettingClass: string
  readonly status: string
  readonly score?: number | undefined
}

/** A brand's rank, computed from its active vettings. */
export interface VettingRank {
  /** The highest score, 0 without a vetting. */
  readonly bestScore: number
  /** The highest score as the API shows it: undefined without a vetting. */
  readonly vettingScore: number | undefined
  readonly hasPoliticalVet: boolean
  readonly politicalVettingId: string | undefined
}

/** The rank from `vettings`, oldest first. A newer vetting with a lower score does not lower it. */
export function rankOf(vettings: readonly RankingVetting[]): VettingRank {
  const active = vettings.filter((each) => each.status === 'ACTIVE')
  const scores = active.flatMap(({ score }) => (score === undefined ? [] : [score]))
  const political = active.findLast(
    ({ vettingClass, score }) => vettingClass === 'POLITICAL' && (score ?? 0) > 0,
  )
  return {
    bestScore: Math.max(0, ...scores),
    vettingScore: scores.length === 0 ? undefined : Math.max(...scores),
    hasPoliticalVet: political !== undefined,
    politicalVettingId: political?.vettingId,
  }
}
