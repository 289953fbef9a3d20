import { z } from '@hono/zod-openapi'
import {
  BRAND_TEXTS,
  type BrandDetails,
  ENTITY_TYPES,
  IDENTITY_STATUSES,
  type OptionalAttributes,
} from '../../rules/brand.js'
import type { Brands, BrandUpdate, TaggedBrand } from '../../services/brands/brands.js'
import { described } from '../dialect/field-descriptions.js'
import { list, operation, type RegistryOperation } from '../dialect/operation.js'
import {
  bodyText,
  isoTime,
  queryChoice,
  queryFlag,
  queryList,
  queryText,
  timestamp,
} from '../dialect/schemas.js'

type TextField = (typeof BRAND_TEXTS)[number]

type BrandWire = Omit<z.infer<typeof brandResource>, 'optionalAttributes'> & {
  readonly optionalAttributes: OptionalAttributes
}

/** An attribute is an object; clients may also send the bare value. */
const attribute = z
  .union([z.record(z.string().max(50), z.unknown()), z.string().max(255), z.number(), z.boolean()])
  .transform((given) => (typeof given === 'object' ? given : { value: given }))

const anIpAddress = z.union([z.literal(''), z.ipv4(), z.ipv6()])
const isIpAddress = (text: string) => anIpAddress.safeParse(text).success

const optionalDetails = {
  firstName: bodyText(100),
  lastName: bodyText(100),
  companyName: bodyText(255),
  ein: bodyText(21),
  einIssuingCountry: bodyText(2),
  mobilePhone: bodyText(20),
  street: bodyText(255),
  city: bodyText(100),
  state: bodyText(20),
  postalCode: bodyText(10),
  stockSymbol: bodyText(10),
  stockExchange: bodyText(20),
  ipAddress: z.string().max(50).refine(isIpAddress, 'an IP address is expected').nullish(),
  website: bodyText(255),
  vertical: bodyText(50),
  altBusinessId: bodyText(50),
  altBusinessIdType: bodyText(20),
  referenceId: bodyText(50),
  businessContactEmail: bodyText(255),
  optionalAttributes: z.record(z.string().max(50), attribute).nullish(),
}

const requiredDetails = {
  entityType: z.enum(ENTITY_TYPES),
  displayName: z.string().min(1).max(255),
  country: z.string().length(2),
  email: z.string().min(1).max(100),
  brandRelationship: z.string().min(1).max(50),
}

const uniqueTags = z
  .array(z.string().max(50))
  .max(100)
  .refine((tags) => new Set(tags).size === tags.length, 'a tag is named twice')

const createBrandBody = z
  .object(
    described({
      ...requiredDetails,
      phone: z.string().min(1).max(20),
      ...optionalDetails,
      tag: uniqueTags.nullish(),
      mock: z.boolean().nullish(),
    }),
  )
  .openapi('CreateBrand')

const updateBrandBody = z
  .object(
    described({
      ...requiredDetails,
      phone: z.string().min(1).max(20).optional(),
      ...optionalDetails,
      // Read-only here: a different value is refused.
      tag: uniqueTags.nullish(),
      mock: z.boolean().nullish(),
    }),
  )
  .openapi('UpdateBrand')

const text = () => z.string().nullable()

const brandResource = z
  .object(
    described({
      brandId: z.string(),
      cspId: z.string(),
      cspName: z.string(),
      entityType: z.enum(ENTITY_TYPES),
      status: z.enum(['ACTIVE', 'DELETED']),
      identityStatus: z.enum(IDENTITY_STATUSES),
      firstName: text(),
      lastName: text(),
      displayName: z.string(),
      companyName: text(),
      ein: text(),
      einIssuingCountry: text(),
      universalEin: text(),
      phone: z.string(),
      mobilePhone: text(),
      street: text(),
      city: text(),
      state: text(),
      postalCode: text(),
      country: z.string(),
      email: z.string(),
      stockSymbol: text(),
      stockExchange: text(),
      ipAddress: text(),
      website: text(),
      brandRelationship: z.string(),
      vertical: text(),
      altBusinessId: text(),
      altBusinessIdType: text(),
      referenceId: text(),
      tag: z.array(z.string()).nullable(),
      mock: z.boolean(),
      businessContactEmail: text(),
      businessContactTitle: text(),
      businessContactFirstName: text(),
      businessContactLastName: text(),
      businessContactEmailVerifiedDate: timestamp(),
      mobilePhoneVerifiedDate: timestamp(),
      optionalAttributes: z.record(z.string(), z.record(z.string(), z.unknown())),
      createDate: timestamp(),
      evpVettingScore: z.number().int().nullable(),
      evpVettingFeedback: z.array(z.string()),
      politicalVettingId: text(),
    }),
  )
  .openapi('Brand')

const listBrandsQuery = z.object(
  described({
    referenceId: queryText(50),
    displayName: queryText(),
    entityType: queryChoice(ENTITY_TYPES),
    identityStatus: queryChoice(IDENTITY_STATUSES),
    status: queryChoice(['ACTIVE', 'DELETED']),
    state: queryText(20),
    country: queryText(2),
    ein: queryText(21),
    universalEin: queryText(40),
    resellerId: queryText(8),
    tag: queryList(),
    mock: queryFlag(),
    authenticationPlusCompliant: queryFlag(),
  }),
)

