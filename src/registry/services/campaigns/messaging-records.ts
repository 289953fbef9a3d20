/** Brands and campaigns for number provisioning, from the registry's own records. */
import type { Reader, Writer } from '../../../platform/database/database.js'
import type { Core } from '../../model/core.js'
import type { MessagingRecords, ProvisioningCampaign } from '../../model/ports.js'
import { refuse } from '../../model/registry-error.js'
import { findBrand } from '../../storage/brands.js'
import { type Campaign, findCampaign, findLastEvent } from '../../storage/campaigns.js'
import {
  findMessagingCampaign,
  isMessagingBrand,
  saveMessagingBrand,
  saveMessagingCampaign,
} from '../../storage/messaging-records.js'
import { currentNumbersOf } from '../../storage/numbers.js'
import { sharesOf } from '../../storage/shares.js'

/** The class of a campaign that no operator classifies. */
const NO_CLASS = ''

export function createMessagingRecords(
  core: Core,
  cspIdOf: (accountSid: string) => Promise<string | undefined>,
): MessagingRecords {
  const { db, clock } = core
  return {
    addBrand: async (accountSid, { brandId, name, description }) => {
      const cspId = await cspIdOf(accountSid)
      const registeredAt = clock.now()
      await db.write(async (tx) => {
        const brand = await findBrand(tx, brandId)
        if (cspId === undefined || brand?.cspId !== cspId || brand.status !== 'ACTIVE')
          throw refuse(502, ['messagingBrandId'], `there is no brand ${brandId}`)
        const row = { brandId, cspId, name, description, registeredAt }
        if (!(await saveMessagingBrand(tx, { ...row, nameKey: name.toLowerCase() })))
          throw refuse(503, ['messagingBrandName'], `another brand has the name ${name}`)
      })
    },
    addCampaign: async (accountSid, wanted) => {
      const cspId = await cspIdOf(accountSid)
      const startedAt = clock.now()
      await db.write((tx) => addCampaign(tx, cspId, wanted, startedAt))
    },
    find: async (accountSid, campaignIds) => {
      const cspId = await cspIdOf(accountSid)
      const found: ProvisioningCampaign[] = []
      for (const campaignId of campaignIds) {
        const campaign = await findCampaign(db.read, campaignId)
        if (campaign !== undefined && campaign.cspId === cspId)
          found.push(await shownOf(db.read, campaign))
      }
      return found
    },
  }
}

async function addCampaign(
  tx: Writer,
  cspId: string | undefined,
  { campaignId, brandId, description }: Parameters<MessagingRecords['addCampaign']>[1],
  startedAt: number,
): Promise<void> {
  const campaign = await findCampaign(tx, campaignId)
  if (cspId === undefined || campaign?.cspId !== cspId)
    throw refuse(502, ['externalCampaignId'], `there is no campaign ${campaignId}`)
  if (campaign.status === 'EXPIRED')
    throw refuse(518, ['externalCampaignId'], 'the campaign has expired')
  if (campaign.brandId !== brandId)
    throw refuse(501, ['messagingBrandId'], `the campaign is not of the brand ${brandId}`)
  if (!(await isMessagingBrand(tx, brandId)))
    throw refuse(592, ['messagingBrandId'], `the brand ${brandId} is to be added before`)
  await saveMessagingCampaign(tx, {
    campaignId,
    brandId,
    description,
    className: classOf(campaign),
    startedAt,
  })
}

/** The message class that the operator with classes assigned to the campaign. */
function classOf({ mnoMetadata }: Campaign): string {
  return Object.values(mnoMetadata).find(({ msgClass }) => msgClass !== null)?.msgClass ?? NO_CLASS
}

async function shownOf(read: Reader, campaign: Campaign): Promise<ProvisioningCampaign> {
  const { campaignId, brandId, cspId } = campaign
  const registered = await findMessagingCampaign(read, campaignId)
  const shares = await sharesOf(read, campaignId)
  const upstream = shares.findLast(({ downstreamCnpId }) => downstreamCnpId === cspId)
  return {
    campaignId,
    brandId,
    status: (await findLastEvent(read, campaignId)) ?? 'CAMPAIGN_ADD',
    numbers: await currentNumbersOf(read, campaignId),
    upstreamCnpId: upstream?.upstreamCnpId,
    registered: registered && {
      description: registered.description,
      className: registered.className,
      startedAt: registered.startedAt,
    },
  }
}
