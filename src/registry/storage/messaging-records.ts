/** Registrations of brands and campaigns for number provisioning. */
import type { Reader, Writer } from '../../platform/database/database.js'
import type { Selectable } from '../../platform/database/tables.js'
import type {
  RegistryMessagingBrandsTable,
  RegistryMessagingCampaignsTable,
} from './tables/messaging-tables.js'

export type MessagingBrandRow = Selectable<RegistryMessagingBrandsTable>
export type MessagingCampaignRow = Selectable<RegistryMessagingCampaignsTable>

/**
 * Stores a brand or its new name; resolves with false when another brand of the CSP has the name. A
 * deleted brand releases its name.
 */
export async function saveMessagingBrand(tx: Writer, row: MessagingBrandRow): Promise<boolean> {
  await tx
    .deleteFrom('registry_messaging_brands')
    .where('cspId', '=', row.cspId)
    .where('nameKey', '=', row.nameKey)
    .where('brandId', 'in', (select) =>
      select
        .selectFrom('registry_brands')
        .select('brandId')
        .where('cspId', '=', row.cspId)
        .where('status', '=', 'DELETED'),
    )
    .execute()
  const other = await tx
    .selectFrom('registry_messaging_brands')
    .select('brandId')
    .where('cspId', '=', row.cspId)
    .where('nameKey', '=', row.nameKey)
    .where('brandId', '<>', row.brandId)
    .executeTakeFirst()
  if (other !== undefined) return false
  const { name, nameKey, description } = row
  await tx
    .insertInto('registry_messaging_brands')
    .values(row)
    .onConflict((known) => known.column('brandId').doUpdateSet({ name, nameKey, description }))
    .execute()
  return true
}

export async function isMessagingBrand(read: Reader, brandId: string): Promise<boolean> {
  const row = await read
    .selectFrom('registry_messaging_brands')
    .select('brandId')
    .where('brandId', '=', brandId)
    .executeTakeFirst()
  return row !== undefined
}

/** Stores a campaign or its new description; its start time stays. */
export async function saveMessagingCampaign(tx: Writer, row: MessagingCampaignRow): Promise<void> {
  const { description, className } = row
  await tx
    .insertInto('registry_messaging_campaigns')
    .values(row)
    .onConflict((known) => known.column('campaignId').doUpdateSet({ description, className }))
    .execute()
}

export async function findMessagingCampaign(
  read: Reader,
  campaignId: string,
): Promise<MessagingCampaignRow | undefined> {
  return await read
    .selectFrom('registry_messaging_campaigns')
    .selectAll()
    .where('campaignId', '=', campaignId)
    .executeTakeFirst()
}
