import type { z } from '@hono/zod-openapi'
import type { CampaignDetails } from '../../rules/campaign.js'
import { tagKey } from '../../rules/tag.js'
import type { TaggedCampaign } from '../../services/campaigns/campaigns.js'
import { isoTime } from '../dialect/schemas.js'
import type { campaignResource, createCampaignBody } from './campaign-schemas.js'

const TEXTS = [
  'sample1',
  'sample2',
  'sample3',
  'sample4',
  'sample5',
  'helpMessage',
  'optinMessage',
  'optoutMessage',
  'optinKeywords',
  'optoutKeywords',
  'helpKeywords',
  'referenceId',
  'privacyPolicyLink',
  'termsAndConditionsLink',
  'embeddedLinkSample',
] as const

/** Every field of a campaign; null for a field without a value. */
export function campaignToWire({
  campaign,
  tags,
}: TaggedCampaign): z.infer<typeof campaignResource> {
  const { details } = campaign
  const texts = Object.fromEntries(TEXTS.map((name) => [name, details[name] ?? null])) as Record<
    (typeof TEXTS)[number],
    string | null
  > // exactly the names of TEXTS
  return {
    ...details,
    ...texts,
    subUsecases: [...details.subUsecases],
    mnoIds: [...(details.mnoIds ?? Object.keys(campaign.mnoMetadata).map(Number))],
    campaignId: campaign.campaignId,
    cspId: campaign.cspId,
    brandId: campaign.brandId,
    status: campaign.status,
    tag: tags.length === 0 ? null : [...tags],
    createDate: isoTime(campaign.createdAt),
    billedDate: isoTime(campaign.billedAt),
    channelId: null,
    vertical: campaign.vertical ?? null,
    mock: campaign.isMock,
    nextRenewalOrExpirationDate:
      campaign.status === 'EXPIRED' ? null : dateOf(campaign.nextRenewalAt),
    expirationDate: isoTime(campaign.expiredAt),
  }
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Values of unset fields, at creation and after a PUT clears them. */
const DEFAULTS = { autoRenewal: true, optoutKeywords: 'STOP', helpKeywords: 'HELP' } as const

/** The details in a body; null means that a field was not given. */
export function campaignDetailsOf(body: z.infer<typeof createCampaignBody>): CampaignDetails {
  const {
    brandId: _,
    tag: __,
    subscriberOptIn,
    subscriberOptOut,
    subscriberOptin,
    subscriberOptout,
    ...rest
  } = body
  const given = Object.entries(rest).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  return {
    subUsecases: [],
    embeddedLink: false,
    embeddedPhone: false,
    termsAndConditions: true,
    numberPool: false,
    ageGated: false,
    directLending: false,
    subscriberHelp: false,
    ...DEFAULTS,
    ...Object.fromEntries(given),
    subscriberOptin: subscriberOptIn ?? subscriberOptin ?? false,
    subscriberOptout: subscriberOptOut ?? subscriberOptout ?? false,
  } as unknown as CampaignDetails // parsed by the schema that names the same fields
}

/**
 * The change that a PUT makes: an absent field stays; null clears a text and sets a flag to "no". A
 * field with a default returns to it. Tags are compared in stored form.
 */
export function campaignChangeOf(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(body).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (name === 'tag') return [name, ((value ?? []) as readonly string[]).map(tagKey)] // by its schema
      return [name, value === null || value === '' ? cleared(name) : value]
    }),
  )
}

const FLAGS = ['embeddedLink', 'embeddedPhone', 'numberPool', 'ageGated', 'directLending']

function cleared(name: string): string | boolean | undefined {
  if (isDefaulted(name)) return DEFAULTS[name]
  return FLAGS.includes(name) ? false : undefined
}

function isDefaulted(name: string): name is keyof typeof DEFAULTS {
  return Object.hasOwn(DEFAULTS, name)
}
