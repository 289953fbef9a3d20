/**
 * A registry in another system, reached through its API. It finds our records by referenceId, which
 * is our identifier. A call repeated after a crash finds the record that the first call made.
 */
import type { OperationStatus } from '../model/ports.js'
import { UPDATABLE_FIELDS } from '../rules/campaign.js'
import type { Brand } from '../storage/brands.js'
import type { Campaign } from '../storage/campaigns.js'
import { type RegistryClient, UpstreamRefusal, type UpstreamRegistry } from './registry-client.js'
import type { RegistryProvider } from './registry-provider.js'
import {
  type AnsweredRecord,
  createUpstreamBrands,
  differs,
  findBrandThere,
  firstRecord,
  textOf,
  withNulls,
} from './upstream-brands.js'
import { removeFile, sendFiles } from './upstream-files.js'
import type {
  CampaignFile,
  SharedCampaign,
  ShareOutcome,
  UpdateOutcome,
  UpstreamPartner,
} from './upstream-partner.js'

/**
 * Adds an upstream registry: `judge` (the embedded registry) decides about brands, the client
 * forwards campaigns.
 */
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
    return idOf(await campaignThere(client, shared.campaign, signal))
  }
  return {
    cnpId,
    displayName,
    share: (shared, signal) => share(client, shareWith, shared, signal),
    update: (shared, signal) => update(client, shared, signal),
    removeFile: async (shared, file, signal) => {
      const id = await campaignId(shared, signal)
      await removeFile(client, id, file, shared.files, signal)
    },
    withdraw: async (shared, mnoId, explanation, signal) => {
      const id = await campaignId(shared, signal)
      await withdraw(client, `/campaign/${id}/operationStatus/${mnoId}`, explanation, signal)
    },
    resubmit: async (shared, mnoIds, signal) => {
      const id = await campaignId(shared, signal)
      await client.call('PUT', `/campaign/${id}/resubmit`, { mnoIds }, signal)
    },
    operationStatus: async (shared, signal) => {
      // An expired campaign has released its referenceId; only its own identifier finds it.
      const id = shared.campaign.upstreamCampaignId ?? (await campaignId(shared, signal))
      try {
        return operationsOf(
          await client.call('GET', `/campaign/${id}/operationStatus`, undefined, signal),
        )
      } catch (error) {
        // Code 518: the campaign has expired.
        if (error instanceof UpstreamRefusal && error.codes.includes(518)) return 'expired'
        throw error
      }
    },
    nudge: async (shared, nudge, signal) => {
      const id = await campaignId(shared, signal)
      await client.call('POST', `/campaign/${id}/nudge`, nudge, signal)
    },
    deactivate: async (shared, signal) => {
      const there = await findCampaign(client, shared.campaign, signal)
      if (there !== undefined)
        await client.call('DELETE', `/campaign/${idOf(there)}`, undefined, signal)
    },
    brands: createUpstreamBrands(client),
  }
}

async function share(
  client: RegistryClient,
  shareWith: string,
  { campaign, brand, files }: SharedCampaign,
  signal: AbortSignal,
): Promise<ShareOutcome> {
  const brandOutcome = await ensureBrand(client, brand, signal)
  if (brandOutcome.type !== 'ready') return brandOutcome.outcome
  const id = await ensureCampaign(client, campaign, brandOutcome.brandId, signal)
  if (typeof id !== 'string') return id
  try {
    return await shareRegistered(client, shareWith, id, files, signal)
  } catch (error) {
    return declinedBy(error, id, 'OTHER')
  }
}

async function shareRegistered(
  client: RegistryClient,
  shareWith: string,
  id: string,
  files: readonly CampaignFile[],
  signal: AbortSignal,
): Promise<ShareOutcome> {
  const path = `/campaign/${id}/sharing`
  const present = shareOf((await client.call('GET', path, undefined, signal))['sharedByMe'])
  if (present === undefined) {
    // Send the files before the share, so that reviewers see the whole campaign.
    const { sent, refused } = await sendFiles(client, id, files, signal)
    const [first] = refused
    if (first !== undefined) throw first.refusal
    await client.call('PUT', `${path}/${shareWith}`, {}, signal)
    return { type: 'pending', upstreamCampaignId: id, sentFiles: sent }
  }
  switch (present.sharingStatus) {
    case 'ACCEPTED':
      return { type: 'accepted', upstreamCampaignId: id, by: shareWith }
    case 'DECLINED': {
      const { rejectionCategory, explanation } = present
      return { type: 'declined', upstreamCampaignId: id, rejectionCategory, explanation }
    }
    default:
      return { type: 'pending', upstreamCampaignId: id, sentFiles: [] }
  }
}

/** Declines the share with the refusal's reason, so that the customer can fix it and nudge. */
function declinedBy(error: unknown, upstreamCampaignId: string, category: string): ShareOutcome {
  if (!(error instanceof UpstreamRefusal)) throw error
  const { explanation } = error
  return { type: 'declined', upstreamCampaignId, rejectionCategory: [category], explanation }
}

const STATUSES = ['REGISTERED', 'REVIEW', 'REJECTED', 'SUSPENDED'] as const

