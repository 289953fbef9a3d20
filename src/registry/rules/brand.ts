/** The parts of a brand. */
export const ENTITY_TYPES = [
  'PRIVATE_PROFIT',
  'PUBLIC_PROFIT',
  'NON_PROFIT',
  'GOVERNMENT',
  'SOLE_PROPRIETOR',
] as const
export type EntityType = (typeof ENTITY_TYPES)[number]

export const IDENTITY_STATUSES = [
  'SELF_DECLARED',
  'UNVERIFIED',
  'VERIFIED',
  'VETTED_VERIFIED',
] as const
export type IdentityStatus = (typeof IDENTITY_STATUSES)[number]

export type OptionalAttributes = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The brand as its owner describes it; the names are those of the API. */
export interface BrandDetails {
  readonly entityType: EntityType
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly displayName: string
  readonly companyName?: string | undefined
  readonly ein?: string | undefined
  readonly einIssuingCountry?: string | undefined
  readonly phone: string
  readonly mobilePhone?: string | undefined
  readonly street?: string | undefined
  readonly city?: string | undefined
  readonly state?: string | undefined
  readonly postalCode?: string | undefined
  readonly country: string
  readonly email: string
  readonly stockSymbol?: string | undefined
  readonly stockExchange?: string | undefined
  readonly ipAddress?: string | undefined
  readonly website?: string | undefined
  readonly brandRelationship: string
  readonly vertical?: string | undefined
  readonly altBusinessId?: string | undefined
  readonly altBusinessIdType?: string | undefined
  readonly referenceId?: string | undefined
  readonly businessContactEmail?: string | undefined
  readonly optionalAttributes?: OptionalAttributes | undefined
}

export type BrandField = keyof BrandDetails

/** The optional text fields of a brand. */
export const BRAND_TEXTS = [
  'firstName',
  'lastName',
  'companyName',
  'ein',
  'einIssuingCountry',
  'mobilePhone',
  'street',
  'city',
  'state',
  'postalCode',
  'stockSymbol',
  'stockExchange',
  'ipAddress',
  'website',
  'vertical',
  'altBusinessId',
  'altBusinessIdType',
  'referenceId',
  'businessContactEmail',
] as const satisfies readonly BrandField[]

/** The value of an attribute: its `value`, or the `name` that older clients send. */
export function attributeOf(brand: BrandDetails, name: string): unknown {
  const attribute = brand.optionalAttributes?.[name]
  return attribute?.['value'] ?? attribute?.['name']
}

export function isTrueAttribute(brand: BrandDetails, name: string): boolean {
  const value = attributeOf(brand, name)
  return value === true || value === 'true'
}

/** Returns the tax ID of a US brand as digits, without the usual hyphen after the first two. */
export function plainEin(ein: string): string {
  return ein.replace(/^(\d{2})-(\d{7})$/, '$1$2')
}

/** Returns the details in stored form: one spelling for each tax ID, and the US as default country. */
export function normalised(brand: BrandDetails): BrandDetails {
  const { ein, einIssuingCountry = 'US' } = brand
  if (ein === undefined) return brand
  return { ...brand, einIssuingCountry, ein: einIssuingCountry === 'US' ? plainEin(ein) : ein }
}
