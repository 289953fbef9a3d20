import type { Reader, Writer } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'
import { leaveCampaign } from '../leave-campaign.js'
import type { ProvisionedNumber } from '../model/ports.js'

/** Lists a campaign's current and former numbers, oldest first. */
export async function listNumbers(
  db: Reader,
  campaignId: string,
  isCurrent: boolean | undefined,
  page: OffsetPage,
): Promise<{ items: ProvisionedNumber[]; total: number }> {
  let query = db.selectFrom('registry_numbers').where('campaignId', '=', campaignId)
  if (isCurrent !== undefined) query = query.where('isCurrent', '=', Number(isCurrent))
  const { rows, total } = await readPage(query.selectAll().orderBy('id'), page)
  const items = rows.map((row) => ({
    phoneNumber: row.phoneNumber,
    nnid: row.nnid,
    provisionedAt: row.provisionedAt,
    isCurrent: row.isCurrent === 1,
    campaignId: row.campaignId,
  }))
  return { items, total }
}

/** Lists the numbers that currently send under the campaign. */
export async function currentNumbersOf(db: Reader, campaignId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('registry_numbers')
    .select('phoneNumber')
    .where('campaignId', '=', campaignId)
    .where('isCurrent', '=', 1)
    .execute()
  return rows.map((row) => row.phoneNumber)
}

/** Assigns the number to the campaign and removes it from any other. */
export async function moveNumber(
  tx: Writer,
  number: Omit<ProvisionedNumber, 'isCurrent'>,
): Promise<void> {
  await leaveCampaign(tx, number.phoneNumber)
  await tx
    .insertInto('registry_numbers')
    .values({
      campaignId: number.campaignId,
      phoneNumber: number.phoneNumber,
      nnid: number.nnid,
      provisionedAt: number.provisionedAt,
      isCurrent: 1,
    })
    .execute()
}

/** Finds the CSP whose campaign has the number now, with the row to release. */
export async function findCurrentNumber(
  db: Reader,
  e164: string,
): Promise<{ readonly id: number; readonly cspId: string } | undefined> {
  return db
    .selectFrom('registry_numbers')
    .innerJoin('registry_campaigns', 'registry_campaigns.campaignId', 'registry_numbers.campaignId')
    .select(['registry_numbers.id', 'cspId'])
    .where('phoneNumber', '=', e164)
    .where('isCurrent', '=', 1)
    .executeTakeFirst()
}

/** Resolves with the number's current or last campaign. */
export async function lastCampaignOf(
  db: Reader,
  e164: string,
): Promise<{ readonly campaignId: string; readonly isCurrent: boolean } | undefined> {
  const row = await db
    .selectFrom('registry_numbers')
    .select(['campaignId', 'isCurrent'])
    .where('phoneNumber', '=', e164)
    .orderBy('isCurrent', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { campaignId: row.campaignId, isCurrent: row.isCurrent === 1 }
}

export async function releaseNumber(tx: Writer, id: number): Promise<void> {
  await tx.updateTable('registry_numbers').set({ isCurrent: 0 }).where('id', '=', id).execute()
}

export async function releaseNumbersOf(tx: Writer, campaignId: string): Promise<void> {
  await tx
    .updateTable('registry_numbers')
    .set({ isCurrent: 0 })
    .where('campaignId', '=', campaignId)
    .execute()
}
