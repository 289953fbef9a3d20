/** Lists changes that the upstream registry has refused permanently; they are stored as events. */
import type { Reader } from '../../platform/database/database.js'
import { literal } from '../../platform/database/literal.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'

export const UPSTREAM_CHANGE_REFUSED = 'UPSTREAM_CHANGE_REFUSED'

export interface UpstreamRefusalRecord {
  readonly cspId: string
  readonly brandId: string | null
  readonly campaignId: string | null
  /** The change that was refused, such as `UPDATE_BRAND`. */
  readonly change: string
  readonly explanation: string
  readonly at: number
}

export interface UpstreamRefusalFilter {
  readonly cspId?: string | undefined
  readonly brandId?: string | undefined
  readonly campaignId?: string | undefined
}

/** Lists a page of all CSPs' refusals, oldest first. */
export async function listUpstreamRefusals(
  db: Reader,
  { cspId, brandId, campaignId }: UpstreamRefusalFilter,
  page: OffsetPage,
): Promise<{ items: UpstreamRefusalRecord[]; total: number }> {
  // A literal, since the partial index covers only these events and a parameter would not match it.
  let query = db.selectFrom('registry_events').where('type', '=', literal(UPSTREAM_CHANGE_REFUSED))
  if (cspId !== undefined) query = query.where('cspId', '=', cspId)
  if (brandId !== undefined) query = query.where('brandId', '=', brandId)
  if (campaignId !== undefined) query = query.where('campaignId', '=', campaignId)
  const { rows, total } = await readPage(query.selectAll().orderBy('id'), page)
  const items = rows.map((row) => {
    const { change, explanation } = JSON.parse(row.body) as UpstreamRefusalRecord // the event's keys
    const { cspId, brandId, campaignId, at } = row
    return {
      cspId,
      brandId,
      campaignId,
      change,
      explanation,
      at,
    }
  })
  return { items, total }
}
