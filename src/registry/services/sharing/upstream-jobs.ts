/** What goes on between us and the registry upstream. Each job may be repeated after a crash. */
import type { Writer } from '../../../platform/database/database.js'
import { type Job, type JobHandler, type JobHandlers, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import { UpstreamRefusal } from '../../providers/registry-client.js'
import type { ShareOutcome } from '../../providers/registry-provider.js'
import type { SharedCampaign, UpstreamPartner } from '../../providers/upstream-partner.js'
import { findBrand } from '../../storage/brands.js'
import { findCampaign, saveCampaign } from '../../storage/campaigns.js'
import { findShare, type Share } from '../../storage/shares.js'
import { acceptShare, declineShare, type Nudge } from './share-chain.js'

/** A share that is pending for long is asked about less often: after a tenth of its age again. */
const ASK_AGAIN_MS = { least: 5_000, most: 3_600_000, ofAge: 0.1 }

function askAgainAt(share: Share, now: number): number {
  const { least, most, ofAge } = ASK_AGAIN_MS
  return now + Math.min(Math.max((now - share.statusAt) * ofAge, least), most)
}

export function upstreamJobs(core: Core, partner: UpstreamPartner | undefined): JobHandlers {
  if (partner === undefined) return {}
  return {
    'share-upstream': {
      type: 'perform',
      run: async (job, signal) => {
        const share = await findShare(core.db.read, Number(job.subject))
        const shared = await sharedCampaign(core, share?.campaignId)
        if (share?.isCurrent !== true || share.status !== 'PENDING' || shared === undefined)
          return nothing
        const outcome = await partner.share(shared, signal)
        return (tx) => applyShareOutcome(core, tx, share, outcome)
      },
    },
    'nudge-upstream': {
      type: 'perform',
      run: async (job, signal) => {
        const [shareId, nudge] = JSON.parse(job.subject) as [number, Nudge] // written by `nudgeUp`
        const share = await findShare(core.db.read, shareId)
        const shared = await sharedCampaign(core, share?.campaignId)
        if (share === undefined || shared === undefined) return nothing
        // The correction first: it is what the nudge is about.
        await unlessRefused(core, job, async () => {
          await partner.update(shared, signal)
          await partner.nudge(shared, nudge, signal)
        })
        return (tx) => schedule(tx, 'share-upstream', String(share.id), core.clock.now())
      },
    },
    'update-upstream': onCampaign(core, (shared, signal) => partner.update(shared, signal)),
    'deactivate-upstream': onCampaign(core, (shared, signal) => partner.deactivate(shared, signal)),
  }
}

const nothing = (): Promise<void> => Promise.resolve()

function onCampaign(
  core: Core,
  act: (shared: SharedCampaign, signal: AbortSignal) => Promise<void>,
): JobHandler {
  return {
    type: 'perform',
    run: async (job: Job, signal) => {
      const shared = await sharedCampaign(core, job.subject)
      if (shared !== undefined) await unlessRefused(core, job, () => act(shared, signal))
      return nothing
    },
  }
}

/** What upstream refuses it would refuse again: an operator reads why in the log. */
async function unlessRefused(core: Core, job: Job, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    core.log.warn({ err: error, job }, 'the upstream registry refused')
  }
}

async function sharedCampaign(
  core: Core,
  campaignId: string | undefined,
): Promise<SharedCampaign | undefined> {
  const campaign =
    campaignId === undefined ? undefined : await findCampaign(core.db.read, campaignId)
  const brand = campaign === undefined ? undefined : await findBrand(core.db.read, campaign.brandId)
  return campaign === undefined || brand === undefined ? undefined : { campaign, brand }
}

async function applyShareOutcome(
  core: Core,
  tx: Writer,
  asked: Share,
  outcome: ShareOutcome,
): Promise<void> {
  const share = await findShare(tx, asked.id)
  const campaign = await findCampaign(tx, asked.campaignId)
  if (share?.status !== 'PENDING' || campaign === undefined) return
  if (outcome.upstreamCampaignId !== '')
    await saveCampaign(tx, { ...campaign, upstreamCampaignId: outcome.upstreamCampaignId })
  const subject = String(share.id)
  switch (outcome.type) {
    case 'pending':
      await schedule(tx, 'share-upstream', subject, askAgainAt(share, core.clock.now()))
      return
    case 'accepted':
      await acceptShare(core, tx, share)
      return
    case 'declined':
      await declineShare(core, tx, share, {
        rejectionCategory: outcome.rejectionCategory,
        explanation: outcome.explanation,
      })
  }
}
