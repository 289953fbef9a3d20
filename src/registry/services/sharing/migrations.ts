/**
 * The migration of a campaign to another CNP; the current one carries it until the migration
 * completes.
 */
import type { Writer } from '../../../platform/database/database.js'
import { emit } from '../../events/emit.js'
import type { Core } from '../../model/core.js'
import { findBrand } from '../../storage/brands.js'
import { findMigration, type Migration, saveMigration } from '../../storage/campaign-migrations.js'
import { type Campaign, findCampaign, saveCampaign } from '../../storage/campaigns.js'
import { findCsp } from '../../storage/csps.js'
import { type Share, saveShare, sharesOf } from '../../storage/shares.js'
import { leaveUpstream } from '../upstream/carry-up.js'

/**
 * Completes the migration whose new chain is complete, unless the owner completes migrations by
 * request.
 */
export async function autoCompleteMigration(core: Core, tx: Writer, end: Share): Promise<void> {
  const campaign = await findCampaign(tx, end.campaignId)
  const migration = await findMigration(tx, end.campaignId)
  if (campaign === undefined || migration?.status !== 'ACTIVE') return
  const owner = await findCsp(tx, campaign.cspId)
  if (owner?.migrationAutoComplete === true) await completeMigration(core, tx, migration, end)
}

/** Replaces the old chain by the new one; `end` is the new chain's share with the aggregator. */
export async function completeMigration(
  core: Core,
  tx: Writer,
  migration: Migration,
  end: Share,
): Promise<void> {
  const campaign = await findCampaign(tx, end.campaignId)
  if (campaign === undefined) return
  for (const share of await sharesOf(tx, end.campaignId))
    await saveShare(
      tx,
      share.isMigration ? { ...share, isMigration: false } : { ...share, isCurrent: false },
    )
  await saveMigration(tx, { ...migration, status: 'COMPLETED', statusAt: core.clock.now() })
  const moved: Campaign = {
    ...campaign,
    dcaByMno: Object.fromEntries(
      campaign.qualifiedMnoIds.map((id) => [String(id), end.upstreamCnpId]),
    ),
  }
  await saveCampaign(tx, moved)
  await leaveUpstream(core, tx, moved)
  await emit(core, tx, {
    type: 'CAMPAIGN_DCA_COMPLETE',
    cspId: campaign.cspId,
    brand: await findBrand(tx, campaign.brandId),
    campaign: moved,
  })
}
