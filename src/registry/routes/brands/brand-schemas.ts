import { z } from '@hono/zod-openapi'
import { ENTITY_TYPES, IDENTITY_STATUSES } from '../../rules/brand.js'
import { described } from '../dialect/field-descriptions.js'
import {
  bodyText,
  queryChoice,
  queryFlag,
  queryList,
  queryText,
  timestamp,
} from '../dialect/schemas.js'

/** An attribute is an object; a value by itself, as clients send it too, is that of one. */
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

export const createBrandBody = z
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

export const updateBrandBody = z
  .object(
    described({
      ...requiredDetails,
      phone: z.string().min(1).max(20).optional(),
      ...optionalDetails,
      // They cannot be changed here: other values are refused.
      tag: uniqueTags.nullish(),
      mock: z.boolean().nullish(),
    }),
  )
  .openapi('UpdateBrand')

const text = () => z.string().nullable()

export const brandResource = z
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

export const listBrandsQuery = z.object(
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

export const feedbackResource = z
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
