/** What was registered about brands and campaigns for number provisioning. */
import type { Reader, Writer } from '../../platform/database/database.js'
import type { Selectable } from '../../platform/database/tables.js'
import type {
  RegistryMessagingBrandsTable,
  RegistryMessagingCampaignsTable,
} from './tables/messaging-tables.js'

export type MessagingBrandRow = Selectable<RegistryMessagingBrandsTable>
export type MessagingCampaignRow = Selectable<RegistryMessagingCampaignsTable>

/**
 * Stores a brand, or its new name; false when another brand of the CSP has the name. A brand that was
 * deleted gives its name back.
 */
export async function saveMessagingBrand(tx: Writer, row: MessagingBrandRow): Promise<boolean> {
  await tx
    .deleteFrom('registry_messaging_brands')
    .where('csp_id', '=', row.csp_id)
    .where('name_key', '=', row.name_key)
    .where('brand_id', 'in', (select) =>
      select
        .selectFrom('registry_brands')
        .select('brand_id')
        .where('csp_id', '=', row.csp_id)
        .where('status', '=', 'DELETED'),
    )
    .execute()
  const other = await tx
    .selectFrom('registry_messaging_brands')
    .select('brand_id')
    .where('csp_id', '=', row.csp_id)
    .where('name_key', '=', row.name_key)
    .where('brand_id', '<>', row.brand_id)
    .executeTakeFirst()
  if (other !== undefined) return false
  const { name, name_key, description } = row
  await tx
    .insertInto('registry_messaging_brands')
    .values(row)
    .onConflict((known) => known.column('brand_id').doUpdateSet({ name, name_key, description }))
    .execute()
  return true
}

export async function isMessagingBrand(read: Reader, brandId: string): Promise<boolean> {
  const row = await read
    .selectFrom('registry_messaging_brands')
    .select('brand_id')
    .where('brand_id', '=', brandId)
    .executeTakeFirst()
  return row !== undefined
}

/** Stores a campaign, or its new description; the time at which it began stays. */
export async function saveMessagingCampaign(tx: Writer, row: MessagingCampaignRow): Promise<void> {
  const { description, class_name } = row
  await tx
    .insertInto('registry_messaging_campaigns')
    .values(row)
    .onConflict((known) => known.column('campaign_id').doUpdateSet({ description, class_name }))
    .execute()
}

export async function findMessagingCampaign(
  read: Reader,
  campaignId: string,
): Promise<MessagingCampaignRow | undefined> {
  return await read
    .selectFrom('registry_messaging_campaigns')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst()
}
