/** The jobs that carry changes of brands and campaigns up; `carry-up.ts` schedules them. */
import type { Writer } from '../../../platform/database/database.js'
import { hasJob, type Job, type JobHandler, type JobHandlers, schedule } from '../../jobs/jobs.js'
import type { Core } from '../../model/core.js'
import type {
  RemovedFile,
  SentFile,
  SharedCampaign,
  UpdateOutcome,
  UpstreamBrands,
} from '../../providers/upstream-partner.js'
import { noteUpstreamRefusal, noteUpstreamUuid } from '../../storage/attachments.js'
import { type Brand, findBrand } from '../../storage/brands.js'
import { findCampaign } from '../../storage/campaigns.js'
import { brandOrderOf, carryUp } from '../upstream/carry-up.js'
import {
  type CampaignAct,
  campaignJob,
  isThere,
  nothing,
  tellRefusal,
  type UpstreamJobDeps,
  unlessRefused,
} from './upstream-job.js'

export function campaignChangeJobs(deps: UpstreamJobDeps): JobHandlers {
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
export async function noteSentFiles(
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

export function brandChangeJobs(core: Core, brands: UpstreamBrands): JobHandlers {
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
