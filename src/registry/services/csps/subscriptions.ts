import type { Writer } from '../../../platform/database/database.js'
import type { Outbound } from '../../../platform/http/outbound.js'
import { newSecret } from '../../../platform/secrets.js'
import { categoryOf } from '../../events/emit.js'
import { postEvent, signedHeaders } from '../../events/event-channel.js'
import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import { streamOf } from '../../model/subscribed-event.js'

export interface Subscription {
  readonly eventCategory: string
  readonly webhookEndpoint: string
  /** The key that signs the deliveries with HMAC-SHA-256. */
  readonly signingSecret: string
}

export interface MockDelivery {
  readonly endpoint: string
  readonly status: number
  readonly request: string
  readonly response: string
}

export interface Subscriptions {
  list(cspId: string): Promise<Subscription[]>
  /**
   * Makes or changes a subscription. A changed endpoint keeps its secret, and gets undelivered
   * events at once.
   */
  put(cspId: string, category: string, endpoint: string): Promise<void>
  /**
   * Removes a subscription and drops its undelivered events. RegistryError 502 when there is none.
   */
  remove(cspId: string, category: string): Promise<void>
  /**
   * Delivers the events again that were given up, in their old order; resolves with their number.
   * RegistryError 502 without a subscription.
   */
  replay(cspId: string, category: string): Promise<number>
  /**
   * Sends a mock event. RegistryError 502 without a subscription of its category. Status 0 means no
   * answer.
   */
  sendMock(cspId: string, eventType: string, signal: AbortSignal): Promise<MockDelivery>
}

export function createSubscriptions(core: Core, outbound: Outbound): Subscriptions {
  const { db, vault } = core
  return {
    list: async (cspId) => {
      const rows = await db.read
        .selectFrom('registry_subscriptions')
        .selectAll()
        .where('csp_id', '=', cspId)
        .orderBy('category')
        .execute()
      return rows.map((row) => ({
        eventCategory: row.category,
        webhookEndpoint: row.endpoint,
        signingSecret: vault.open(row.secret_sealed),
      }))
    },
    put: async (cspId, category, endpoint) => {
      if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
        throw refuse(501, ['webhookEndpoint'], 'an absolute http or https URL')
      await core.commit(async (tx) => {
        await tx
          .insertInto('registry_subscriptions')
          .values({
            csp_id: cspId,
            category,
            endpoint,
            secret_sealed: vault.seal(newSecret()),
            created_at: core.clock.now(),
          })
          .onConflict((conflict) =>
            conflict.columns(['csp_id', 'category']).doUpdateSet({ endpoint }),
          )
          .execute()
        // The endpoint may be repaired: events that wait for a retry are tried at once.
        await core.events.makeDue(tx, streamOf(cspId, category))
      })
    },
    remove: async (cspId, category) => {
      await db.write(async (tx) => {
        const result = await tx
          .deleteFrom('registry_subscriptions')
          .where('csp_id', '=', cspId)
          .where('category', '=', category)
          .executeTakeFirst()
        if (result.numDeletedRows === 0n)
          throw refuse(502, ['eventCategory'], `there is no subscription of ${category}`)
        await core.events.drop(tx, streamOf(cspId, category))
        await tx
          .updateTable('registry_events')
          .set({ delivery_state: 'dropped' })
          .where('csp_id', '=', cspId)
          .where('category', '=', category)
          .where('delivery_state', '=', 'pending')
          .execute()
      })
    },
    replay: (cspId, category) => core.commit((tx) => replay(core, tx, cspId, category)),
    sendMock: (cspId, eventType, signal) => sendMock(core, outbound, { cspId, eventType }, signal),
  }
}

async function replay(core: Core, tx: Writer, cspId: string, category: string): Promise<number> {
  const subscription = await tx
    .selectFrom('registry_subscriptions')
    .select('endpoint')
    .where('csp_id', '=', cspId)
    .where('category', '=', category)
    .executeTakeFirst()
  if (subscription === undefined)
    throw refuse(502, ['eventCategory'], `there is no subscription of ${category}`)
  await tx
    .updateTable('registry_events')
    .set({ delivery_state: 'pending' })
    .where('csp_id', '=', cspId)
    .where('category', '=', category)
    .where('delivery_state', '=', 'dead')
    .execute()
  return core.events.replay(tx, streamOf(cspId, category))
}

async function sendMock(
  core: Core,
  outbound: Outbound,
  { cspId, eventType }: { readonly cspId: string; readonly eventType: string },
  signal: AbortSignal,
): Promise<MockDelivery> {
  if (core.tables.eventTypes[eventType] === undefined)
    throw refuse(501, ['eventType'], `there is no event type ${eventType}`)
  const subscription = await core.db.read
    .selectFrom('registry_subscriptions')
    .selectAll()
    .where('csp_id', '=', cspId)
    .where('category', '=', categoryOf(core, eventType))
    .executeTakeFirst()
  if (subscription === undefined)
    throw refuse(502, ['eventType'], 'there is no subscription of its category')
  const body = JSON.stringify({ campaignId: 'CMOCK00', eventType })
  const secret = core.vault.open(subscription.secret_sealed)
  const headers = signedHeaders(body, secret, core.clock.now())
  const url = subscription.endpoint
  const sent = await postEvent(outbound, { url, body, headers }, signal)
  return {
    endpoint: url,
    status: sent.status ?? 0,
    request: body,
    response: sent.error ?? sent.response,
  }
}
