import type { Reader, Writer } from '../../platform/database/database.js'
import { type OffsetPage, readPage } from '../../platform/database/offset-page.js'
import type { Insertable, Selectable } from '../../platform/database/tables.js'
import type { RegistryAttemptsTable, RegistryEventsTable } from './tables/event-tables.js'

export type EventRow = Selectable<RegistryEventsTable>
export type DeliveryState = NonNullable<EventRow['deliveryState']>

export async function insertEvent(
  tx: Writer,
  event: Insertable<RegistryEventsTable>,
): Promise<void> {
  await tx.insertInto('registry_events').values(event).execute()
}

export interface EventFilter {
  readonly campaignId?: string | undefined
  readonly brandId?: string | undefined
}

/** Lists the events of a CSP, oldest first. */
export function listEvents(
  db: Reader,
  cspId: string,
  { campaignId, brandId }: EventFilter,
  page: OffsetPage,
): Promise<{ rows: EventRow[]; total: number }> {
  let query = db.selectFrom('registry_events').where('cspId', '=', cspId)
  if (campaignId !== undefined) query = query.where('campaignId', '=', campaignId)
  if (brandId !== undefined) query = query.where('brandId', '=', brandId)
  return readPage(query.selectAll().orderBy('id'), page)
}

export async function bodyOfEvent(db: Reader, eventId: string): Promise<string> {
  const { body } = await db
    .selectFrom('registry_events')
    .select('body')
    .where('eventId', '=', eventId)
    .executeTakeFirstOrThrow()
  return body
}

export async function saveDeliveryState(
  tx: Writer,
  eventId: string,
  state: DeliveryState,
): Promise<void> {
  await tx
    .updateTable('registry_events')
    .set({ deliveryState: state })
    .where('eventId', '=', eventId)
    .execute()
}

/** Changes the delivery state of a subscription's events from one value to another. */
export async function moveDeliveryState(
  tx: Writer,
  { cspId, category }: { readonly cspId: string; readonly category: string },
  from: DeliveryState,
  to: DeliveryState,
): Promise<void> {
  await tx
    .updateTable('registry_events')
    .set({ deliveryState: to })
    .where('cspId', '=', cspId)
    .where('category', '=', category)
    .where('deliveryState', '=', from)
    .execute()
}

export async function insertAttempt(
  tx: Writer,
  attempt: Insertable<RegistryAttemptsTable>,
): Promise<void> {
  await tx.insertInto('registry_attempts').values(attempt).execute()
}

/** Lists the delivery attempts of an event, oldest first. */
export function listAttempts(
  db: Reader,
  eventId: string,
): Promise<Selectable<RegistryAttemptsTable>[]> {
  return db
    .selectFrom('registry_attempts')
    .selectAll()
    .where('eventId', '=', eventId)
    .orderBy('id')
    .execute()
}
