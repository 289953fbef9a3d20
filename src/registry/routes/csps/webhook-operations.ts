import { z } from '@hono/zod-openapi'
import type { Tables } from '../../data/tables.js'
import { refuse } from '../../model/registry-error.js'
import type { History } from '../../services/csps/history.js'
import type { Subscriptions } from '../../services/csps/subscriptions.js'
import { described } from '../dialect/field-descriptions.js'
import { list, operation, type RegistryOperation } from '../dialect/operation.js'
import { queryText, timestamp } from '../dialect/schemas.js'

const SUBSCRIBABLE = ['BRAND', 'CSP', 'CAMPAIGN', 'INCIDENCE', 'VETTING'] as const
/** The categories that unsubscribing accepts; some of them have no events in this registry. */
const CATEGORIES = [
  'API_ACCOUNT',
  ...SUBSCRIBABLE,
  'DCA',
  'CONNECTION',
  'TRAFFIC',
  'ROUTING',
  'RESELLER',
  'ISSUE',
  'SUSPENSION_RULE',
  'VENDOR',
  'OTHER',
] as const

const subscription = z.object(
  described({
    eventCategory: z.enum(SUBSCRIBABLE),
    webhookEndpoint: z.string().min(1).max(255),
  }),
)
const category = z.object(described({ eventCategory: z.enum(CATEGORIES) }))
const mockResult = z.object(
  described({
    endpoint: z.string(),
    status: z.number().int(),
    request: z.string(),
    response: z.string(),
  }),
)

export function webhookOperations(
  subscriptions: Subscriptions,
  history: History,
  tables: Tables,
): RegistryOperation[] {
  return [
    ...listOperations(tables),
    ...subscriptionOperations(subscriptions),
    ...mockOperations(subscriptions),
    historyOperation(history),
  ]
}

function listOperations(tables: Tables): RegistryOperation[] {
  const types = Object.entries(tables.eventTypes).map(
    ([eventType, { eventCategory, description }]) => ({ eventType, description, eventCategory }),
  )
  return [
    operation({
      id: 'listEventCategories',
      summary: 'List the categories that webhooks can be subscribed to',
      method: 'get',
      path: '/webhook/eventCategory',
      row: 'List webhook event categories',
      response: z.array(z.string()),
      run: () => Promise.resolve(SUBSCRIBABLE),
    }),
    operation({
      id: 'listEventTypes',
      summary: 'List the types of events',
      method: 'get',
      path: '/webhook/eventType',
      row: 'List event types',
      response: z.array(
        z.object(
          described({ eventType: z.string(), description: z.string(), eventCategory: z.string() }),
        ),
      ),
      run: () => Promise.resolve(types),
    }),
  ]
}

function subscriptionOperations(subscriptions: Subscriptions): RegistryOperation[] {
  return [
    operation({
      id: 'subscribe',
      summary: 'Subscribe a webhook to a category of events',
      method: 'put',
      path: '/webhook/subscription',
      row: 'Subscribe to webhook',
      body: subscription,
      response: subscription,
      run: async ({ caller: csp, body }) => {
        await subscriptions.put(csp.cspId, body.eventCategory, body.webhookEndpoint)
        return body
      },
    }),
    operation({
      id: 'listSubscriptions',
      summary: 'List the subscriptions with their signing secrets',
      method: 'get',
      path: '/webhook/subscription',
      response: z.array(subscription.extend(described({ signingSecret: z.string() }))),
      run: ({ caller: csp }) => subscriptions.list(csp.cspId),
    }),
    operation({
      id: 'unsubscribe',
      summary: 'End the subscription to a category',
      method: 'delete',
      path: '/webhook/subscription',
      row: 'Unsubscribe',
      query: category,
      run: ({ caller: csp, query }) => subscriptions.remove(csp.cspId, query.eventCategory),
    }),
    operation({
      id: 'unsubscribeByPath',
      summary: 'End the subscription to the category in the path',
      method: 'delete',
      path: '/webhook/subscription/{eventCategory}',
      row: 'Unsubscribe',
      run: ({ caller: csp, params }) => subscriptions.remove(csp.cspId, categoryIn(params)),
    }),
    operation({
      id: 'replayDeliveries',
      summary: 'Deliver once more the events that were given up',
      description:
        'The events of the category whose last attempt has failed are delivered again, in their old ' +
        'order and before newer ones. An event that was given up more than a week ago is not.',
      method: 'post',
      path: '/webhook/subscription/{eventCategory}/replay',
      response: z.object(
        described(
          { events: z.number().int() },
          { events: 'How many events are delivered once more.' },
        ),
      ),
      run: async ({ caller: csp, params }) => ({
        events: await subscriptions.replay(csp.cspId, categoryIn(params)),
      }),
    }),
  ]
}

/** The category in a path. RegistryError 501 for an unknown one. */
function categoryIn({ eventCategory }: { readonly eventCategory: string }): string {
  if (CATEGORIES.some((each) => each === eventCategory)) return eventCategory
  throw refuse(501, ['eventCategory'], `one of ${CATEGORIES.join(', ')} is expected`)
}

function mockOperations(subscriptions: Subscriptions): RegistryOperation[] {
  return [
    operation({
      id: 'sendMockEvent',
      summary: 'Send an example of an event to its webhook',
      method: 'get',
      path: '/webhook/subscription/mock',
      row: 'Send mock event',
      query: z.object(described({ eventType: z.string().min(1).max(60) })),
      response: mockResult,
      run: ({ caller: csp, query, http }) =>
        subscriptions.sendMock(csp.cspId, query.eventType, http.signal),
    }),
    operation({
      id: 'sendMockEventByPath',
      summary: 'Send an example of the event in the path to its webhook',
      method: 'get',
      path: '/webhook/subscription/eventType/{eventType}/mock',
      row: 'Send mock event',
      response: mockResult,
      run: ({ caller: csp, params, http }) =>
        subscriptions.sendMock(csp.cspId, params.eventType, http.signal),
    }),
  ]
}

/** The event history, an addition to the convention: a CSP reads missed webhooks here. */
function historyOperation(history: History): RegistryOperation {
  const event = z.object(
    described({
      eventId: z.string(),
      eventType: z.string(),
      eventCategory: z.string(),
      date: timestamp(),
      body: z.unknown().openapi({ type: 'object', description: 'As it was sent.' }),
      delivery: z
        .object(
          described({
            state: z.string().openapi({ enum: ['pending', 'delivered', 'dead', 'dropped'] }),
            attempts: z
              .array(
                z.object(
                  described({
                    date: timestamp(),
                    endpoint: z.string(),
                    status: z.number().int().nullable(),
                    error: z.string().nullable(),
                    durationMs: z.number().int(),
                  }),
                ),
              )
              .readonly(),
          }),
        )
        .nullable(),
    }),
  )
  return list({
    id: 'listEvents',
    summary: 'List events and how their deliveries went',
    path: '/webhook/event',
    name: 'events',
    record: event,
    query: z.object(described({ campaignId: queryText(8), brandId: queryText(8) })),
    run: ({ caller: csp, query }, page) => history.list(csp.cspId, query, page),
  })
}
