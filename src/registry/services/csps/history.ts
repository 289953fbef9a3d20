import type { OffsetPage } from '../../../platform/database/offset-page.js'
import { maskedUrl } from '../../../platform/url-passwords.js'
import type { Core } from '../../model/core.js'
import { type EventFilter, type EventRow, listAttempts, listEvents } from '../../storage/events.js'

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
    filter: EventFilter,
    page: OffsetPage,
  ): Promise<{ items: HistoryEvent[]; total: number }>
}

export function createHistory(core: Core): History {
  return {
    list: async (cspId, filter, page) => {
      const { rows, total } = await listEvents(core.db.read, cspId, filter, page)
      const items: HistoryEvent[] = []
      for (const row of rows) {
        items.push({
          eventId: row.eventId,
          eventType: row.type,
          eventCategory: row.category,
          date: new Date(row.at).toISOString(),
          body: JSON.parse(row.body),
          delivery: await deliveryOf(core, row),
        })
      }
      return { items, total }
    },
  }
}

async function deliveryOf(core: Core, row: EventRow): Promise<Delivery | null> {
  if (row.deliveryState === null) return null
  const attempts = await listAttempts(core.db.read, row.eventId)
  return {
    state: row.deliveryState,
    attempts: attempts.map(({ at, endpoint, status, error, durationMs }) => ({
      date: new Date(at).toISOString(),
      endpoint: maskedUrl(endpoint),
      status,
      error,
      durationMs,
    })),
  }
}
