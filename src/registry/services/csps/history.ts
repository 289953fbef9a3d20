import type { Selectable } from '../../../platform/database/tables.js'
import type { Core } from '../../model/core.js'
import type { RegistryEventsTable } from '../../storage/tables/event-tables.js'

export interface HistoryEvent {
  readonly eventId: string
  readonly eventType: string
  readonly eventCategory: string
  readonly date: string
  readonly body: unknown
  /** The state of the delivery; null when there was no subscription. */
  readonly delivery: Delivery | null
}

interface Delivery {
  readonly state: string
  readonly attempts: readonly {
    readonly date: string
    readonly endpoint: string
    readonly status: number | null
    readonly error: string | null
    readonly durationMs: number
  }[]
}

/** Every event of a CSP, oldest first, each with the state of its delivery. */
export interface History {
  list(
    cspId: string,
    filter: { readonly campaignId?: string | undefined; readonly brandId?: string | undefined },
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ items: HistoryEvent[]; total: number }>
}

export function createHistory(core: Core): History {
  return {
    list: async (cspId, { campaignId, brandId }, page) => {
      let query = core.db.read.selectFrom('registry_events').where('csp_id', '=', cspId)
      if (campaignId !== undefined) query = query.where('campaign_id', '=', campaignId)
      if (brandId !== undefined) query = query.where('brand_id', '=', brandId)
      const rows = await query
        .selectAll()
        .orderBy('id')
        .offset(page.offset)
        .limit(page.limit)
        .execute()
      const { count } = await query
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      const items: HistoryEvent[] = []
      for (const row of rows) {
        items.push({
          eventId: row.event_id,
          eventType: row.type,
          eventCategory: row.category,
          date: new Date(row.at).toISOString(),
          body: JSON.parse(row.body),
          delivery: await deliveryOf(core, row),
        })
      }
      return { items, total: count }
    },
  }
}

async function deliveryOf(
  core: Core,
  row: Selectable<RegistryEventsTable>,
): Promise<Delivery | null> {
  if (row.delivery_state === null) return null
  const attempts = await core.db.read
    .selectFrom('registry_attempts')
    .selectAll()
    .where('event_id', '=', row.event_id)
    .orderBy('id')
    .execute()
  return {
    state: row.delivery_state,
    attempts: attempts.map(({ at, endpoint, status, error, duration_ms: durationMs }) => ({
      date: new Date(at).toISOString(),
      endpoint,
      status,
      error,
      durationMs,
    })),
  }
}
