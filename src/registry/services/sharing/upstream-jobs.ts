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
import type {
  RemovedFile,
  SentFile,
  SharedCampaign,
  ShareOutcome,
  UpdateOutcome,
  UpstreamBrands,
  UpstreamPartner,
} from '../../providers/upstream-partner.js'
import { noteUpstreamRefusal, noteUpstreamUuid } from '../../storage/attachments.js'
import { type Brand, findBrand } from '../../storage/brands.js'
import { type Campaign, findCampaign, saveCampaign } from '../../storage/campaigns.js'
import { findShare, type Share, sharesOf } from '../../storage/shares.js'
import { decideOperation } from '../campaigns/mno-operations.js'
import { brandOrderOf, carryUp, isSharedUpstream, orderOf } from '../upstream/carry-up.js'
import { acceptShare, declineShare, type Nudge, shareTo } from './share-chain.js'
import {
  type CampaignAct,
  campaignJob,
  type FilesOf,
  isThere,
  nothing,
  sharedCampaign,
  tellRefusal,
  type UpstreamJobDeps,
  unlessRefused,
} from './upstream-job.js'

/**
 * The wait before a pending share is asked about again: a tenth of its age, within these limits. Changes
 * wait for a registration, so that it is asked about more often.
 */
const ASK_AGAIN_MS = { least: 5_000, most: 3_600_000, mostOfRegistration: 300_000, ofAge: 0.1 }

function askAgainAt(share: Share, isRegistered: boolean, now: number): number {
  const { least, most, mostOfRegistration, ofAge } = ASK_AGAIN_MS
  const limit = isRegistered ? most : mostOfRegistration
  return now + Math.min(Math.max((now - share.statusAt) * ofAge, least), limit)
}

/** Schedules the one job that asks about a share; a nudge does so while another one waits. */
async function askAt(tx: Writer, { id }: Share, campaign: Campaign, at: number): Promise<void> {
  await cancelJobs(tx, 'share-upstream', String(id))
  // Until it is registered there, its other changes wait for that; a look at its standing delays none.
  const order = campaign.upstreamCampaignId === undefined ? orderOf(campaign) : undefined
  await schedule(tx, 'share-upstream', String(id), at, order)
}

/** The interval at which the upstream registry is asked for the operators' decisions. */
const WATCH_MS = 5 * 60_000