function operationsOf(
  answer: Readonly<Record<string, unknown>>,
): Readonly<Record<string, OperationStatus>> {
  const entries = Object.entries(answer).flatMap(([id, status]) => {
    const known = STATUSES.find((each) => each === status)
    return known === undefined ? [] : [[id, known] as const]
  })
  return Object.fromEntries(entries)
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
  const waits: BrandThere = {
    type: 'not-ready',
    outcome: { type: 'pending', upstreamCampaignId: '', sentFiles: [] },
  }
  const known = await findBrandThere(client, brand, signal)
  if (known !== undefined) {
    const brandId = textOf(known['brandId'])
    return (await isScored(client, brandId, signal)) ? { type: 'ready', brandId } : waits
  }
  try {
    const body = { ...brand.details, referenceId: brand.brandId }
    await client.call('POST', '/brand/nonBlocking', body, signal)
    return waits
  } catch (error) {
    return { type: 'not-ready', outcome: declinedBy(error, '', 'BRAND_INCONSISTENCIES') }
  }
}

/** Resolves with false while scoring is pending (535). The campaigns show its result. */
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

/** Resolves with the campaign's upstream record; undefined when it does not exist or has expired. */
async function findCampaign(
  client: RegistryClient,
  campaign: Campaign,
  signal: AbortSignal,
): Promise<AnsweredRecord | undefined> {
  const query = `/campaign/search?referenceId=${encodeURIComponent(campaign.campaignId)}`
  return firstRecord(await client.call('GET', query, undefined, signal))
}

/** Rejects with an UpstreamRefusal when the campaign does not exist upstream, as after its end. */
async function campaignThere(
  client: RegistryClient,
  campaign: Campaign,
  signal: AbortSignal,
): Promise<AnsweredRecord> {
  const found = await findCampaign(client, campaign, signal)
  if (found === undefined)
    throw new UpstreamRefusal(`campaign ${campaign.campaignId}`, [502], 'it is not there')
  return found
}

function idOf(there: AnsweredRecord): string {
  return textOf(there['campaignId'])
}

/** Updates a campaign upstream: its texts, flags and files. */
async function update(
  client: RegistryClient,
  { campaign, files }: SharedCampaign,
  signal: AbortSignal,
): Promise<UpdateOutcome> {
  const there = await campaignThere(client, campaign, signal)
  const upstreamCampaignId = idOf(there)
  const refusal = await correct(client, there, campaign, signal)
  const wanted = files.filter(({ refusedBy }) => refusedBy !== upstreamCampaignId)
  const { sent, refused } = await sendFiles(client, upstreamCampaignId, wanted, signal)
  return { upstreamCampaignId, refusal, sentFiles: sent, refusedFiles: refused }
}

/** Updates the texts and flags of a campaign upstream; resolves with the refusal, or undefined. */
async function correct(
  client: RegistryClient,
  there: AnsweredRecord,
  campaign: Campaign,
  signal: AbortSignal,
): Promise<UpstreamRefusal | undefined> {
  const body = campaignBody(campaign)
  const changeable = withNulls(UPDATABLE_FIELDS, body)
  // Skip a PUT that an earlier attempt sent before a crash: upstream would count a second change.
  if (!differs(there, changeable)) return undefined
  try {
    await client.call('PUT', `/campaign/${idOf(there)}`, { ...body, ...changeable }, signal)
    return undefined
  } catch (error) {
    if (error instanceof UpstreamRefusal) return error
    throw error
  }
}

async function withdraw(
  client: RegistryClient,
  path: string,
  explanation: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.call('DELETE', path, { explanation }, signal)
  } catch (error) {
    // Code 502: the operator does not have it, or the answer to the first request was lost.
    if (!(error instanceof UpstreamRefusal && error.codes.includes(502))) throw error
  }
}

async function ensureCampaign(
  client: RegistryClient,
  campaign: Campaign,
  brandId: string,
  signal: AbortSignal,
): Promise<string | ShareOutcome> {
  const known = await findCampaign(client, campaign, signal)
  if (known !== undefined) return idOf(known)
  try {
    const body = { ...campaignBody(campaign), brandId, referenceId: campaign.campaignId }
    return textOf((await client.call('POST', '/campaignBuilder', body, signal))['campaignId'])
  } catch (error) {
    return declinedBy(error, '', 'CAMPAIGN_DESCRIPTION_OR_ATTRIBUTES')
  }
}

/** The campaign's body for the upstream registry, without resellers and ids, which are local. */
function campaignBody(campaign: Campaign): Record<string, unknown> {
  const { referenceId: _, mnoIds: __, ...rest } = campaign.details
  const mnoIds = mnoIdsOf(campaign)
  return {
    ...rest,
    resellerId: 'R000000',
    subscriberOptIn: rest.subscriberOptin,
    subscriberOptOut: rest.subscriberOptout,
    ...(mnoIds === undefined ? {} : { mnoIds }),
  }
}

/** The operators of the campaign, without those that it was withdrawn from. */
function mnoIdsOf({ details, mnoMetadata, withdrawnMnoIds = [] }: Campaign) {
  if (withdrawnMnoIds.length === 0) return details.mnoIds
  const wanted = details.mnoIds ?? Object.keys(mnoMetadata).map(Number)
  return wanted.filter((id) => !withdrawnMnoIds.includes(id))
}
