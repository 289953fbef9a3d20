import type { Reader, Writer } from '../../platform/database/database.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { BrandDetails } from '../rules/brand.js'
import type { BrandIdentity } from '../rules/brand-identity.js'
import type { RegistryBrandsTable } from './tables/brand-tables.js'

export interface FeedbackCategory {
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly fields: readonly string[]
  readonly errors: readonly { readonly code: string; readonly message: string }[]
}

/** The progress of the business contact's confirmation for a public company. */
export interface AuthPlus {
  readonly state: 'none' | 'mail-sent' | 'complete' | 'failed' | 'expired'
  readonly startedAt: number
  readonly mailSentAt?: number | undefined
  readonly pinHash?: string | undefined
  readonly tokenHash?: string | undefined
  readonly wrongPins: number
  readonly isOpened: boolean
}

/** A brand as it is stored. Only `stepIdentity` changes its identity. */
export interface Brand extends BrandIdentity {
  readonly brandId: string
  readonly cspId: string
  readonly status: 'ACTIVE' | 'DELETED'
  readonly details: BrandDetails
  readonly isMock: boolean
  readonly createdAt: number
  readonly universalEin?: string | undefined
  /** The state of scoring; `unsuccessful` means that scoring was impossible. */
  readonly scoring: 'pending' | 'finished' | 'unsuccessful'
  readonly scoredAt?: number | undefined
  readonly feedback: readonly FeedbackCategory[]
  /** The scorer's reasons, for people. */
  readonly explanation: readonly string[]
  /** The information that was scored last; unchanged information is not scored again. */
  readonly scoredInformation: string
  /** The highest score of the active external vettings, 0–100; undefined without one. */
  readonly vettingScore?: number | undefined
  readonly hasPoliticalVet: boolean
  readonly politicalVettingId?: string | undefined
  readonly relationshipChangedAt?: number | undefined
  readonly mobilePhoneVerifiedAt?: number | undefined
  readonly businessContactEmailVerifiedAt?: number | undefined
  readonly businessContactTitle?: string | undefined
  readonly businessContactFirstName?: string | undefined
  readonly businessContactLastName?: string | undefined
  readonly authPlus?: AuthPlus | undefined
  /** The brand's upstream identifier; undefined until it is registered there. */
  readonly upstreamBrandId?: string | undefined
}

/** The key of a reference, which ignores case; null for an empty or missing one. */
export function referenceKey(referenceId: string | undefined): string | null {
  return referenceId === undefined || referenceId.trim() === '' ? null : referenceId.toLowerCase()
}

export async function insertBrand(tx: Writer, brand: Brand): Promise<void> {
  await tx
    .insertInto('registry_brands')
    .values({ brandId: brand.brandId, createdAt: brand.createdAt, ...columns(brand) })
    .execute()
}

export async function saveBrand(tx: Writer, brand: Brand): Promise<void> {
  await tx
    .updateTable('registry_brands')
    .set(columns(brand))
    .where('brandId', '=', brand.brandId)
    .execute()
}

function columns(brand: Brand) {
  const { details } = brand
  return {
    cspId: brand.cspId,
    status: brand.status,
    identityStatus: brand.identityStatus,
    entityType: details.entityType,
    displayKey: details.displayName.toLowerCase(),
    state: details.state ?? null,
    country: details.country,
    ein: details.ein ?? null,
    universalEin: brand.universalEin ?? null,
    mobilePhone: details.mobilePhone ?? null,
    // A deleted brand releases its reference.
    referenceKey: brand.status === 'DELETED' ? null : referenceKey(details.referenceId),
    isMock: brand.isMock ? 1 : 0,
    isAuthPlus: brand.businessContactEmailVerifiedAt === undefined ? 0 : 1,
    scoring: brand.scoring,
    record: JSON.stringify(brand),
  }
}

type BrandRow = Pick<Selectable<RegistryBrandsTable>, 'record'>

export function parseBrand(row: BrandRow): Brand {
  return JSON.parse(row.record) as Brand // written by `columns` only
}

export async function findBrand(db: Reader, brandId: string): Promise<Brand | undefined> {
  const row = await db
    .selectFrom('registry_brands')
    .select('record')
    .where('brandId', '=', brandId)
    .executeTakeFirst()
  return row === undefined ? undefined : parseBrand(row)
}

export async function isReferenceTaken(
  db: Reader,
  cspId: string,
  referenceId: string | undefined,
  exceptBrandId?: string,
): Promise<boolean> {
  const key = referenceKey(referenceId)
  if (key === null) return false
  const row = await db
    .selectFrom('registry_brands')
    .select('brandId')
    .where('cspId', '=', cspId)
    .where('referenceKey', '=', key)
    .executeTakeFirst()
  return row !== undefined && row.brandId !== exceptBrandId
}

/** Counts the sole proprietors of all CSPs that use the phone number. */
export async function countSoleProprietorsWith(
  db: Reader,
  mobilePhone: string,
  exceptBrandId?: string,
): Promise<number> {
  const row = await db
    .selectFrom('registry_brands')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('mobilePhone', '=', mobilePhone)
    .where('entityType', '=', 'SOLE_PROPRIETOR')
    .where('status', '=', 'ACTIVE')
    .where('isMock', '=', 0)
    .where('brandId', '!=', exceptBrandId ?? '')
    .executeTakeFirstOrThrow()
  return row.count
}

export async function countBrands(
  db: Reader,
  cspId: string,
  status: 'ACTIVE' | 'DELETED',
): Promise<number> {
  const row = await db
    .selectFrom('registry_brand_counts')
    .select('brands')
    .where('cspId', '=', cspId)
    .where('status', '=', status)
    .executeTakeFirst()
  return row?.brands ?? 0
}