export function upstreamJobs(
  core: Core,
  partner: UpstreamPartner | undefined,
  filesOf: FilesOf,
): JobHandlers {
  if (partner === undefined) return {}
  const deps = { core, partner, filesOf }
  return {
    'share-upstream': {
      type: 'perform',
      run: async (job, signal) => {
        const share = await findShare(core.db.read, Number(job.subject))
        const shared = await sharedCampaign(deps, share?.campaignId)
        if (share === undefined || shared === undefined) return nothing
        // The share of one that was deactivated has ended with it.
        const isOver = shared.campaign.status !== 'ACTIVE'
        if (!isOver && share.status !== 'PENDING') return nothing
        // One that was deactivated or migrated meanwhile is not registered there any more. A process
        // that was killed may have registered it before.
        if (isOver || !share.isCurrent) return (tx) => endUpstream(core, tx, share.campaignId)
        // Its former registration there has the referenceId until it has ended.
        const former = { column: 'subject', value: share.campaignId } as const
        if (await hasJob(core.db.read, 'deactivate-upstream', former))
          return (tx) => askAt(tx, share, shared.campaign, core.clock.now() + ASK_AGAIN_MS.least)
        const outcome = await partner.share(shared, signal)
        return (tx) => applyShareOutcome(core, tx, shared, share, outcome)
      },
    },
    'nudge-upstream': nudgeJob(deps),
    ...campaignChangeJobs(deps),
    ...brandChangeJobs(core, partner.brands),
    'watch-upstream': {
      type: 'perform',
      run: async (job, signal) => {
        const shared = await sharedCampaign(deps, job.subject)
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

function nudgeJob(deps: UpstreamJobDeps): JobHandler {
  const { core, partner } = deps
  return {
    type: 'perform',
    run: async (job, signal) => {
      const [shareId, nudge] = JSON.parse(job.subject) as [number, Nudge] // written by `nudgeUp`
      const share = await findShare(core.db.read, shareId)
      const shared = await sharedCampaign(deps, share?.campaignId)
      // Who carries it no longer has nothing to decide.
      if (share?.isCurrent !== true || shared?.campaign.status !== 'ACTIVE') return nothing
      // One whose registration was refused is registered by the next question, and needs no nudge.
      const isNudged = isThere(shared)
      const nudged = await unlessRefused(core, job, shared, async () => {
        if (isNudged) await partner.nudge(shared, nudge, signal)
        return nothing
      })
      return async (tx) => {
        await nudged(tx)
        // The operators' decisions about an accepted campaign are watched all the time.
        if (share.status !== 'ACCEPTED') await askAt(tx, share, shared.campaign, core.clock.now())
      }
    },
  }
}

function isCarriedBy({ cnpId }: UpstreamPartner, shares: readonly Share[]): boolean {
  return shareTo(shares, cnpId)?.status === 'ACCEPTED'
}

/** Ends what the upstream registry has of a campaign that is not shared with it any more. */
async function endUpstream(core: Core, tx: Writer, campaignId: string): Promise<void> {
  const campaign = await findCampaign(tx, campaignId)
  if (campaign?.status === 'ACTIVE' && (await isSharedUpstream(core, tx, campaignId))) return
  const order = campaign === undefined ? undefined : orderOf(campaign)
  await schedule(tx, 'deactivate-upstream', campaignId, core.clock.now(), order)
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
  // What an operator says about a campaign that was withdrawn from it is no news when it comes back.
  const { operations } = campaign
  const known = Object.entries(seen).filter(([id]) => operations[id] !== undefined)
  await saveCampaign(tx, { ...campaign, upstreamOperations: Object.fromEntries(known) })
  await schedule(tx, 'watch-upstream', campaignId, core.clock.now() + WATCH_MS)
}

function allSuspended({ operations }: Campaign): Readonly<Record<string, OperationStatus>> {
  return Object.fromEntries(Object.keys(operations).map((id) => [id, 'SUSPENDED' as const]))
}

async function applyShareOutcome(
  core: Core,
  tx: Writer,
  shared: SharedCampaign,
  asked: Share,
  outcome: ShareOutcome,
): Promise<void> {
  const share = await findShare(tx, asked.id)
  const campaign = await findCampaign(tx, asked.campaignId)
  if (share === undefined || campaign === undefined) return
  const isOver = campaign.status === 'EXPIRED'
  if (!isOver && share.status !== 'PENDING') return
  if (isOver || !share.isCurrent) {
    // It was deactivated or migrated while it was registered there.
    await endUpstream(core, tx, campaign.campaignId)
    return
  }
  const upstreamCampaignId = outcome.upstreamCampaignId || campaign.upstreamCampaignId
  const registered: Campaign = { ...campaign, upstreamCampaignId }
  await saveCampaign(tx, registered)
  switch (outcome.type) {
    case 'pending': {
      await noteSentFiles(core, tx, shared, outcome.sentFiles)
      const at = askAgainAt(share, upstreamCampaignId !== undefined, core.clock.now())
      await askAt(tx, share, registered, at)
      return
    }
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

/** The jobs that carry changes of campaigns up; `carry-up.ts` schedules them. */
function campaignChangeJobs(deps: UpstreamJobDeps): JobHandlers {
  const { core, partner } = deps
  /** A campaign that has left meanwhile, or is not registered yet, goes up as it is then, if at all. */
  const change = (act: CampaignAct): JobHandler =>
    campaignJob(deps, (shared, what, signal, job) =>
      isThere(shared) ? act(shared, what, signal, job) : Promise.resolve(nothing),
    )
  return {
    'update-upstream': change(async (shared, _, signal, job) => {
      const outcome = await partner.update(shared, signal)
      return (tx) => applyUpdate(core, tx, job, shared, outcome)
    }),
    'resubmit-upstream': change(async (shared, what, signal) => {
      const [mnoIds] = what as [number[]] // written by `resubmit`
      await partner.resubmit(shared, mnoIds, signal)
      return nothing
    }),
    'withdraw-upstream': change(async (shared, what, signal) => {
      const [mnoId, explanation] = what as [number, string] // written by `withdrawOperation`
      await partner.withdraw(shared, mnoId, explanation, signal)
      return nothing
    }),
    'remove-file-upstream': change(async (shared, what, signal) => {
      const [file] = what as [RemovedFile] // written by `removeUpstream`
      await partner.removeFile(shared, file, signal)
      return nothing
    }),
    'deactivate-upstream': campaignJob(deps, async (shared, _, signal) => {
      await partner.deactivate(shared, signal)
      return nothing
    }),
  }
}

/** Notes what became of the files, and tells the customer what was refused. */
async function applyUpdate(
  core: Core,
  tx: Writer,
  job: Job,
  shared: SharedCampaign,
  { upstreamCampaignId, refusal, sentFiles, refusedFiles }: UpdateOutcome,
): Promise<void> {
  await noteSentFiles(core, tx, shared, sentFiles)
  if (refusal !== undefined) await tellRefusal(core, tx, job, shared, refusal)
  for (const file of refusedFiles) {
    await noteUpstreamRefusal(tx, file.uuid, upstreamCampaignId)
    await tellRefusal(core, tx, job, shared, file.refusal)
  }
}

/** Notes the identifiers of files above. One that was deleted here meanwhile is removed there. */
async function noteSentFiles(
  core: Core,
  tx: Writer,
  { campaign, files }: SharedCampaign,
  sent: readonly SentFile[],
): Promise<void> {
  for (const { uuid, upstreamUuid } of sent) {
    if (await noteUpstreamUuid(tx, uuid, upstreamUuid)) continue
    const file = files.find((each) => each.uuid === uuid)
    const present = await findCampaign(tx, campaign.campaignId)
    if (file === undefined || present === undefined) continue
    const removed: RemovedFile = { kind: file.kind, fileName: file.fileName, upstreamUuid }
    await carryUp(core, tx, 'remove-file-upstream', present, removed)
  }
}

function brandChangeJobs(core: Core, brands: UpstreamBrands): JobHandlers {
  const change = (act: (brand: Brand, signal: AbortSignal) => Promise<void>): JobHandler => ({
    type: 'perform',
    run: async (job, signal) => {
      const brand = await findBrand(core.db.read, job.subject)
      if (brand === undefined) return nothing
      const isDeletion = job.kind === 'delete-brand-upstream'
      if (!isDeletion && brand.status === 'DELETED') return nothing
      if (isDeletion && (await hasCampaignToEnd(core, brand)))
        return (tx) => schedule(tx, job.kind, job.subject, core.clock.now(), brandOrderOf(brand))
      return await unlessRefused(core, job, { brand }, async () => {
        await act(brand, signal)
        return nothing
      })
    },
  })
  return {
    'update-brand-upstream': change((brand, signal) => brands.update(brand, signal)),
    'revet-brand-upstream': change((brand, signal) => brands.revet(brand, signal)),
    'delete-brand-upstream': change((brand, signal) => brands.remove(brand, signal)),
  }
}

/** True while a campaign waits to be deactivated there; a brand with active campaigns is not deleted. */
function hasCampaignToEnd({ db }: Core, brand: Brand): Promise<boolean> {
  const { stream } = brandOrderOf(brand)
  return hasJob(db.read, 'deactivate-upstream', { column: 'stream', value: stream })
}
