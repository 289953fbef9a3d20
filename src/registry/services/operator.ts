import type { Writer } from '../../platform/database/database.js'
import { emit } from '../events/emit.js'
import type { Core } from '../model/core.js'
import { refuse } from '../model/registry-error.js'
import { type Brand, findBrand } from '../storage/brands.js'
import { type Campaign, findCampaign, type MnoOperation } from '../storage/campaigns.js'
import { sharesOf } from '../storage/shares.js'
import { failScoring, finishScoring } from './brands/score-brand.js'
import { decideOperation } from './campaigns/mno-operations.js'
import { acceptShare, declineShare, type Rejection } from './sharing/share-chain.js'

export interface BrandDecision {
  /**
   * The decided status. `UNSUCCESSFUL` means that scoring was impossible; the identity does not
   * change.
   */
  readonly identityStatus: 'UNVERIFIED' | 'VERIFIED' | 'VETTED_VERIFIED' | 'UNSUCCESSFUL'
  readonly explanation: string
}

/** Manual decisions of the registry's operator: approve, reject, suspend, score. */
export interface RegistryOperator {
  decideBrand(brandId: string, decision: BrandDecision): Promise<void>
  decideOperation(campaignId: string, mnoId: number, operation: MnoOperation): Promise<Campaign>
  /** Accepts the pending share at the end of the chain. */
  acceptShare(campaignId: string, upstreamCnpId: string): Promise<void>
  declineShare(campaignId: string, upstreamCnpId: string, rejection: Rejection): Promise<void>
  complain(campaignId: string, mnoId: number, explanation: string): Promise<void>
}

export function createRegistryOperator(core: Core): RegistryOperator {
  const waiting = async (tx: Writer, campaignId: string, cnpId: string) => {
    if ((await findCampaign(tx, campaignId))?.status === 'EXPIRED')
      throw refuse(518, ['campaignId'], 'the campaign has expired')
    const shares = await sharesOf(tx, campaignId)
    const share = shares.find((each) => each.upstreamCnpId === cnpId && each.status === 'PENDING')
    if (share === undefined)
      throw refuse(502, ['campaignId'], `nothing of ${campaignId} waits at ${cnpId}`)
    return share
  }
  return {
    decideBrand: (brandId, { identityStatus, explanation }) =>
      core.commit(async (tx) => {
        const brand = await findBrand(tx, brandId)
        if (brand?.status !== 'ACTIVE')
          throw refuse(502, ['brandId'], `there is no brand ${brandId}`)
        await decideBrand(core, tx, brand, { identityStatus, explanation })
      }),
    decideOperation: (campaignId, mnoId, operation) =>
      core.commit((tx) => decideOperation(core, tx, campaignId, mnoId, operation)),
    acceptShare: (campaignId, cnpId) =>
      core.commit(async (tx) => acceptShare(core, tx, await waiting(tx, campaignId, cnpId))),
    declineShare: (campaignId, cnpId, rejection) =>
      core.commit(async (tx) =>
        declineShare(core, tx, await waiting(tx, campaignId, cnpId), rejection),
      ),
    complain: (campaignId, mnoId, explanation) =>
      core.commit(async (tx) => {
        const campaign = await findCampaign(tx, campaignId)
        const mno = campaign?.mnoMetadata[mnoId]
        if (campaign === undefined || mno === undefined)
          throw refuse(502, ['campaignId'], `there is no campaign ${campaignId} at ${mnoId}`)
        await emit(core, tx, {
          type: 'MNO_COMPLAINT',
          cspId: campaign.cspId,
          brand: await findBrand(tx, campaign.brandId),
          campaign,
          extra: { mnoId, mnoName: mno.mno, explanation },
        })
      }),
  }
}

async function decideBrand(
  core: Core,
  tx: Writer,
  brand: Brand,
  { identityStatus: status, explanation }: BrandDecision,
): Promise<void> {
  if (status === 'UNSUCCESSFUL') {
    await failScoring(core, tx, brand, [explanation])
    return
  }
  const feedback = status === 'UNVERIFIED' ? brand.feedback : []
  const decided = { type: 'decided', status } as const
  await finishScoring(core, tx, brand, decided, { feedback, explanation: [explanation] })
}
