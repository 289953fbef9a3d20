import type { Core } from '../core.js'
import type { MnoMetadata } from '../rules/qualify.js'
import {
  type Campaign,
  findCampaign,
  findLastEvent,
  type OperationStatus,
} from '../storage/campaigns.js'

export type SendingPermission =
  | {
      readonly isAllowed: false
      readonly reason: 'no-campaign' | 'campaign-expired' | 'not-provisioned' | 'no-operator-allows'
      readonly campaignId?: string
      readonly operators: readonly OperatorPermission[]
    }
  | {
      readonly isAllowed: true
      readonly campaignId: string
      readonly brandId: string
      /** What the numbering API shows as the campaign's status. */
      readonly lastEvent: string | undefined
      readonly operators: readonly OperatorPermission[]
      readonly texts: CampaignTexts
    }

/** What one operator lets through; a number that is null is not limited by it. */
export interface OperatorPermission {
  readonly mnoId: number
  readonly name: string
  readonly isAllowed: boolean
  readonly status: OperationStatus | 'NOT_SUBMITTED'
  readonly smsPerMinute: number | null
  readonly mmsPerMinute: number | null
  readonly scope: string | null
  readonly brandDailyCap: number | null
}

export interface CampaignTexts {
  readonly optoutKeywords: readonly string[]
  readonly optoutMessage: string | undefined
  readonly helpKeywords: readonly string[]
  readonly helpMessage: string | undefined
  readonly optinKeywords: readonly string[]
  readonly optinMessage: string | undefined
}

/** Whether this number may send now, at which rate to each operator, and what it answers to STOP. */
export type MaySend = (e164: string) => Promise<SendingPermission>

export function createMaySend(core: Core): MaySend {
  return async (e164) => {
    // Of a number that has lost its campaign, the last one says why.
    const row = await core.db.read
      .selectFrom('registry_numbers')
      .select(['campaign_id as campaignId', 'is_current as isCurrent'])
      .where('phone_number', '=', e164)
      .orderBy('is_current', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    const campaign =
      row === undefined ? undefined : await findCampaign(core.db.read, row.campaignId)
    if (row === undefined || campaign === undefined)
      return { isAllowed: false, reason: 'no-campaign', operators: [] }
    const { campaignId, brandId } = campaign
    const operators = Object.keys(campaign.mnoMetadata).map((id) =>
      permissionAt(campaign, Number(id)),
    )
    if (campaign.status === 'EXPIRED')
      return { isAllowed: false, reason: 'campaign-expired', campaignId, operators: [] }
    if (row.isCurrent === 0)
      return { isAllowed: false, reason: 'not-provisioned', campaignId, operators: [] }
    if (!operators.some(({ isAllowed }) => isAllowed))
      return { isAllowed: false, reason: 'no-operator-allows', campaignId, operators }
    const lastEvent = await findLastEvent(core.db.read, campaignId)
    const texts = textsOf(campaign)
    return { isAllowed: true, campaignId, brandId, lastEvent, operators, texts }
  }
}

function permissionAt(campaign: Campaign, mnoId: number): OperatorPermission {
  const status = campaign.operations[mnoId]?.status ?? 'NOT_SUBMITTED'
  const isAllowed = status === 'REGISTERED' && campaign.dcaByMno[mnoId] !== undefined
  return { mnoId, isAllowed, status, ...ratesAt(campaign.mnoMetadata[mnoId], mnoId) }
}

function ratesAt(mno: MnoMetadata | undefined, mnoId: number) {
  if (mno === undefined) {
    const none = { smsPerMinute: null, mmsPerMinute: null, scope: null, brandDailyCap: null }
    return { name: String(mnoId), ...none }
  }
  return {
    name: mno.mno,
    smsPerMinute: mno.tpm,
    mmsPerMinute: mno.mmsTpm,
    scope: mno.tpmScope,
    brandDailyCap: mno.brandDailyCap,
  }
}

function textsOf({ details }: Campaign): CampaignTexts {
  const words = (keywords: string | undefined) =>
    (keywords ?? '').split(',').filter((word) => word !== '')
  return {
    optoutKeywords: words(details.optoutKeywords),
    optoutMessage: details.optoutMessage,
    helpKeywords: words(details.helpKeywords),
    helpMessage: details.helpMessage,
    optinKeywords: words(details.optinKeywords),
    optinMessage: details.optinMessage,
  }
}
