import { z } from '@hono/zod-openapi'
import { described } from '../dialect/field-descriptions.js'
import {
  bodyText,
  queryChoice,
  queryFlag,
  queryList,
  queryText,
  timestamp,
} from '../dialect/schemas.js'

const long = () => z.string().min(40).max(4096)
/** A sample message: empty, or 20 to 1,024 characters. */
const message = () => z.union([z.literal(''), z.string().min(20).max(1024)]).nullish()
const flag = () => z.boolean().nullish()
const resellerId = z.string().min(1).max(8)
export const mnoIdList = z
  .array(z.number().int())
  .max(100)
  .refine((ids) => new Set(ids).size === ids.length, 'an operator is named twice')

const texts = {
  sample1: message(),
  sample2: message(),
  sample3: message(),
  sample4: message(),
  sample5: message(),
  helpMessage: message(),
  optinMessage: message(),
  optoutMessage: message(),
  optinKeywords: bodyText(255),
  optoutKeywords: bodyText(255),
  helpKeywords: bodyText(255),
  privacyPolicyLink: bodyText(2048),
  termsAndConditionsLink: bodyText(2048),
  embeddedLinkSample: bodyText(255),
}

const flags = {
  embeddedLink: flag(),
  embeddedPhone: flag(),
  numberPool: flag(),
  ageGated: flag(),
  directLending: flag(),
  autoRenewal: flag(),
}

/**
 * Fields that are set at creation and never change: attestations, operators, the CSP's own
 * reference.
 */
const attested = {
  termsAndConditions: flag(),
  subscriberOptIn: flag(),
  subscriberOptOut: flag(),
  subscriberHelp: flag(),
  // These are the names of the response; clients send them too.
  subscriberOptin: flag(),
  subscriberOptout: flag(),
  mnoIds: mnoIdList.nullish(),
  referenceId: bodyText(50),
}

const tags = z.array(z.string().max(255)).max(100)

export const createCampaignBody = z
  .object(
    described({
      brandId: z.string().min(1).max(8),
      usecase: z.string().min(1).max(50),
      subUsecases: z.array(z.string().max(50)).max(28).nullish(),
      resellerId,
      description: long(),
      messageFlow: long(),
      ...texts,
      ...flags,
      ...attested,
      tag: tags.nullish(),
    }),
  )
  .openapi('CreateCampaign')

export const updateCampaignBody = z
  .object(
    described({
      resellerId: resellerId.optional(),
      description: long().optional(),
      messageFlow: long().optional(),
      ...texts,
      ...flags,
      // Read-only: a value other than the campaign's is refused.
      brandId: z.string().max(8).optional(),
      usecase: z.string().max(50).optional(),
      subUsecases: z.array(z.string().max(50)).max(28).nullish(),
      tag: tags.nullish(),
      ...attested,
    }),
  )
  .openapi('UpdateCampaign')

const text = () => z.string().nullable()

export const mnoMetadataResource = z
  .object(
    described({
      mno: z.string(),
      mnoSupport: z.boolean(),
      mnoReview: z.boolean(),
      qualify: z.boolean(),
      minMsgSamples: z.number().int(),
      reqSubscriberOptin: z.boolean(),
      reqSubscriberOptout: z.boolean(),
      reqSubscriberHelp: z.boolean(),
      noEmbeddedLink: z.boolean(),
      noEmbeddedPhone: z.boolean(),
      msgClass: text(),
      tpm: z.number().int().nullable(),
      mmsTpm: z.number().int().nullable(),
      tpmScope: z.enum(['CAMPAIGN', 'PHONE_NUMBER']).nullable(),
      brandTier: z.enum(['LOW', 'LOWER_MID', 'UPPER_MID', 'TOP', 'UNCAPPED']).nullable(),
      brandDailyCap: z.number().int().nullable(),
    }),
  )
  .openapi('MnoMetadata')

export const mnoMetadataMap = z.record(z.string(), mnoMetadataResource)
export const operationStatusMap = z.record(
  z.string(),
  z.enum(['REGISTERED', 'REVIEW', 'REJECTED', 'SUSPENDED']),
)
export const submissionResource = z
  .object(described({ campaignId: z.string(), mnoMetadata: mnoMetadataMap }))
  .openapi('CampaignSubmission')

export const campaignResource = z
  .object(
    described({
      campaignId: z.string(),
      cspId: z.string(),
      brandId: z.string(),
      status: z.enum(['ACTIVE', 'EXPIRED']),
      usecase: z.string(),
      subUsecases: z.array(z.string()),
      resellerId: z.string(),
      description: z.string(),
      messageFlow: z.string(),
      embeddedLink: z.boolean(),
      embeddedPhone: z.boolean(),
      termsAndConditions: z.boolean(),
      numberPool: z.boolean(),
      ageGated: z.boolean(),
      directLending: z.boolean(),
      subscriberOptin: z.boolean(),
      subscriberOptout: z.boolean(),
      subscriberHelp: z.boolean(),
      sample1: text(),
      sample2: text(),
      sample3: text(),
      sample4: text(),
      sample5: text(),
      helpMessage: text(),
      optinMessage: text(),
      optoutMessage: text(),
      optinKeywords: text(),
      optoutKeywords: text(),
      helpKeywords: text(),
      mnoIds: z.array(z.number().int()),
      referenceId: text(),
      autoRenewal: z.boolean(),
      tag: z.array(z.string()).nullable(),
      privacyPolicyLink: text(),
      termsAndConditionsLink: text(),
      embeddedLinkSample: text(),
      createDate: timestamp(),
      billedDate: timestamp(),
      channelId: text(),
      vertical: text(),
      mock: z.boolean(),
      nextRenewalOrExpirationDate: z.iso.date().nullable(),
      expirationDate: timestamp(),
    }),
  )
  .openapi('Campaign')

export const listCampaignsQuery = z.object(
  described({
    brandId: queryText(8),
    usecase: queryText(50),
    status: queryChoice(['ACTIVE', 'EXPIRED']),
    resellerId: queryText(8),
    referenceId: queryText(50),
    mock: queryFlag(),
    vertical: queryText(50),
    autoRenewal: queryFlag(),
    upstreamCnpId: queryText(8),
    tag: queryList(),
  }),
)
