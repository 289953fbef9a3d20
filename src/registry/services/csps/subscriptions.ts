import type { Writer } from '../../../platform/database/database.js'
import type { Outbound } from '../../../platform/http/outbound.js'
import { isWebUrl } from '../../../platform/http/web-url.js'
import {
  postEvent,
  type SignatureHeader,
  signedHeaders,
} from '../../../platform/outbox/signed-event.js'
import { newSecret } from '../../../platform/secrets.js'
import {
  MaskedPasswordError,
  maskedUrl,
  withKnownPassword,
} from '../../../platform/url-passwords.js'
import { categoryOf } from '../../events/emit.js'
import type { Core } from '../../model/core.js'
import { streamOf } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import { moveDeliveryState } from '../../storage/events.js'
import {
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  putSubscription,
} from '../../storage/subscriptions.js'

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
   * Creates or changes a subscription. A changed endpoint keeps its secret and receives undelivered
   * events at once.
   */
  put(cspId: string, category: string, endpoint: string): Promise<void>
  /** Removes a subscription and drops its undelivered events. RegistryError 502 when there is none. */
  remove(cspId: string, category: string): Promise<void>
  /**
   * Retries the failed events in their original order; resolves with their number. RegistryError
   * 502 without a subscription.
   */
  replay(cspId: string, category: string): Promise<number>
  /**
   * Sends a mock event. RegistryError 502 without a subscription of its category. Status 0 means no
   * answer.
   */
  sendMock(cspId: string, eventType: string, signal: AbortSignal): Promise<MockDelivery>
}

export interface DeliveryDeps {
  readonly outbound: Outbound
  readonly signatures: readonly SignatureHeader[]
}

export function createSubscriptions(core: Core, deps: DeliveryDeps): Subscriptions {
  const { db, vault } = core
  return {
    list: async (cspId) => {
      const rows = await listSubscriptions(db.read, cspId)
      return rows.map((row) => ({
        eventCategory: row.category,
        webhookEndpoint: maskedUrl(row.endpoint),
        signingSecret: vault.open(row.secretSealed),
      }))
    },
    put: async (cspId, category, endpoint) => {
      if (!isWebUrl(endpoint))
        throw refuse(501, ['webhookEndpoint'], 'an absolute http or https URL')
      await core.commit(async (tx) => {
        const before = await findSubscription(tx, cspId, category)
        const known = knownEndpoint(endpoint, before?.endpoint)
        const subscription = { category, endpoint: known, secretSealed: vault.seal(newSecret()) }
        await putSubscription(tx, cspId, subscription, core.clock.now())
        // The endpoint may work again: retry the waiting events at once.
        await core.events.makeDue(tx, streamOf(cspId, category))
      })
    },
    remove: async (cspId, category) => {
      await db.write(async (tx) => {
        if (!(await deleteSubscription(tx, cspId, category)))
          throw refuse(502, ['eventCategory'], `there is no subscription of ${category}`)
        await core.events.drop(tx, streamOf(cspId, category))
        await moveDeliveryState(tx, { cspId, category }, 'pending', 'dropped')
      })
    },
    replay: (cspId, category) => core.commit((tx) => replay(core, tx, cspId, category)),
    sendMock: (cspId, eventType, signal) => sendMock(core, deps, { cspId, eventType }, signal),
  }
}

/** The endpoint with its real password, when a client sends back the masked form. */
function knownEndpoint(endpoint: string, stored: string | undefined): string {
  try {
    return withKnownPassword(endpoint, stored)
  } catch (error) {
    if (error instanceof MaskedPasswordError) throw refuse(501, ['webhookEndpoint'], error.message)
    throw error
  }
}

async function replay(core: Core, tx: Writer, cspId: string, category: string): Promise<number> {
  if ((await findSubscription(tx, cspId, category)) === undefined)
    throw refuse(502, ['eventCategory'], `there is no subscription of ${category}`)
  await moveDeliveryState(tx, { cspId, category }, 'dead', 'pending')
  return core.events.replay(tx, streamOf(cspId, category))
}

async function sendMock(
  core: Core,
  { outbound, signatures }: DeliveryDeps,
  { cspId, eventType }: { readonly cspId: string; readonly eventType: string },
  signal: AbortSignal,
): Promise<MockDelivery> {
  if (core.tables.eventTypes[eventType] === undefined)
    throw refuse(501, ['eventType'], `there is no event type ${eventType}`)
  const category = categoryOf(core, eventType)
  const subscription = await findSubscription(core.db.read, cspId, category)
  if (subscription === undefined)
    throw refuse(502, ['eventType'], 'there is no subscription of its category')
  const body = JSON.stringify({ campaignId: 'CMOCK00', eventType })
  const secret = core.vault.open(subscription.secretSealed)
  const headers = signedHeaders(body, secret, core.clock.now(), signatures)
  const url = subscription.endpoint
  const sent = await postEvent(outbound, { url, body, headers }, signal)
  return {
    endpoint: maskedUrl(url),
    status: sent.status ?? 0,
    request: body,
    response: sent.error ?? sent.response,
  }
}
