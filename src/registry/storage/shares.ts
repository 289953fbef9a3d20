import type { Reader, Writer } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'

export type SharingStatus = 'PENDING' | 'ACCEPTED' | 'DECLINED'

/** One step of a campaign's sharing chain, from a CNP to the next one upstream. */
export interface Share {
  readonly id: number
  readonly campaignId: string
  readonly downstreamCnpId: string
  readonly upstreamCnpId: string
  readonly status: SharingStatus
  readonly rejectionCategory: readonly string[]
  readonly explanation?: string | undefined
  readonly sharedAt: number
  readonly statusAt: number
  readonly isMigration: boolean
  /** False once another share replaces it. */
  readonly isCurrent: boolean
}

export async function insertShare(tx: Writer, share: Omit<Share, 'id'>): Promise<Share> {
  const { id } = await tx
    .insertInto('registry_shares')
    .values({
      campaignId: share.campaignId,
      downstreamCnp: share.downstreamCnpId,
      upstreamCnp: share.upstreamCnpId,
      status: share.status,
      isMigration: Number(share.isMigration),
      isCurrent: Number(share.isCurrent),
      sharedAt: share.sharedAt,
      record: JSON.stringify(share),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...share, id }
}

export async function saveShare(tx: Writer, share: Share): Promise<Share> {
  await tx
    .updateTable('registry_shares')
    .set({
      status: share.status,
      isMigration: Number(share.isMigration),
      isCurrent: Number(share.isCurrent),
      record: JSON.stringify(share),
    })
    .where('id', '=', share.id)
    .execute()
  return share
}

function parse(row: { readonly id: number; readonly record: string }): Share {
  return { ...(JSON.parse(row.record) as Omit<Share, 'id'>), id: row.id } // written above only
}

/** The campaign's current shares, oldest first: its chain, and the chain of a migration. */
export async function sharesOf(db: Reader, campaignId: string): Promise<Share[]> {
  const rows = await db
    .selectFrom('registry_shares')
    .select(['id', 'record'])
    .where('campaignId', '=', campaignId)
    .where('isCurrent', '=', 1)
    .orderBy('id')
    .execute()
  return rows.map(parse)
}

export async function findShare(db: Reader, id: number): Promise<Share | undefined> {
  const row = await db
    .selectFrom('registry_shares')
    .select(['id', 'record'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? undefined : parse(row)
}

/** True when a campaign of the brand is, or ever was, shared with this CNP. */
export async function hasShareOfBrand(
  db: Reader,
  brandId: string,
  upstreamCnpId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('registry_shares')
    .select('id')
    .where('upstreamCnp', '=', upstreamCnpId)
    .where('campaignId', 'in', (select) =>
      select.selectFrom('registry_campaigns').select('campaignId').where('brandId', '=', brandId),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export interface ShareFilter {
  /** The statuses to list; an empty or absent list means all. */
  readonly statuses?: readonly SharingStatus[] | undefined
  readonly brandId?: string | undefined
  readonly downstreamCnpId?: string | undefined
  readonly upstreamCnpId?: string | undefined
  /** Earliest time of sharing, inclusive. */
  readonly from?: number | undefined
  /** Latest time of sharing, exclusive. */
  readonly before?: number | undefined
}

/** Lists the shares with a CNP (`upstreamCnp`) or by it (`downstreamCnp`). */
export async function listShares(
  db: Reader,
  side: 'upstreamCnp' | 'downstreamCnp',
  cnpId: string,
  filter: ShareFilter,
  page: OffsetPage,
): Promise<{ items: Share[]; total: number }> {
  let query = db.selectFrom('registry_shares').where(side, '=', cnpId).where('isCurrent', '=', 1)
  const { statuses = [], brandId, downstreamCnpId, upstreamCnpId, from, before } = filter
  if (statuses.length > 0) query = query.where('status', 'in', statuses)
  if (downstreamCnpId !== undefined) query = query.where('downstreamCnp', '=', downstreamCnpId)
  if (upstreamCnpId !== undefined) query = query.where('upstreamCnp', '=', upstreamCnpId)
  if (from !== undefined) query = query.where('sharedAt', '>=', from)
  if (before !== undefined) query = query.where('sharedAt', '<', before)
  if (brandId !== undefined)
    query = query.where('campaignId', 'in', (select) =>
      select.selectFrom('registry_campaigns').select('campaignId').where('brandId', '=', brandId),
    )
  const { rows, total } = await readPage(query.select(['id', 'record']).orderBy('id'), page)
  return { items: rows.map(parse), total }
}
