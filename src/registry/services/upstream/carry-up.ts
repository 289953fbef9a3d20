/**
 * The changes that go to the upstream registry: each is a job, committed with the change. What one
 * customer changes about a brand and its campaigns goes up in the order in which it was changed here.
 */
import type { Reader, Writer } from '../../../platform/database/database.js'
import { cancelJobs, type JobOrder, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import type { Brand } from '../../storage/brands.js'
import { type Campaign, saveCampaign } from '../../storage/campaigns.js'
import { hasShareOfBrand, sharesOf } from '../../storage/shares.js'

type Upstream = Pick<Core, 'upstream'>

/** The place of a campaign's job: campaigns of one brand do not wait for each other. */
export function orderOf({ cspId, brandId, campaignId }: Campaign): JobOrder {
  return { stream: streamOf(cspId, brandId), part: campaignId }
}

/** The place of a brand's job: after what was changed about its campaigns, and before what follows. */
export function brandOrderOf({ cspId, brandId }: Brand): JobOrder {
  return { stream: streamOf(cspId, brandId), part: null }
}

/** The CSP is in it since the campaigns of the free-trial brand belong to many. */
function streamOf(cspId: string, brandId: string): string {
  return `${cspId} ${brandId}`
}

/** True while the campaign, or its migration, is shared with the upstream registry. */
export async function isSharedUpstream(
  { upstream }: Upstream,
  db: Reader,
  campaignId: string,
): Promise<boolean> {
  const shares = await sharesOf(db, campaignId)
  return shares.some(({ upstreamCnpId }) => upstreamCnpId === upstream?.cnpId)
}

export type CampaignJob =
  | 'update-upstream'
  | 'resubmit-upstream'
  | 'withdraw-upstream'
  | 'remove-file-upstream'

/**
 * Carries a change of a campaign up, when the upstream registry has the campaign or is about to get it.
 * `what` is what the job has to know beside the campaign.
 */
export async function carryUp(
  core: Core,
  tx: Writer,
  kind: CampaignJob,
  campaign: Campaign,
  ...what: readonly unknown[]
): Promise<void> {
  const { campaignId, upstreamCampaignId } = campaign
  if (upstreamCampaignId === undefined && !(await isSharedUpstream(core, tx, campaignId))) return
  const subject = what.length === 0 ? campaignId : JSON.stringify([campaignId, ...what])
  await schedule(tx, kind, subject, core.clock.now(), orderOf(campaign))
}

export type BrandJob = 'update-brand-upstream' | 'revet-brand-upstream' | 'delete-brand-upstream'

/** Carries a change of a brand up, when one of its campaigns was ever shared with that registry. */
export async function carryBrandUp(
  core: Core,
  tx: Writer,
  kind: BrandJob,
  brand: Brand,
): Promise<void> {
  const { upstream } = core
  if (upstream === undefined || !(await hasShareOfBrand(tx, brand.brandId, upstream.cnpId))) return
  await schedule(tx, kind, brand.brandId, core.clock.now(), brandOrderOf(brand))
}

/**
 * Ends the campaign at the upstream registry once no current share goes there: two registrations of one
 * campaign cost twice, and the operators refuse the second one. The job waits for a registry that is
 * away. A later share registers the campaign there anew.
 */
export async function leaveUpstream(core: Core, tx: Writer, campaign: Campaign): Promise<void> {
  const { campaignId, upstreamCampaignId } = campaign
  if (upstreamCampaignId === undefined || (await isSharedUpstream(core, tx, campaignId))) return
  await saveCampaign(tx, {
    ...campaign,
    upstreamCampaignId: undefined,
    upstreamOperations: undefined,
  })
  await cancelJobs(tx, 'watch-upstream', campaignId)
  await cancelJobs(tx, 'update-upstream', campaignId)
  await schedule(tx, 'deactivate-upstream', campaignId, core.clock.now(), orderOf(campaign))
}
