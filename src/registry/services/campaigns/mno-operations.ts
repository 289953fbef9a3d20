/** The decisions of each operator about a campaign. */
import type { Writer } from '../../../platform/database/database.js'
import type { Tables } from '../../data/tables.js'
import { emit } from '../../events/emit.js'
import { emitToEach, partiesOf } from '../../events/emit-shared.js'
import type { Core } from '../../model/core.js'
import type { OperationStatus } from '../../model/ports.js'
import { refuse } from '../../model/registry-error.js'
import type { MnoMetadata } from '../../rules/qualify.js'
import { findBrand } from '../../storage/brands.js'
import {
  type Campaign,
  findCampaign,
  type MnoOperation,
  saveCampaign,
} from '../../storage/campaigns.js'
import { carryUp } from '../upstream/carry-up.js'

/**
 * The status on submission. Standard use cases are approved at once. Special ones wait for a manual
 * review, unless a rule decides.
 */
export function operationAtStart(mno: MnoMetadata | undefined, tables: Tables): MnoOperation {
  const waits = mno?.mnoReview === true && tables.decisions.specialUsecase === 'MANUAL'
  return { status: waits ? 'REVIEW' : 'REGISTERED' }
}

const EVENTS: Readonly<Record<OperationStatus, string>> = {
  REGISTERED: 'MNO_CAMPAIGN_OPERATION_APPROVED',
  REVIEW: 'MNO_CAMPAIGN_OPERATION_REVIEW',
  REJECTED: 'MNO_CAMPAIGN_OPERATION_REJECTED',
  SUSPENDED: 'MNO_CAMPAIGN_OPERATION_SUSPENDED',
}

export async function emitOperation(
  core: Core,
  tx: Writer,
  campaign: Campaign,
  mnoId: number,
  before?: OperationStatus,
): Promise<void> {
  const operation = campaign.operations[mnoId]
  if (operation === undefined) return
  const isBack = before === 'SUSPENDED' && operation.status === 'REGISTERED'
  // Suspension and its end concern all partners, who stop or resume traffic; only the owner acts on
  // others.
  const concernsAll = isBack || operation.status === 'SUSPENDED'
  const cspIds = concernsAll ? await partiesOf(tx, campaign) : [campaign.cspId]
  await emitToEach(core, tx, cspIds, {
    type: isBack ? 'MNO_CAMPAIGN_OPERATION_UNSUSPENDED' : EVENTS[operation.status],
    brand: await findBrand(tx, campaign.brandId),
    campaign,
    extra: {
      mnoId,
      mnoName: campaign.mnoMetadata[mnoId]?.mno ?? null,
      ...(operation.explanation === undefined ? {} : { explanation: operation.explanation }),
      ...(operation.category === undefined ? {} : { category: operation.category }),
    },
  })
}

/**
 * Stores an operator's decision. 502 when the campaign was not submitted to it, 518 when it has
 * expired.
 */
export async function decideOperation(
  core: Core,
  tx: Writer,
  campaignId: string,
  mnoId: number,
  operation: MnoOperation,
): Promise<Campaign> {
  const campaign = await findCampaign(tx, campaignId)
  const before = campaign?.operations[mnoId]
  if (campaign === undefined || before === undefined)
    throw refuse(502, ['mnoId'], `campaign ${campaignId} was not submitted to operator ${mnoId}`)
  if (campaign.status === 'EXPIRED') throw refuse(518, ['campaignId'], 'the campaign has expired')
  const next: Campaign = {
    ...campaign,
    operations: { ...campaign.operations, [mnoId]: operation },
  }
  await saveCampaign(tx, next)
  await emitOperation(core, tx, next, mnoId, before.status)
  return next
}

/**
 * Withdraws the CSP's campaign from an operator. 502 when it was not submitted there, 592 while it
 * is suspended.
 */
export async function withdrawOperation(
  core: Core,
  tx: Writer,
  campaign: Campaign,
  mnoId: number,
  explanation: string,
): Promise<void> {
  const { [mnoId]: withdrawn, ...operations } = campaign.operations
  if (withdrawn === undefined)
    throw refuse(502, ['mnoId'], `the campaign was not submitted to operator ${mnoId}`)
  // Without this check, a resubmission would end the suspension.
  if (withdrawn.status === 'SUSPENDED')
    throw refuse(592, ['mnoId'], 'the operator has suspended the campaign')
  const { [mnoId]: _, ...upstreamOperations } = campaign.upstreamOperations ?? {}
  const next: Campaign = {
    ...campaign,
    operations,
    qualifiedMnoIds: campaign.qualifiedMnoIds.filter((id) => id !== mnoId),
    withdrawnMnoIds: [...(campaign.withdrawnMnoIds ?? []), mnoId],
    upstreamOperations: campaign.upstreamOperations && upstreamOperations,
  }
  await saveCampaign(tx, next)
  await carryUp(core, tx, 'withdraw-upstream', next, mnoId, explanation)
  await emit(core, tx, {
    type: 'CAMPAIGN_UPDATE',
    cspId: campaign.cspId,
    brand: await findBrand(tx, campaign.brandId),
    campaign: next,
    extra: { mnoId, mnoName: campaign.mnoMetadata[mnoId]?.mno ?? null, explanation },
  })
}
