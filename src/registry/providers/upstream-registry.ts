/**
 * A registry in another system, reached through its API. Ours are found there by their referenceId,
 * which is our identifier, so a call repeated after a crash finds what the first one made.
 */
import { AdapterError } from '../../platform/errors.js'
import type { Brand } from '../storage/brands.js'
import type { Campaign } from '../storage/campaigns.js'
import { type RegistryClient, UpstreamRefusal, type UpstreamRegistry } from './registry-client.js'
import type { RegistryProvider, ShareOutcome } from './registry-provider.js'
import type { SharedCampaign, UpstreamPartner } from './upstream-partner.js'

/** Brands are judged by `judge` (the embedded registry), campaigns go up through the client. */
export function withUpstream(
  judge: RegistryProvider,
  client: RegistryClient,
  settings: UpstreamRegistry,
): RegistryProvider {
  return {
    scoreBrand: (brand, signal) => judge.scoreBrand(brand, signal),
    upstream: createUpstreamPartner(client, settings),
  }
}

function createUpstreamPartner(
  client: RegistryClient,
  { cnpId, displayName, shareWith }: UpstreamRegistry,
): UpstreamPartner {
  const campaignId = async (shared: SharedCampaign, signal: AbortSignal): Promise<string> => {
    const found = await findCampaign(client, shared.campaign, signal)
    if (found === undefined)
      throw new AdapterError(`campaign ${shared.campaign.campaignId} is not upstream`)
    return found
  }
  return {
    cnpId,
    displayName,
    share: (shared, signal) => share(client, shareWith, shared, signal),
    update: async (shared, signal) => {
      const id = await campaignId(shared, signal)
      await client.call('PUT', `/campaign/${id}`, campaignBody(shared.campaign), signal)
    },
    nudge: async (shared, nudge, signal) => {
      const id = await campaignId(shared, signal)
      await client.call('POST', `/campaign/${id}/nudge`, nudge, signal)
    },
    deactivate: async (shared, signal) => {
      const id = await findCampaign(client, shared.campaign, signal)
      if (id !== undefined) await client.call('DELETE', `/campaign/${id}`, undefined, signal)
    },
  }
}

async function share(
  client: RegistryClient,
  shareWith: string,
  { campaign, brand }: SharedCampaign,
  signal: AbortSignal,
): Promise<ShareOutcome> {
  const brandOutcome = await ensureBrand(client, brand, signal)
  if (brandOutcome.type !== 'ready') return brandOutcome.outcome
  const id = await ensureCampaign(client, campaign, brandOutcome.brandId, signal)
  if (typeof id !== 'string') return id
  const path = `/campaign/${id}/sharing`
  const present = shareOf((await client.call('GET', path, undefined, signal))['sharedByMe'])
  if (present === undefined) {
    await client.call('PUT', `${path}/${shareWith}`, {}, signal)
    return { type: 'pending', upstreamCampaignId: id }
  }
  switch (present.sharingStatus) {
    case 'ACCEPTED':
      return { type: 'accepted', upstreamCampaignId: id, by: shareWith }
    case 'DECLINED': {
      const { rejectionCategory, explanation } = present
      return { type: 'declined', upstreamCampaignId: id, rejectionCategory, explanation }
    }
    default:
      return { type: 'pending', upstreamCampaignId: id }
  }
}

function shareOf(value: unknown) {
  if (typeof value !== 'object' || value === null) return undefined
  const { sharingStatus, rejectionCategory, explanation } = value as Record<string, unknown> // an object
  const categories: unknown[] = Array.isArray(rejectionCategory) ? rejectionCategory : []
  return {
    sharingStatus,
    rejectionCategory: categories.filter((each) => typeof each === 'string'),
    explanation: typeof explanation === 'string' ? explanation : '',
  }
}

type BrandThere =
  | { readonly type: 'ready'; readonly brandId: string }
  | { readonly type: 'not-ready'; readonly outcome: ShareOutcome }

async function ensureBrand(
  client: RegistryClient,
  brand: Brand,
  signal: AbortSignal,
): Promise<BrandThere> {
  const query = `/brand?referenceId=${encodeURIComponent(brand.brandId)}`
  const known = firstRecord(await client.call('GET', query, undefined, signal))
  const there =
    known ??
    (await client.call(
      'POST',
      '/brand/nonBlocking',
      { ...brand.details, referenceId: brand.brandId },
      signal,
    ))
  const brandId = textOf(there['brandId'])
  if (known !== undefined && (await isScored(client, brandId, signal)))
    return { type: 'ready', brandId }
  return { type: 'not-ready', outcome: { type: 'pending', upstreamCampaignId: '' } }
}

/** 535: scoring has not finished. What came of it, campaigns will show. */
async function isScored(
  client: RegistryClient,
  brandId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.call('GET', `/brand/feedback/${brandId}`, undefined, signal)
    return true
  } catch (error) {
    if (error instanceof UpstreamRefusal) return !error.codes.includes(535)
    throw error
  }
}

async function findCampaign(
  client: RegistryClient,
  campaign: Campaign,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = `/campaign/search?referenceId=${encodeURIComponent(campaign.campaignId)}`
  const found = firstRecord(await client.call('GET', query, undefined, signal))
  return found === undefined ? undefined : textOf(found['campaignId'])
}

async function ensureCampaign(
  client: RegistryClient,
  campaign: Campaign,
  brandId: string,
  signal: AbortSignal,
): Promise<string | ShareOutcome> {
  const known = await findCampaign(client, campaign, signal)
  if (known !== undefined) return known
  try {
    const body = { ...campaignBody(campaign), brandId, referenceId: campaign.campaignId }
    return textOf((await client.call('POST', '/campaignBuilder', body, signal))['campaignId'])
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    return {
      type: 'declined',
      upstreamCampaignId: '',
      rejectionCategory: ['CAMPAIGN_DESCRIPTION_OR_ATTRIBUTES'],
      explanation: error.explanation,
    }
  }
}

/** Without what has another meaning there: resellers are each system's own. */
function campaignBody({ details }: Campaign): Record<string, unknown> {
  const { referenceId: _, mnoIds, ...rest } = details
  return {
    ...rest,
    resellerId: 'R000000',
    subscriberOptIn: details.subscriberOptin,
    subscriberOptOut: details.subscriberOptout,
    ...(mnoIds === undefined ? {} : { mnoIds }),
  }
}

function firstRecord(
  list: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const { records } = list as { readonly records?: unknown } // read by name, checked here
  const first: unknown = Array.isArray(records) ? records[0] : undefined
  return typeof first === 'object' && first !== null
    ? (first as Readonly<Record<string, unknown>>) // an object
    : undefined
}

function textOf(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new AdapterError('the upstream registry gave no identifier')
}
