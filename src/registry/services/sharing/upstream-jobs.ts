/** The jobs that call the upstream registry. Each may be repeated after a crash. */
import type { Writer } from '../../../platform/database/database.js'
import {
  cancelJobs,
  hasJob,
  type Job,
  type JobHandler,
  type JobHandlers,
  schedule,
} from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import type { OperationStatus } from '../../model/ports.js'
import { UpstreamRefusal } from '../../providers/registry-client.js'
import type {
  CampaignFile,
  SharedCampaign,
  ShareOutcome,
  UpstreamPartner,
} from '../../providers/upstream-partner.js'
import { findBrand } from '../../storage/brands.js'
import { type Campaign, findCampaign, saveCampaign } from '../../storage/campaigns.js'
import { findShare, type Share, sharesOf } from '../../storage/shares.js'
import { decideOperation } from '../campaigns/mno-operations.js'
import { isSharedUpstream } from './leave-upstream.js'
import { acceptShare, declineShare, type Nudge, shareTo } from './share-chain.js'

/**
 * The wait before a pending share is asked about again: a tenth of its age, within these limits.
 */
const ASK_AGAIN_MS = { least: 5_000, most: 3_600_000, ofAge: 0.1 }

function askAgainAt(share: Share, now: number): number {
  const { least, most, ofAge } = ASK_AGAIN_MS
  return now + Math.min(Math.max((now - share.statusAt) * ofAge, least), most)
}

/** Schedules the one job that asks about a share; a nudge does so while another one waits. */
async function askAt(tx: Writer, { id }: Share, at: number): Promise<void> {
  await cancelJobs(tx, 'share-upstream', String(id))
  await schedule(tx, 'share-upstream', String(id), at)
}

/** The interval at which the upstream registry is asked for the operators' decisions. */
const WATCH_MS = 5 * 60_000

export type FilesOf = (campaignId: string) => Promise<readonly CampaignFile[]>

export function upstreamJobs(
  core: Core,
  partner: UpstreamPartner | undefined,
  filesOf: FilesOf,
): JobHandlers {
  if (partner === undefined) return {}
  return {
    'share-upstream': {
      type: 'perform',
      run: async (job, signal) => {
        const share = await findShare(core.db.read, Number(job.subject))
        const shared = await sharedCampaign(core, filesOf, share?.campaignId)
        if (share === undefined || shared === undefined || share.status !== 'PENDING')
          return nothing
        // One that was deactivated or migrated meanwhile is not registered there any more. A process
        // that was killed may have registered it before.
        if (!share.isCurrent || shared.campaign.status !== 'ACTIVE')
          return (tx) => endUpstream(core, tx, share.campaignId)
        // Its former registration there has the referenceId until it has ended.
        if (await hasJob(core.db.read, 'deactivate-upstream', share.campaignId))
          return (tx) => askAt(tx, share, core.clock.now() + ASK_AGAIN_MS.least)
        const outcome = await partner.share(shared, signal)
        return (tx) => applyShareOutcome(core, tx, share, outcome)
      },
    },
    'nudge-upstream': {
      type: 'perform',
      run: async (job, signal) => {
        const [shareId, nudge] = JSON.parse(job.subject) as [number, Nudge] // written by `nudgeUp`
        const share = await findShare(core.db.read, shareId)
        const shared = await sharedCampaign(core, filesOf, share?.campaignId)
        // Who carries it no longer has nothing to decide.
        if (share?.isCurrent !== true || shared?.campaign.status !== 'ACTIVE') return nothing
        // The correction goes first: the nudge is about it.
        await unlessRefused(core, job, async () => {
          await partner.update(shared, signal)
          await partner.nudge(shared, nudge, signal)
        })
        return (tx) => askAt(tx, share, core.clock.now())
      },
    },
    'update-upstream': onCampaign(core, filesOf, async (shared, signal) => {
      if (isThere(shared)) await partner.update(shared, signal)
    }),
    'resubmit-upstream': resubmitJob(core, partner, filesOf),
    'deactivate-upstream': onCampaign(core, filesOf, (shared, signal) =>
      partner.deactivate(shared, signal),
    ),
    'watch-upstream': {
      type: 'perform',
      run: async (job, signal) => {
        const shared = await sharedCampaign(core, filesOf, job.subject)
        if (shared?.campaign.status !== 'ACTIVE') return nothing
        const shares = await sharesOf(core.db.read, job.subject)
        if (!isCarriedBy(partner, shares)) return nothing
        const there = await partner.operationStatus(shared, signal)
        return async (tx) => {
          // It may have been migrated away while the registry was asked.
          if (isCarriedBy(partner, await sharesOf(tx, job.subject)))
            await applyOperations(core, tx, job.subject, there)
        }
      },
    },
  }
}

