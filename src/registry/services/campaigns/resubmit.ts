/** Submits a campaign again to the operators that excluded or rejected it. */
import type { Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import type { Core } from '../../model/core.js'
import type { OperationStatus } from '../../model/ports.js'
import { throwIfAny } from '../../model/registry-error.js'
import { demand } from '../../rules/outages.js'
import { type MnoMetadata, mnoMetadataOf, qualifyCampaign } from '../../rules/qualify.js'
import { type Campaign, saveCampaign } from '../../storage/campaigns.js'
import type { Csp } from '../../storage/csps.js'
import { carryUp } from '../upstream/carry-up.js'
import { brandForCampaign, checkMnoIds, liveCampaign, standing } from './campaign-facts.js'
import { emitOperation, operationAtStart } from './mno-operations.js'

interface Resubmission {
  readonly campaignId: string
  readonly mnoIds: readonly number[] | undefined
}

export async function resubmit(
  core: Core,
  tx: Writer,
  csp: Csp,
  { campaignId, mnoIds }: Resubmission,
): Promise<Campaign> {
  const campaign = await liveCampaign(tx, csp.cspId, campaignId)
  checkMnoIds(core, mnoIds)
  demand(core, 'NUMBER_REGISTRY')
  const brand = await brandForCampaign(tx, csp, campaign.brandId)
  const { usecase } = campaign.details
  const fresh = mnoMetadataOf(standing(brand), usecase, core.tables, mnoIds)
  const qualification = qualifyCampaign(campaign.details, fresh)
  if (qualification.type === 'rejected') throwIfAny(qualification.problems)
  const qualified = qualification.type === 'qualified' ? qualification.mnoIds : []
  const anew = qualified.filter((id) => isSubmittable(campaign.operations[id]?.status))
  const dca = Object.values(campaign.dcaByMno)[0]
  const next: Campaign = {
    ...campaign,
    mnoMetadata: { ...campaign.mnoMetadata, ...fresh },
    qualifiedMnoIds: [...new Set([...campaign.qualifiedMnoIds, ...qualified])].sort(
      (a, b) => a - b,
    ),
    operations: {
      ...campaign.operations,
      ...Object.fromEntries(
        anew.map((id) => [String(id), operationAnew(core, campaign, fresh[id], id)]),
      ),
    },
    withdrawnMnoIds: campaign.withdrawnMnoIds?.filter((id) => !anew.includes(id)),
    // A chain that has reached an aggregator carries the new operators too.
    dcaByMno:
      dca === undefined
        ? {}
        : { ...campaign.dcaByMno, ...Object.fromEntries(anew.map((id) => [String(id), dca])) },
  }
  await saveCampaign(tx, next)
  await emit(core, tx, { type: 'CAMPAIGN_RESUBMISSION', cspId: csp.cspId, brand, campaign: next })
  for (const id of anew) await emitOperation(core, tx, next, id)
  if (anew.length > 0) await carryUp(core, tx, 'resubmit-upstream', next, anew)
  return next
}

/**
 * True when the campaign was not submitted to the operator, or was rejected there. A suspended
 * campaign is not submitted again: only the operator ends the suspension.
 */
function isSubmittable(status: OperationStatus | undefined): boolean {
  return status === undefined || status === 'REJECTED'
}

/**
 * The status on a new submission. After a person has rejected the campaign, a person reviews it
 * again.
 */
function operationAnew(core: Core, before: Campaign, mno: MnoMetadata | undefined, mnoId: number) {
  if (before.operations[mnoId]?.status === 'REJECTED') return { status: 'REVIEW' as const }
  return operationAtStart(mno, core.tables)
}
