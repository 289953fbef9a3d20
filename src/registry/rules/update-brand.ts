/** The changes that a brand update may make, and their effects. Pure. */
import { type Problem, problem } from '../model/registry-error.js'
import type { BrandDetails, BrandField } from './brand.js'
import { addMonths } from './calendar.js'

/**
 * The fields that are locked while the brand has external vettings or active campaigns. Changing
 * one requires a re-vet.
 */
export const IDENTITY_FIELDS: readonly BrandField[] = [
  'companyName',
  'ein',
  'einIssuingCountry',
  'entityType',
]

export interface UpdateFacts {
  readonly now: number
  readonly externalVets: number
  readonly activeCampaigns: number
  /** Time of the last change of brandRelationship after registration. */
  readonly relationshipChangedAt: number | undefined
  readonly relationshipMonths: number
}

export interface UpdateEffects {
  readonly changed: readonly BrandField[]
  readonly becomesUnverified: boolean
  readonly changesRelationship: boolean
  /** True when the change revokes Authentication+: a public company must pass it again. */
  readonly revokesAuthPlus: boolean
}

export type UpdateVerdict =
  | { readonly type: 'refused'; readonly problems: readonly Problem[] }
  | ({ readonly type: 'allowed' } & UpdateEffects)

export function judgeUpdate(
  before: BrandDetails,
  after: BrandDetails,
  facts: UpdateFacts,
): UpdateVerdict {
  const changed = changedFields(before, after)
  const locked = IDENTITY_FIELDS.filter((field) => changed.includes(field))
  const problems: Problem[] = []
  if (locked.length > 0 && (facts.externalVets > 0 || facts.activeCampaigns > 0))
    problems.push(
      problem(537, locked, 'cannot change while the brand has active campaigns or external vets'),
    )
  const changesRelationship = changed.includes('brandRelationship')
  const { relationshipChangedAt: last, relationshipMonths: months, now } = facts
  if (changesRelationship && last !== undefined && now < addMonths(last, months))
    problems.push(problem(528, ['brandRelationship'], `can change once every ${months} months`))
  if (problems.length > 0) return { type: 'refused', problems }
  return {
    type: 'allowed',
    changed,
    // A sole proprietor is identified by the phone that received the one-time password.
    becomesUnverified:
      locked.length > 0 ||
      (after.entityType === 'SOLE_PROPRIETOR' && changed.includes('mobilePhone')),
    changesRelationship,
    // Only public companies have Authentication+; contacts of other brands have confirmed nothing.
    revokesAuthPlus:
      changed.includes('businessContactEmail') ||
      (before.entityType === 'PUBLIC_PROFIT' && after.entityType !== 'PUBLIC_PROFIT'),
  }
}

export function changedFields(before: BrandDetails, after: BrandDetails): BrandField[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<BrandField> // both are BrandDetails
  return [...names].filter((name) => normal(before[name]) !== normal(after[name]))
}

function normal(value: unknown): string {
  return value === undefined || value === '' ? '' : JSON.stringify(value)
}

/** The information that scoring uses; a re-vet of unchanged information is refused. */
export function scoredInformation(brand: BrandDetails): string {
  const { referenceId: _, brandRelationship: __, ipAddress: ___, ...rest } = brand
  return JSON.stringify(rest, Object.keys(rest).sort().concat(attributeNames(brand)))
}

function attributeNames(brand: BrandDetails): string[] {
  const attributes = Object.entries(brand.optionalAttributes ?? {})
  return attributes.flatMap(([name, value]) => [name, ...Object.keys(value)])
}