const feedbackResource = z
  .object(
    described({
      brandId: z.string(),
      category: z.array(
        z.object(
          described({
            id: z.string(),
            displayName: z.string(),
            description: z.string(),
            fields: z.array(z.string()),
            errors: z.array(z.object(described({ code: z.string(), message: z.string() }))),
          }),
        ),
      ),
    }),
  )
  .openapi('BrandFeedback')

export function brandOperations(brands: Brands): RegistryOperation[] {
  return [
    list({
      id: 'listBrands',
      summary: 'List brands',
      path: '/brand',
      row: 'List brands',
      name: 'brands',
      record: brandResource,
      query: listBrandsQuery,
      run: async ({ caller: csp, query }, page) => {
        const { status, ...filter } = query
        const wanted = { ...filter, status: status ?? ('ACTIVE' as const) }
        const { items, total } = await brands.list(csp.cspId, wanted, page)
        return { items: items.map((each) => brandToWire(each, csp.name)), total }
      },
    }),
    operation({
      id: 'registerBrand',
      summary: 'Register a brand; its identity is checked afterwards',
      method: 'post',
      path: '/brand/nonBlocking',
      aliases: ['/brand'],
      row: 'Register brand',
      body: createBrandBody,
      response: brandResource,
      run: async ({ caller: csp, body }) => {
        const wanted = {
          details: brandDetailsOf(body),
          isMock: body.mock ?? false,
          tags: body.tag ?? [],
        }
        return brandToWire(await brands.register(csp, wanted), csp.name)
      },
    }),
    ...readOperations(brands),
    ...changeOperations(brands),
  ]
}

function readOperations(brands: Brands): RegistryOperation[] {
  return [
    operation({
      id: 'getFeedback',
      summary: 'Get the faults that the identity check found in a brand',
      method: 'get',
      path: '/brand/feedback/{brandId}',
      row: 'Brand feedback',
      response: feedbackResource,
      run: async ({ caller: csp, params }) => {
        const brandId = params.brandId
        return { brandId, category: await brands.feedback(csp.cspId, brandId) }
      },
    }),
    operation({
      id: 'getBrand',
      summary: 'Get a brand',
      method: 'get',
      path: '/brand/{brandId}',
      row: 'Get brand',
      response: brandResource,
      run: async ({ caller: csp, params }) =>
        brandToWire(await brands.find(csp.cspId, params.brandId), csp.name),
    }),
    operation({
      id: 'getFreeTrialBrand',
      summary: 'Get the brand of the platform free trial',
      method: 'get',
      path: '/pft/brand',
      row: 'Get platform-free-trial brand',
      response: brandResource,
      run: async ({ caller: csp }) => {
        const brand = await brands.freeTrial(csp)
        return brandToWire(brand, brand.cspName)
      },
    }),
  ]
}

function changeOperations(brands: Brands): RegistryOperation[] {
  return [
    operation({
      id: 'updateBrand',
      summary: 'Change a brand',
      method: 'put',
      path: '/brand/{brandId}',
      row: 'Update brand',
      body: updateBrandBody,
      response: brandResource,
      run: async ({ caller: csp, params, body }) =>
        brandToWire(await brands.update(csp, params.brandId, brandUpdateOf(body)), csp.name),
    }),
    operation({
      id: 'deleteBrand',
      summary: 'Delete a brand without active campaigns',
      method: 'delete',
      path: '/brand/{brandId}',
      run: ({ caller: csp, params }) => brands.remove(csp.cspId, params.brandId),
    }),
    operation({
      id: 'revetBrand',
      summary: 'Check the identity of a brand again',
      method: 'put',
      path: '/brand/{brandId}/revet',
      row: 'Re-vet brand',
      body: z.object({}),
      response: brandResource,
      run: async ({ caller: csp, params }) =>
        brandToWire(await brands.revet(csp, params.brandId), csp.name),
    }),
  ]
}

/** Every field of a brand; null for a field without a value. */
function brandToWire({ brand, tags }: TaggedBrand, cspName: string): BrandWire {
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
function brandDetailsOf(body: z.infer<typeof createBrandBody>): BrandDetails {
  const { tag: _, mock: __, ...details } = body
  const { entityType, displayName, phone, country, email, brandRelationship } = details
  const given = Object.entries(details).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  const required = { entityType, displayName, phone, country, email, brandRelationship }
  return { ...Object.fromEntries(given), ...required }
}

/** Fields of a PUT: an absent field stays, null or empty text clears it. */
function brandUpdateOf({ tag, mock, ...body }: z.infer<typeof updateBrandBody>): BrandUpdate {
  return { change: changeOf(body), tags: tag ?? undefined, isMock: mock ?? undefined }
}

function changeOf(body: Readonly<Record<string, unknown>>): BrandUpdate['change'] {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value === null || value === '' ? undefined : value]),
  )
}
