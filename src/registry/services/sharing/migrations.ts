/** Moving a campaign to another CNP while the present one goes on carrying it. */
import type { Reader, Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import { findBrand } from '../../storage/brands.js'
import { type Campaign, findCampaign, saveCampaign } from '../../storage/campaigns.js'
import { findCsp } from '../../storage/csps.js'
import { type Share, saveShare, sharesOf } from '../../storage/shares.js'

export interface Migration {
  readonly campaignId: string
  readonly upstreamCnpId: string
  readonly status: 'ACTIVE' | 'COMPLETED' | 'CANCELLED'
  readonly startedAt: number
  readonly statusAt: number
}

export async function findMigration(
  db: Reader,
  campaignId: string,
): Promise<Migration | undefined> {
  const row = await db
    .selectFrom('registry_migrations')
    .select('record')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.record) as Migration) // written below only
}

export async function saveMigration(tx: Writer, migration: Migration): Promise<void> {
  const { campaignId, status } = migration
  const record = JSON.stringify(migration)
  await tx
    .insertInto('registry_migrations')
    .values({ campaign_id: campaignId, status, record })
    .onConflict((conflict) => conflict.column('campaign_id').doUpdateSet({ status, record }))
    .execute()
}

/** The new share takes the old one's place. */
export async function completeMigration(
  core: Core,
  tx: Writer,
  share: Share,
  how: 'automatic' | 'manual',
): Promise<void> {
  const campaign = await findCampaign(tx, share.campaignId)
  const migration = await findMigration(tx, share.campaignId)
  if (campaign === undefined || migration?.status !== 'ACTIVE') return
  const owner = await findCsp(tx, campaign.cspId)
  if (how === 'automatic' && owner?.migrationAutoComplete !== true) return
  if (share.status !== 'ACCEPTED')
    throw refuse(592, ['campaignId'], `the new share is ${share.status}`)
  for (const old of await sharesOf(tx, share.campaignId)) {
    if (!old.isMigration) await saveShare(tx, { ...old, isCurrent: false })
  }
  await saveShare(tx, { ...share, isMigration: false })
  await saveMigration(tx, { ...migration, status: 'COMPLETED', statusAt: core.clock.now() })
  const moved: Campaign = {
    ...campaign,
    dcaByMno: Object.fromEntries(
      campaign.qualifiedMnoIds.map((id) => [String(id), share.upstreamCnpId]),
    ),
  }
  await saveCampaign(tx, moved)
  await emit(core, tx, {
    type: 'CAMPAIGN_DCA_COMPLETE',
    cspId: campaign.cspId,
    brand: await findBrand(tx, campaign.brandId),
    campaign: moved,
  })
}
