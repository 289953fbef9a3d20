/** What the jobs that call the upstream registry have in common. */
import type { Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import type { Job, JobHandler } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { UpstreamRefusal } from '../../providers/registry-client.js'
import type {
  CampaignFile,
  SharedCampaign,
  UpstreamPartner,
} from '../../providers/upstream-partner.js'
import { type Brand, findBrand } from '../../storage/brands.js'
import { type Campaign, findCampaign } from '../../storage/campaigns.js'
import { UPSTREAM_CHANGE_REFUSED } from '../../storage/upstream-refusals.js'

export type FilesOf = (campaignId: string) => Promise<readonly CampaignFile[]>

export interface UpstreamJobDeps {
  readonly core: Core
  readonly partner: UpstreamPartner
  readonly filesOf: FilesOf
}

/** The change that is committed with the end of a job. */
export type JobEnd = (tx: Writer) => Promise<void>

/** The end of a job that changes nothing here. */
export const nothing: JobEnd = () => Promise.resolve()

/** The campaign as it is now, with all that is known about it above; undefined for an unknown one. */
export async function sharedCampaign(
  { core, filesOf }: Pick<UpstreamJobDeps, 'core' | 'filesOf'>,
  campaignId: string | undefined,
): Promise<SharedCampaign | undefined> {
  if (campaignId === undefined) return undefined
  const campaign = await findCampaign(core.db.read, campaignId)
  const brand = campaign === undefined ? undefined : await findBrand(core.db.read, campaign.brandId)
  if (campaign === undefined || brand === undefined) return undefined
  return { campaign, brand, files: await filesOf(campaignId) }
}

/** True while the campaign is registered at the upstream registry and is to stay there. */
export function isThere({ campaign: { status, upstreamCampaignId } }: SharedCampaign): boolean {
  return status === 'ACTIVE' && upstreamCampaignId !== undefined
}

/** The record that a job carries up. */
export interface CarriedRecord {
  readonly brand: Brand
  readonly campaign?: Campaign | undefined
}

/**
 * Reports a refusal to the customer instead of trying again: the upstream registry would refuse again.
 * An operator lists these events.
 */
export async function unlessRefused(
  core: Core,
  job: Job,
  { brand, campaign }: CarriedRecord,
  act: () => Promise<JobEnd>,
): Promise<JobEnd> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    return (tx) => tellRefusal(core, tx, job, { brand, campaign }, error)
  }
}

/** Tells the customer that the change of a job, or a part of it, was refused. */
export async function tellRefusal(
  core: Core,
  tx: Writer,
  job: Job,
  { brand, campaign }: CarriedRecord,
  refusal: UpstreamRefusal,
): Promise<void> {
  core.log.warn({ err: refusal, job }, 'a change was refused by the upstream registry')
  const { cspId } = campaign ?? brand
  const extra = { change: changeOf(job), explanation: refusal.explanation }
  await emit(core, tx, { type: UPSTREAM_CHANGE_REFUSED, cspId, brand, campaign, extra })
}

/** The change that a job carries up, as the event of its refusal names it: `UPDATE_BRAND`. */
function changeOf({ kind }: Job): string {
  return kind
    .replace(/-upstream$/, '')
    .replaceAll('-', '_')
    .toUpperCase()
}

/** What a job does about a campaign; `what` is the rest of its subject. */
export type CampaignAct = (
  shared: SharedCampaign,
  what: readonly unknown[],
  signal: AbortSignal,
  job: Job,
) => Promise<JobEnd>

/**
 * The handler of a job about a campaign. Its subject is the campaign's identifier, or a list that begins
 * with it; `act` gets the rest of the list.
 */
export function campaignJob(deps: UpstreamJobDeps, act: CampaignAct): JobHandler {
  return {
    type: 'perform',
    run: async (job, signal) => {
      const [campaignId, ...what] = job.subject.startsWith('[')
        ? (JSON.parse(job.subject) as [string, ...unknown[]]) // written by `carryUp`
        : [job.subject]
      const shared = await sharedCampaign(deps, campaignId)
      if (shared === undefined) return nothing
      return await unlessRefused(deps.core, job, shared, () => act(shared, what, signal, job))
    },
  }
}
