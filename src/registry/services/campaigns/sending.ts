import type { Reader } from '../../../platform/database/database.js'
import type { Tables } from '../../data/tables.js'
import type { Core } from '../../model/core.js'
import type {
  CampaignTexts,
  MaySend,
  OperatorPermission,
  SendingRefusal,
} from '../../model/ports.js'
import type { MnoMetadata } from '../../rules/qualify.js'
import { type Brand, findBrand } from '../../storage/brands.js'
import { type Campaign, findCampaign, findLastEvent } from '../../storage/campaigns.js'
import { findCsp } from '../../storage/csps.js'
import { lastCampaignOf } from '../../storage/numbers.js'
import { operatorsOf } from './campaign-facts.js'

export function createMaySend({ db, tables }: Core): MaySend {
  return async (e164) => {
    const found = await numberOf(db.read, e164)
    if (found === undefined) return { isAllowed: false, reason: 'no-campaign' }
    const { campaign, isCurrent } = found
    const { campaignId, brandId } = campaign
    const operators = operatorsOf(campaign, tables).map((id) => permissionAt(campaign, id, tables))
    const lastEvent = await findLastEvent(db.read, campaignId)
    const dailyCapKey = capKeyOf(await findBrand(db.read, brandId), brandId)
    const texts = textsOf(campaign)
    const csp = await findCsp(db.read, campaign.cspId)
    const standing = {
      campaignId,
      accountSid: csp?.accountSid,
      brandId,
      dailyCapKey,
      lastEvent,
      operators,
      texts,
    }
    const isSuspended = csp?.status === 'SUSPENDED'
    const refusals: readonly [boolean, SendingRefusal][] = [
      [campaign.status === 'EXPIRED', 'campaign-expired'],
      [!isCurrent, 'not-provisioned'],
      [isSuspended, 'csp-suspended'],
      [!operators.some(({ isAllowed }) => isAllowed), 'no-operator-allows'],
    ]
    const reason = refusals.find(([isSo]) => isSo)?.[1]
    return reason === undefined
      ? { isAllowed: true, ...standing }
      : { isAllowed: false, reason, ...standing }
  }
}

/** The key of the daily cap. Scoring sets the universal EIN before a brand can have campaigns. */
function capKeyOf(brand: Brand | undefined, brandId: string): string {
  return brand?.universalEin === undefined ? `brand:${brandId}` : `ein:${brand.universalEin}`
}

async function numberOf(
  db: Reader,
  e164: string,
): Promise<{ campaign: Campaign; isCurrent: boolean } | undefined> {
  // The number's last campaign explains the refusal.
  const last = await lastCampaignOf(db, e164)
  const campaign = last && (await findCampaign(db, last.campaignId))
  return last && campaign && { campaign, isCurrent: last.isCurrent }
}

function permissionAt(campaign: Campaign, mnoId: number, tables: Tables): OperatorPermission {
  const status = campaign.operations[mnoId]?.status ?? 'NOT_SUBMITTED'
  const isAllowed = status === 'REGISTERED' && campaign.dcaByMno[mnoId] !== undefined
  return { mnoId, isAllowed, status, ...ratesAt(campaign.mnoMetadata[mnoId], mnoId, tables) }
}

function ratesAt(mno: MnoMetadata | undefined, mnoId: number, { operators }: Tables) {
  if (mno === undefined) {
    const operator = operators.operators.find(({ networkId }) => networkId === mnoId)
    const none = { smsPerMinute: null, mmsPerMinute: null, scope: null, brandDailyCap: null }
    return { name: operator?.displayName ?? String(mnoId), ...none }
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
