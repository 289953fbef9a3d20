import type { z } from '@hono/zod-openapi'
import { BRAND_TEXTS, type BrandDetails, type OptionalAttributes } from '../../rules/brand.js'
import type { BrandUpdate, TaggedBrand } from '../../services/brands/brands.js'
import { isoTime } from '../dialect/schemas.js'
import type { brandResource, createBrandBody, updateBrandBody } from './brand-schemas.js'

type TextField = (typeof BRAND_TEXTS)[number]

export type BrandWire = Omit<z.infer<typeof brandResource>, 'optionalAttributes'> & {
  readonly optionalAttributes: OptionalAttributes
}

/** Every field of a brand; null for a field without a value. */
export function brandToWire({ brand, tags }: TaggedBrand, cspName: string): BrandWire {
  const { details } = brand
  const texts = Object.fromEntries(
    BRAND_TEXTS.map((name) => [name, details[name] ?? null]),
  ) as Record<TextField, string | null> // exactly the names of BRAND_TEXTS
  return {
    ...texts,
    brandId: brand.brandId,
    cspId: brand.cspId,
    cspName,
    entityType: details.entityType,
    status: brand.status,
    identityStatus: brand.identityStatus,
    displayName: details.displayName,
    phone: details.phone,
    country: details.country,
    email: details.email,
    brandRelationship: details.brandRelationship,
    universalEin: brand.universalEin ?? null,
    tag: tags.length === 0 ? null : [...tags],
    mock: brand.isMock,
    businessContactTitle: brand.businessContactTitle ?? null,
    businessContactFirstName: brand.businessContactFirstName ?? null,
    businessContactLastName: brand.businessContactLastName ?? null,
    businessContactEmailVerifiedDate: isoTime(brand.businessContactEmailVerifiedAt),
    mobilePhoneVerifiedDate: isoTime(brand.mobilePhoneVerifiedAt),
    optionalAttributes: details.optionalAttributes ?? {},
    createDate: isoTime(brand.createdAt),
    evpVettingScore: brand.vettingScore ?? null,
    evpVettingFeedback: [...brand.explanation],
    politicalVettingId: brand.politicalVettingId ?? null,
  }
}

/** The details in a body; null and empty text mean that a field was not given. */
export function brandDetailsOf(body: z.infer<typeof createBrandBody>): BrandDetails {
  const { tag: _, mock: __, ...details } = body
  const { entityType, displayName, phone, country, email, brandRelationship } = details
  const given = Object.entries(details).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  const required = { entityType, displayName, phone, country, email, brandRelationship }
  return { ...Object.fromEntries(given), ...required }
}

/** What a PUT asks for: an absent field stays, null or empty text clears it. */
export function brandUpdateOf({
  tag,
  mock,
  ...body
}: z.infer<typeof updateBrandBody>): BrandUpdate {
  return { change: changeOf(body), tags: tag ?? undefined, isMock: mock ?? undefined }
}

function changeOf(body: Readonly<Record<string, unknown>>): BrandUpdate['change'] {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value === null || value === '' ? undefined : value]),
  )
}
