/**
 * Changes to forward to the upstream registry: each is a job, committed with the change. One
 * customer's changes of a brand and its campaigns are forwarded in their order.
 */
import type { Reader, Writer } from '../../../platform/database/database.js'
import { cancelJobs, type JobOrder, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import type { Brand } from '../../storage/brands.js'
import { type Campaign, saveCampaign } from '../../storage/campaigns.js'
import { hasShareOfBrand, sharesOf } from '../../storage/shares.js'

type Upstream = Pick<Core, 'upstream'>

/** The order of a campaign's job: campaigns of one brand do not wait for each other. */
export function orderOf({ cspId, brandId, campaignId }: Campaign): JobOrder {
  return { stream: streamOf(cspId, brandId), part: campaignId }
}

/** The order of a brand's job: after earlier changes of its campaigns and before later ones. */
export function brandOrderOf({ cspId, brandId }: Brand): JobOrder {
  return { stream: streamOf(cspId, brandId), part: null }
}

/** The key includes the CSP, since campaigns of the free-trial brand belong to many CSPs. */
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
 * Schedules forwarding of a campaign change, when the upstream registry has the campaign or a share
 * with it is pending. `what` is the job's extra data.
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

/** Schedules forwarding of a brand change, when one of its campaigns was ever shared upstream. */
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
 * Ends the campaign at the upstream registry once no current share leads there: a second
 * registration costs twice, and operators refuse it. The job retries while that registry is
 * unreachable. A later share registers the campaign again.
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
