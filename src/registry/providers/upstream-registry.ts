/**
 * A registry in another system, reached through its API. It knows our records by their referenceId,
 * which is our identifier. A call repeated after a crash finds what the first one made.
 */
import { AdapterError } from '../../platform/errors.js'
import type { OperationStatus } from '../model/ports.js'
import type { Brand } from '../storage/brands.js'
import type { Campaign } from '../storage/campaigns.js'
import { type RegistryClient, UpstreamRefusal, type UpstreamRegistry } from './registry-client.js'
import type { RegistryProvider } from './registry-provider.js'
import type {
  CampaignFile,
  SharedCampaign,
  ShareOutcome,
  UpstreamPartner,
} from './upstream-partner.js'

/**
 * Adds an upstream registry: `judge` (the embedded registry) decides about brands, the client takes
 * campaigns up.
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
      await sendFiles(client, id, shared.files, signal)
    },
    resubmit: async (shared, mnoIds, signal) => {
      const id = await campaignId(shared, signal)
      await client.call('PUT', `/campaign/${id}/resubmit`, { mnoIds }, signal)
    },
    operationStatus: async (shared, signal) => {
      // An expired campaign has given its referenceId back; only its own identifier finds it.
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
      const id = await findCampaign(client, shared.campaign, signal)
      if (id !== undefined) await client.call('DELETE', `/campaign/${id}`, undefined, signal)
    },
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
  const path = `/campaign/${id}/sharing`
  const present = shareOf((await client.call('GET', path, undefined, signal))['sharedByMe'])
  if (present === undefined) {
    // The files go up before the share: the people who decide there see the whole campaign.
    await sendFiles(client, id, files, signal)
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

const FILE_PATHS = { mms: 'mms', document: 'supportingDocument' } as const

/** Sends the files that the campaign does not have there yet; a file is recognised by its name. */
async function sendFiles(
  client: RegistryClient,
  id: string,
  files: readonly CampaignFile[],
  signal: AbortSignal,
): Promise<void> {
  for (const kind of ['mms', 'document'] as const) {
    const wanted = files.filter((file) => file.kind === kind)
    if (wanted.length === 0) continue
    const path = `/campaign/${id}/${FILE_PATHS[kind]}`
    const there = namesOf(await client.call('GET', path, undefined, signal))
    for (const file of wanted) {
      const { fileName, mimeType } = file
      const present = there.indexOf(fileName)
      if (present >= 0) there.splice(present, 1)
      if (present >= 0) continue
      await client.upload(path, { fileName, mimeType, bytes: await file.read() }, signal)
    }
  }
}

/** The `fileName`s of a list of attachments; the client reads such a list as an object by index. */
function namesOf(list: Readonly<Record<string, unknown>>): string[] {
  const names = Object.values(list).map(
    (each) => (each as { readonly fileName?: unknown } | null)?.fileName, // checked here
  )
  return names.filter((name) => typeof name === 'string')
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

/** Resolves with false while scoring has not finished (535). The campaigns show its result. */
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

/**
 * The campaign's body for the upstream registry; resellers and ids belong to each system and stay
 * here.
 */
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
