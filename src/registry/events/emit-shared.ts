import type { Reader, Writer } from '../../platform/database/database.js'
import type { Core } from '../model/core.js'
import { findBrand } from '../storage/brands.js'
import { type Campaign, findCampaign } from '../storage/campaigns.js'
import { findCsp } from '../storage/csps.js'
import { type Share, sharesOf } from '../storage/shares.js'
import { emit, type NewEvent } from './emit.js'

/** Emits an event of a share once to each end of the share and once to the campaign's owner. */
export async function emitToShare(
  core: Core,
  tx: Writer,
  type: string,
  share: Share,
  extra: Readonly<Record<string, string>> = {},
): Promise<void> {
  const campaign = await findCampaign(tx, share.campaignId)
  if (campaign === undefined) return
  const brand = await findBrand(tx, campaign.brandId)
  for (const cspId of await cspsAmong(tx, [campaign.cspId, ...endsOf(share)]))
    await emit(core, tx, { type, cspId, brand, campaign, extra })
}

/**
 * The CSPs to notify when the campaign's service ends, without duplicates: its owner, and the local
 * CSPs that it is shared with and that have not declined it.
 */
export async function partiesOf(
  db: Reader,
  { campaignId, cspId }: Campaign,
): Promise<readonly string[]> {
  const shares = await sharesOf(db, campaignId)
  const standing = shares.filter(({ status }) => status !== 'DECLINED')
  return await cspsAmong(db, [cspId, ...standing.flatMap(endsOf)])
}

/** Emits one event to each of these CSPs. */
export async function emitToEach(
  core: Core,
  tx: Writer,
  cspIds: readonly string[],
  event: Omit<NewEvent, 'cspId'>,
): Promise<void> {
  for (const cspId of cspIds) await emit(core, tx, { ...event, cspId })
}

function endsOf({ downstreamCnpId, upstreamCnpId }: Share): readonly string[] {
  return [downstreamCnpId, upstreamCnpId]
}

/** Returns the connectivity partners in the list that are CSPs of this registry, without duplicates. */
async function cspsAmong(db: Reader, cnpIds: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const cnpId of new Set(cnpIds))
    if ((await findCsp(db, cnpId)) !== undefined) found.push(cnpId)
  return found
}
