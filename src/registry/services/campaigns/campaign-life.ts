/** Renewal and expiry of campaigns, and the end of mock brands. */
import { statusOfAccount } from '../../../accounts/account-status.js'
import type { Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import { emitToEach, emitToShare, partiesOf } from '../../events/emit-shared.js'
import { cancelJobs, type JobHandler, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { addMonths } from '../../rules/calendar.js'
import { findBrand } from '../../storage/brands.js'
import {
  activeCampaignsOf,
  type Campaign,
  findCampaign,
  saveCampaign,
} from '../../storage/campaigns.js'
import { charge } from '../../storage/charges.js'
import { findCsp } from '../../storage/csps.js'
import { releaseNumbersOf } from '../../storage/numbers.js'
import { saveShare, sharesOf } from '../../storage/shares.js'
import { deleteBrand } from '../brands/brands.js'
import { orderOf } from '../upstream/carry-up.js'

/** Ends the campaign permanently: its numbers can no longer send. Repeating has no effect. */
export async function expireCampaign(core: Core, tx: Writer, campaign: Campaign): Promise<void> {
  if (campaign.status === 'EXPIRED') return
  const { campaignId } = campaign
  const expired: Campaign = { ...campaign, status: 'EXPIRED', expiredAt: core.clock.now() }
  await saveCampaign(tx, expired)
  await cancelJobs(tx, 'renew-campaign', campaignId)
  await releaseNumbersOf(tx, campaignId)
  const parties = await partiesOf(tx, campaign)
  await endPendingShares(core, tx, campaignId)
  const brand = await findBrand(tx, campaign.brandId)
  await emitToEach(core, tx, parties, { type: 'CAMPAIGN_EXPIRED', brand, campaign: expired })
  if (campaign.upstreamCampaignId !== undefined)
    await schedule(tx, 'deactivate-upstream', campaignId, core.clock.now(), orderOf(campaign))
}

/** Ends the undecided shares of an expired campaign. */
async function endPendingShares(core: Core, tx: Writer, campaignId: string): Promise<void> {
  const explanation = 'the campaign has expired'
  for (const share of await sharesOf(tx, campaignId)) {
    if (share.status !== 'PENDING') continue
    const statusAt = core.clock.now()
    const ended = await saveShare(tx, { ...share, status: 'DECLINED', statusAt, explanation })
    await emitToShare(core, tx, 'CAMPAIGN_SHARE_DELETE', ended, { explanation })
  }
}

/** The job that charges for a campaign at its renewal date, or ends it. */
export function renewCampaignJob(core: Core): JobHandler {
  return {
    type: 'commit',
    run: async (tx, job) => {
      const campaign = await findCampaign(tx, job.subject)
      if (campaign?.status !== 'ACTIVE') return
      if (!campaign.details.autoRenewal || (await isOfClosedAccount(tx, campaign))) {
        await expireCampaign(core, tx, campaign)
        return
      }
      const { renewalMonths } = core.tables.limits
      const renewed: Campaign = {
        ...campaign,
        billedAt: campaign.nextRenewalAt,
        nextRenewalAt: addMonths(campaign.nextRenewalAt, renewalMonths, campaign.createdAt),
      }
      await saveCampaign(tx, renewed)
      const { cspId, campaignId, isMock } = campaign
      const amount = campaign.monthlyFee * renewalMonths
      const occasion = `${campaignId}:${campaign.nextRenewalAt}`
      const fee = { kind: 'renewal', subject: campaignId, occasion, amount } as const
      await charge(core, tx, { cspId, ...fee, isMock })
      const brand = await findBrand(tx, campaign.brandId)
      await emit(core, tx, { type: 'CAMPAIGN_BILLED', cspId, brand, campaign: renewed })
      await schedule(tx, 'renew-campaign', campaignId, renewed.nextRenewalAt)
    },
  }
}

async function isOfClosedAccount(tx: Writer, { cspId }: Campaign): Promise<boolean> {
  const csp = await findCsp(tx, cspId)
  return csp !== undefined && (await statusOfAccount(tx, csp.accountSid)) === 'closed'
}

/** The job that deletes a mock brand and its campaigns 30 days after registration. */
export function deleteMockBrandJob(core: Core): JobHandler {
  return {
    type: 'commit',
    run: async (tx, job) => {
      const brand = await findBrand(tx, job.subject)
      if (brand?.status !== 'ACTIVE') return
      for (const campaign of await activeCampaignsOf(tx, brand.brandId))
        await expireCampaign(core, tx, campaign)
      await deleteBrand(core, tx, brand)
    },
  }
}
