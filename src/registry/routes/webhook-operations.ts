import { z } from '@hono/zod-openapi'
import type { Tables } from '../data/tables.js'
import type { History } from '../services/csps/history.js'
import type { Subscriptions } from '../services/csps/subscriptions.js'
import { type Operation, operation } from './operation.js'
import { pageQuery, queryText, recordSet, recordSetOf, timestamp } from './schemas.js'

const TEST = 'events.test.ts'

const SUBSCRIBABLE = ['BRAND', 'CSP', 'CAMPAIGN', 'INCIDENCE', 'VETTING'] as const
/** What unsubscribing accepts: also what no event has here. */
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

const subscription = z.object({
  eventCategory: z.enum(SUBSCRIBABLE),
  webhookEndpoint: z.string().min(1).max(255),
})
const category = z.object({ eventCategory: z.enum(CATEGORIES) })
const mockResult = z.object({
  endpoint: z.string(),
  status: z.number().int(),
  request: z.string(),
  response: z.string(),
})

export function webhookOperations(
  subscriptions: Subscriptions,
  history: History,
  tables: Tables,
): Operation[] {
  return [
    ...listOperations(tables),
    ...subscriptionOperations(subscriptions),
    ...mockOperations(subscriptions),
    historyOperation(history),
  ]
}

function listOperations(tables: Tables): Operation[] {
  const types = Object.entries(tables.eventTypes).map(
    ([eventType, { eventCategory, description }]) => ({ eventType, description, eventCategory }),
  )
  return [
    operation({
      id: 'listEventCategories',
      method: 'get',
      path: '/webhook/eventCategory',
      row: 'List webhook event categories',
      test: TEST,
      response: z.array(z.string()),
      run: () => Promise.resolve(SUBSCRIBABLE),
    }),
    operation({
      id: 'listEventTypes',
      method: 'get',
      path: '/webhook/eventType',
      row: 'List event types',
      test: TEST,
      response: z.array(
        z.object({ eventType: z.string(), description: z.string(), eventCategory: z.string() }),
      ),
      run: () => Promise.resolve(types),
    }),
  ]
}

function subscriptionOperations(subscriptions: Subscriptions): Operation[] {
  return [
    operation({
      id: 'subscribe',
      method: 'put',
      path: '/webhook/subscription',
      row: 'Subscribe to webhook',
      test: TEST,
      body: subscription,
      response: subscription,
      run: async ({ csp, body }) => {
        await subscriptions.put(csp.cspId, body.eventCategory, body.webhookEndpoint)
        return body
      },
    }),
    operation({
      id: 'listSubscriptions',
      method: 'get',
      path: '/webhook/subscription',
      test: TEST,
      response: z.array(subscription.extend({ signingSecret: z.string() })),
      run: ({ csp }) => subscriptions.list(csp.cspId),
    }),
    operation({
      id: 'unsubscribe',
      method: 'delete',
      path: '/webhook/subscription',
      row: 'Unsubscribe',
      test: TEST,
      query: category,
      run: ({ csp, query }) => subscriptions.remove(csp.cspId, query.eventCategory),
    }),
    operation({
      id: 'unsubscribeByPath',
      method: 'delete',
      path: '/webhook/subscription/{eventCategory}',
      row: 'Unsubscribe',
      test: TEST,
      run: ({ csp, param }) => subscriptions.remove(csp.cspId, param('eventCategory')),
    }),
  ]
}

function mockOperations(subscriptions: Subscriptions): Operation[] {
  return [
    operation({
      id: 'sendMockEvent',
      method: 'get',
      path: '/webhook/subscription/mock',
      row: 'Send mock event',
      test: TEST,
      query: z.object({ eventType: z.string().min(1).max(60) }),
      response: mockResult,
      run: ({ csp, query, signal }) => subscriptions.sendMock(csp.cspId, query.eventType, signal),
    }),
    operation({
      id: 'sendMockEventByPath',
      method: 'get',
      path: '/webhook/subscription/eventType/{eventType}/mock',
      row: 'Send mock event',
      test: TEST,
      response: mockResult,
      run: ({ csp, param, signal }) =>
        subscriptions.sendMock(csp.cspId, param('eventType'), signal),
    }),
  ]
}

/** Not of the convention: so that nothing is lost to who missed a webhook. */
function historyOperation(history: History): Operation {
  const event = z.object({
    eventId: z.string(),
    eventType: z.string(),
    eventCategory: z.string(),
    date: timestamp(),
    body: z.record(z.string(), z.unknown()),
    delivery: z
      .object({
        state: z.enum(['pending', 'delivered', 'dead', 'dropped']),
        attempts: z.array(
          z.object({
            date: timestamp(),
            endpoint: z.string(),
            status: z.number().int().nullable(),
            error: z.string().nullable(),
            durationMs: z.number().int(),
          }),
        ),
      })
      .nullable(),
  })
  return operation({
    id: 'listEvents',
    method: 'get',
    path: '/webhook/event',
    test: TEST,
    query: pageQuery.extend({ campaignId: queryText(8), brandId: queryText(8) }),
    response: recordSet(event),
    run: async ({ csp, query: { page, recordsPerPage, ...filter } }) => {
      const paging = { offset: (page - 1) * recordsPerPage, limit: recordsPerPage }
      const found = await history.list(csp.cspId, filter, paging)
      return recordSetOf({ page, recordsPerPage }, found)
    },
  })
}
