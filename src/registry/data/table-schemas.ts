/** The schema of each replaceable table. Money is 1/10,000 dollar. */
import { z } from '@hono/zod-openapi'

const words = z.array(z.string())
const money = z.number().int().min(0)
const count = z.number().int().min(0)
const described = z.object({ displayName: z.string(), description: z.string() })
const throughput = z.object({
  tpm: count,
  mmsTpm: count,
  tpmScope: z.enum(['CAMPAIGN', 'PHONE_NUMBER']),
})
export const operatorSchema = z.object({
  networkId: z.number().int().min(10_000),
  displayName: z.string(),
  osrBitmaskIndex: z.number().int().min(1).max(32),
  /** The operator's published scheme: message classes, brand tiers, or none. */
  scheme: z.enum(['class', 'tier', 'none']),
  minMsgSamples: count,
  minMsgSamplesByUsecase: z.record(z.string(), count),
  reqSubscriberOptin: z.boolean(),
  reqSubscriberOptout: z.boolean(),
  reqSubscriberHelp: z.boolean(),
  unsupportedUsecases: words,
  noEmbeddedLinkUsecases: words,
  noEmbeddedPhoneUsecases: words,
  /** The use cases whose campaigns need a manual review. */
  reviewUsecases: z.enum(['SPECIAL', 'NONE', 'ALL']),
})
export const usecaseSchema = z.object({
  classification: z.enum(['STANDARD', 'SPECIAL']),
  displayName: z.string(),
  description: z.string(),
  minSubUsecases: count,
  maxSubUsecases: count,
  validSubUsecase: z.boolean(),
  monthlyFee: money,
})

export const tableSchemas = {
  /** The size of each type of RCS asset, in pixels and bytes. */
  assetTypes: z.record(z.string(), z.object({ width: count, height: count, maxBytes: count })),
  countries: z.object({ names: z.record(z.string(), z.string()), notAllowed: words }),
  cspDefaults: z.object({
    platformFreeTrialEnabled: z.boolean(),
    soleProprietorEnabled: z.boolean(),
    ucaasEnabled: z.boolean(),
    publicSafetyEnabled: z.boolean(),
    dpaSigned: z.boolean(),
    rcsEnabled: z.boolean().default(false),
  }),
  /** Decisions that the registry makes automatically. */
  decisions: z.object({
    brand: z.enum(['SCORE', 'MANUAL']).default('SCORE'),
    shareByDca: z.enum(['ACCEPT', 'MANUAL']),
    specialUsecase: z.enum(['APPROVE', 'MANUAL']),
    vetting: z.enum(['SCORE', 'MANUAL']),
    appeal: z.enum(['ACCEPT', 'MANUAL']),
    /** Systems that simulate an outage, so that clients can test for one. */
    outages: z.array(z.enum(['VETTING_PARTNER', 'NUMBER_REGISTRY'])).default([]),
  }),
  einPrefixes: words,
  enumerations: z.record(z.string(), words),
  errors: z.record(z.string(), z.string()),
  eventTypes: z.record(
    z.string(),
    z.object({
      eventCategory: z.enum(['BRAND', 'CSP', 'CAMPAIGN', 'INCIDENCE', 'VETTING']),
      description: z.string(),
    }),
  ),
  feedbackCategories: z.record(z.string(), described),
  feedbackCodes: z.record(
    z.string(),
    z.object({ category: z.string(), message: z.string(), fields: words }),
  ),
  fees: z.object({
    brand: money,
    revet: money,
    vetting: z.record(z.string(), money),
    brandAppeal: money,
    vettingAppeal: money,
  }),
  limits: z.object({
    maxBrands: count,
    maxCampaignsPerBrand: count,
    maxSoleProprietorCampaigns: count,
    maxSoleProprietorNumbers: count,
    maxNumbersWithoutPool: count,
    soleProprietorPhoneReuse: count,
    mockBrandDays: count,
    brandRelationshipMonths: count,
    renewalMonths: z.number().int().min(1),
    maxTagsPerBrand: count,
    maxAttachmentBytes: count,
    maxAttachmentsPerCampaign: count,
    maxAssetsPerBrand: count.default(20),
    otpHours: count,
    otpPerDay: count,
    otpWrongAttempts: count,
    authPlusMailDays: count,
    authPlusDays: count,
    authPlusResendHours: count,
    authPlusWrongAttempts: count,
    duplicateVettingDays: count,
    appealDays: count,
    vettingValidMonths: z.record(z.string(), z.number().int().min(1)),
  }),
  /** Mail services in addition to the published lists, and local parts of shared mailboxes. */
  mailDomains: z.object({
    free: words,
    disposable: words,
    /** Domains that the published lists contain by mistake. */
    allowed: words.default([]),
    distribution: words,
  }),
  operators: z.object({ operators: z.array(operatorSchema), nnid: z.string() }),
  optionalAttributes: z.record(
    z.string(),
    z.object({
      dataType: z.enum(['BOOLEAN', 'INTEGER', 'DECIMAL', 'STRING']),
      displayName: z.string(),
    }),
  ),
  partners: z.object({
    /** The direct connect aggregators (DCAs), which end a sharing chain. */
    dcas: z.record(z.string(), z.string()),
    vettingProviders: z.record(z.string(), z.object({ displayName: z.string(), classes: words })),
  }),
  publicCompanies: z.array(
    z.object({ companyName: z.string(), stockSymbol: z.string(), stockExchange: z.string() }),
  ),
  throughput: z.object({
    classByUsecase: z.record(z.string(), z.string()),
    /** The use cases that get the lower class of a pair. */
    mixedUsecases: words,
    classByScore: z.array(z.object({ minScore: count, dedicated: z.string(), mixed: z.string() })),
    classes: z.record(z.string(), throughput),
    tierByScore: z.array(
      z.object({ minScore: count, tier: z.enum(['TOP', 'UPPER_MID', 'LOWER_MID', 'LOW']) }),
    ),
    dailyCaps: z.record(z.string(), count),
  }),
  urlShorteners: words,
  usecases: z.record(z.string(), usecaseSchema),
  usStates: z.record(
    z.string(),
    z.object({
      displayName: z.string(),
      /** Ranges of the first three digits of the postal code, each from and to. */
      zipPrefixes: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
  verticals: z.record(z.string(), described.extend({ industryId: z.number().int() })),
} as const

export type TableName = keyof typeof tableSchemas
export type Operator = z.infer<typeof operatorSchema>
export type Usecase = z.infer<typeof usecaseSchema>