const nothing = (): Promise<void> => Promise.resolve()

function resubmitJob(core: Core, partner: UpstreamPartner, filesOf: FilesOf): JobHandler {
  return {
    type: 'perform',
    run: async (job, signal) => {
      const [campaignId, mnoIds] = JSON.parse(job.subject) as [string, number[]] // by `resubmitUpstream`
      const shared = await sharedCampaign(core, filesOf, campaignId)
      if (shared === undefined || !isThere(shared)) return nothing
      // The correction goes first: the operators judge the campaign as it is then.
      await unlessRefused(core, job, async () => {
        await partner.update(shared, signal)
        await partner.resubmit(shared, mnoIds, signal)
      })
      return nothing
    },
  }
}

/** True while the campaign is registered at the upstream registry and is to stay there. */
function isThere({ campaign: { status, upstreamCampaignId } }: SharedCampaign): boolean {
  return status === 'ACTIVE' && upstreamCampaignId !== undefined
}

function isCarriedBy({ cnpId }: UpstreamPartner, shares: readonly Share[]): boolean {
  return shareTo(shares, cnpId)?.status === 'ACCEPTED'
}

/** Ends what the upstream registry has of a campaign that is not shared with it any more. */
async function endUpstream(core: Core, tx: Writer, campaignId: string): Promise<void> {
  const campaign = await findCampaign(tx, campaignId)
  if (campaign?.status === 'ACTIVE' && (await isSharedUpstream(core, tx, campaignId))) return
  await schedule(tx, 'deactivate-upstream', campaignId, core.clock.now())
}

function onCampaign(
  core: Core,
  filesOf: FilesOf,
  act: (shared: SharedCampaign, signal: AbortSignal) => Promise<void>,
): JobHandler {
  return {
    type: 'perform',
    run: async (job: Job, signal) => {
      const shared = await sharedCampaign(core, filesOf, job.subject)
      if (shared !== undefined) await unlessRefused(core, job, () => act(shared, signal))
      return nothing
    },
  }
}

/** Logs a refusal instead of retrying it: the upstream registry would refuse again. */
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
  filesOf: FilesOf,
  campaignId: string | undefined,
): Promise<SharedCampaign | undefined> {
  if (campaignId === undefined) return undefined
  const campaign = await findCampaign(core.db.read, campaignId)
  const brand = campaign === undefined ? undefined : await findBrand(core.db.read, campaign.brandId)
  if (campaign === undefined || brand === undefined) return undefined
  return { campaign, brand, files: await filesOf(campaignId) }
}

/** Takes over the operators' changed decisions from upstream, and schedules the next look. */
async function applyOperations(
  core: Core,
  tx: Writer,
  campaignId: string,
  there: Readonly<Record<string, OperationStatus>> | 'expired',
): Promise<void> {
  let campaign = await findCampaign(tx, campaignId)
  if (campaign?.status !== 'ACTIVE') return
  const before = campaign.upstreamOperations ?? {}
  const seen = there === 'expired' ? allSuspended(campaign) : there
  const explanation =
    there === 'expired'
      ? 'the campaign has expired at the registry above'
      : 'decided at the registry above'
  for (const [id, status] of Object.entries(seen)) {
    const present = campaign.operations[id]
    if (present === undefined || status === before[id] || status === present.status) continue
    campaign = await decideOperation(core, tx, campaignId, Number(id), { status, explanation })
  }
  await saveCampaign(tx, { ...campaign, upstreamOperations: seen })
  await schedule(tx, 'watch-upstream', campaignId, core.clock.now() + WATCH_MS)
}

function allSuspended({ operations }: Campaign): Readonly<Record<string, OperationStatus>> {
  return Object.fromEntries(Object.keys(operations).map((id) => [id, 'SUSPENDED' as const]))
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
  if (campaign.status === 'EXPIRED' || !share.isCurrent) {
    // It was deactivated or migrated while it was registered there.
    await endUpstream(core, tx, campaign.campaignId)
    return
  }
  if (outcome.upstreamCampaignId !== '')
    await saveCampaign(tx, { ...campaign, upstreamCampaignId: outcome.upstreamCampaignId })
  switch (outcome.type) {
    case 'pending':
      await askAt(tx, share, askAgainAt(share, core.clock.now()))
      return
    case 'accepted':
      await acceptShare(core, tx, share)
      await cancelJobs(tx, 'watch-upstream', campaign.campaignId)
      await schedule(tx, 'watch-upstream', campaign.campaignId, core.clock.now())
      return
    case 'declined':
      await declineShare(core, tx, share, {
        rejectionCategory: outcome.rejectionCategory,
        explanation: outcome.explanation,
      })
  }
}
