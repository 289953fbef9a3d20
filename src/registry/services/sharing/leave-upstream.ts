/** The end of a campaign at the upstream registry while it goes on here, with another CNP. */
import type { Writer } from '../../../platform/database/database.js'
import { cancelJobs, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { type Campaign, saveCampaign } from '../../storage/campaigns.js'
import { isSharedUpstream, orderOf } from '../upstream/carry-up.js'

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
