import type { Reader, Writer } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'
import { leaveCampaign } from '../leave-campaign.js'
import type { ProvisionedNumber } from '../model/ports.js'

/** Lists the numbers that a campaign has or had, oldest first. */
export async function listNumbers(
  db: Reader,
  campaignId: string,
  isCurrent: boolean | undefined,
  page: OffsetPage,
): Promise<{ items: ProvisionedNumber[]; total: number }> {
  let query = db.selectFrom('registry_numbers').where('campaign_id', '=', campaignId)
  if (isCurrent !== undefined) query = query.where('is_current', '=', Number(isCurrent))
  const { rows, total } = await readPage(query.selectAll().orderBy('id'), page)
  const items = rows.map((row) => ({
    phoneNumber: row.phone_number,
    nnid: row.nnid,
    provisionedAt: row.provisioned_at,
    isCurrent: row.is_current === 1,
    campaignId: row.campaign_id,
  }))
  return { items, total }
}

/** The numbers that send under the campaign now. */
export async function currentNumbersOf(db: Reader, campaignId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('registry_numbers')
    .select('phone_number')
    .where('campaign_id', '=', campaignId)
    .where('is_current', '=', 1)
    .execute()
  return rows.map((row) => row.phone_number)
}

/** Puts the number under the campaign, and takes it from any other. */
export async function moveNumber(
  tx: Writer,
  number: Omit<ProvisionedNumber, 'isCurrent'>,
): Promise<void> {
  await leaveCampaign(tx, number.phoneNumber)
  await tx
    .insertInto('registry_numbers')
    .values({
      campaign_id: number.campaignId,
      phone_number: number.phoneNumber,
      nnid: number.nnid,
      provisioned_at: number.provisionedAt,
      is_current: 1,
    })
    .execute()
}

/** The CSP whose campaign has the number now, with the row to release. */
export async function findCurrentNumber(
  db: Reader,
  e164: string,
): Promise<{ readonly id: number; readonly cspId: string } | undefined> {
  return db
    .selectFrom('registry_numbers')
    .innerJoin(
      'registry_campaigns',
      'registry_campaigns.campaign_id',
      'registry_numbers.campaign_id',
    )
    .select(['registry_numbers.id', 'csp_id as cspId'])
    .where('phone_number', '=', e164)
    .where('is_current', '=', 1)
    .executeTakeFirst()
}

/** The campaign that the number has, or had last. */
export async function lastCampaignOf(
  db: Reader,
  e164: string,
): Promise<{ readonly campaignId: string; readonly isCurrent: boolean } | undefined> {
  const row = await db
    .selectFrom('registry_numbers')
    .select(['campaign_id as campaignId', 'is_current as isCurrent'])
    .where('phone_number', '=', e164)
    .orderBy('is_current', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { campaignId: row.campaignId, isCurrent: row.isCurrent === 1 }
}

export async function releaseNumber(tx: Writer, id: number): Promise<void> {
  await tx.updateTable('registry_numbers').set({ is_current: 0 }).where('id', '=', id).execute()
}

export async function releaseNumbersOf(tx: Writer, campaignId: string): Promise<void> {
  await tx
    .updateTable('registry_numbers')
    .set({ is_current: 0 })
    .where('campaign_id', '=', campaignId)
    .execute()
}
