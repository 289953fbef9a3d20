/** Orders of numbers, in both styles. */
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { NumberOrders, OrderedNumbers } from '../../numbers/number-orders.js'
import type { ProviderOrders } from '../../numbers/provider-orders.js'
import { SYSTEM_ROUTES } from '../../numbers/system-routes.js'
import type { WantedNumber } from '../../numbers/take-number.js'
import type { ApiRequest } from '../../platform/api/api-request.js'
import type { Clock } from '../../platform/clock.js'
import { dollars } from '../account-billing.js'
import { keysOf } from '../dialect/account-gates.js'
import { ApiFailure, refuseFailed } from '../dialect/api-failure.js'
import { legacy, legacyOver } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest, type Styles } from '../dialect/rest-operation.js'
import { shownNumber, shownText } from '../fields.js'
import {
  campaignId,
  failedNumber,
  legacyNumbers,
  MAX_NUMBERS,
  number,
  route,
  shownNumberField,
  shownRoute,
  shownTn,
  wantedNumber,
} from './number-fields.js'
import { tnRequest } from './tn-list.js'

const ORDER_KEY = /^[A-Za-z0-9_-]{1,128}$/

const numbers = z
  .array(wantedNumber)
  .min(1)
  .max(MAX_NUMBERS)
  .openapi({ description: 'The numbers, at most 100.' })
const amountCharged = shownNumber('The DID rate of the account times the numbers, in dollars.')
const routed = z.object({ number: shownNumberField, route: shownRoute }).openapi('RoutedNumber')

const NOT_ALL = 'Not every number was added'

export interface OrderingDeps {
  readonly orders: NumberOrders
  /** Orders at the number provider; undefined when the local inventory has every number. */
  readonly providerOrders?: Pick<ProviderOrders, 'place'> | undefined
  readonly clock: Pick<Clock, 'now'>
}

export function orderOperations(deps: OrderingDeps): Styles {
  const operations = [orderOperation(deps), addOperation(deps)]
  return {
    rest: operations,
    legacy: legacyOver(operations, {
      id: 'legacyAddNumbers',
      does: 'addNumbers',
      path: '/numbers/add/',
      row: 'Add numbers',
      body: { numbers: addedNumbers },
      says: 'Numbers added',
      gives: {
        numbers: {
          of: 'numbers',
          schema: z.array(routed).openapi({ description: 'What was added.' }),
        },
      },
      refuses: { numbers_success: 'numbers', numbers_fail: 'failed' },
    }),
    numbering: [tnOrderOperation(deps)],
  }
}

const addedNumbers = legacyNumbers({
  route: route.optional(),
  campaignID: campaignId.optional(),
}).transform((all) =>
  all.map((each) => ({ ...each, e164: each.number, campaignId: each.campaignID })),
)

function orderOperation(deps: OrderingDeps): AccountOperation {
  return rest({
    id: 'orderNumbers',
    summary: 'Order numbers of the inventory',
    description:
      'What can be had is ordered, and `failed` names the rest. An Idempotency-Key has 1 to 128 characters: letters, digits, _ and -.',
    method: 'post',
    path: '/orders',
    row: 'Order numbers',
    status: 201,
    body: z.strictObject({ numbers }),
    data: z.object({
      amountCharged,
      numbersOrdered: z
        .array(z.string())
        .openapi({ description: 'The numbers that the account has got, ten digits each.' }),
      orderId: shownText('The name of the order, which is in the ledger.'),
      failed: z.array(failedNumber).openapi({ description: 'The numbers that it has not got.' }),
    }),
    errors: [402, 409, 502],
    prepare: async ({ caller, body, http }) => {
      checkOrderKey(http)
      return await placed(deps, caller, http, { wanted: body.numbers.map(withRoute) })
    },
    run: async ({ caller, body }, ready) => {
      const order = ready ?? (await ordered(deps, caller, { wanted: body.numbers.map(withRoute) }))
      return {
        amountCharged: dollars(order.charged),
        numbersOrdered: order.ordered.map(({ e164 }) => shownTn(e164)),
        orderId: order.id,
        failed: failuresOf(order),
      }
    },
  })
}

function addOperation(deps: OrderingDeps): AccountOperation {
  return rest({
    id: 'addNumbers',
    summary: 'Add numbers of the inventory to the account',
    description: 'What can be had is added; with anything else the answer is 409 and names both.',
    method: 'post',
    path: '/numbers',
    status: 201,
    body: z.strictObject({ numbers }),
    data: z.object({
      amountCharged,
      numbers: z.array(routed).openapi({ description: 'The numbers that were added.' }),
    }),
    errors: [402, 409, 502],
    prepare: ({ caller, body, http }) =>
      placed(deps, caller, http, { wanted: body.numbers.map(withRoute) }),
    run: async ({ caller, body }, ready) => {
      const order = ready ?? (await ordered(deps, caller, { wanted: body.numbers.map(withRoute) }))
      const added = {
        amountCharged: dollars(order.charged),
        numbers: order.ordered.map(routedOf),
      }
      const failed = failuresOf(order)
      refuseFailed(NOT_ALL, failed, { data: { ...added, failed } })
      return added
    },
  })
}

const tnFeature = z
  .object({
    messaging: z
      .object({ tnCampaign: campaignId.optional() })
      .optional()
      .openapi({ description: 'What its messages are sent for.' }),
  })
  .optional()
  .openapi({ description: 'What is set on the number.' })
const tnItem = z.object({ tn: number, route: route.optional(), tnFeature }).openapi('TnItem')
const tnOrder = tnRequest(tnItem, 'order', 'each with its route')

/** The order operation below `/v2`. */
function tnOrderOperation(deps: OrderingDeps): AccountOperation {
  return legacy({
    id: 'tnOrder',
    summary: 'Order numbers of the inventory',
    path: '/numbering/tnOrder/',
    aliases: ['/iNumbering/tnOrder/'],
    row: 'Order numbers',
    body: { tnOrder },
    keys: { orderId: shownText('The name of the order, which is in the ledger.') },
    errors: [402, 409, 502],
    prepare: ({ caller, body, http }) => placed(deps, caller, http, tnWanted(body.tnOrder)),
    run: async ({ caller, body }, ready) => {
      const order = ready ?? (await ordered(deps, caller, tnWanted(body.tnOrder)))
      const failed = failuresOf(order)
      const done = order.ordered.map(routedOf)
      refuseFailed(NOT_ALL, failed, {
        orderId: order.id,
        numbers_success: done,
        numbers_failed: failed,
      })
      return { orderId: order.id }
    },
  })
}

function tnWanted({ customerOrderReference: reference, tnList }: z.infer<typeof tnOrder>): Asked {
  const wanted = tnList.tnItem.map(({ tn, route: to, tnFeature: feature }) =>
    withRoute({ e164: tn, route: to, campaignId: feature?.messaging?.tnCampaign }),
  )
  return { wanted, reference }
}

function checkOrderKey(http: ApiRequest): void {
  const key = http.header('idempotency-key') ?? ''
  if (key !== '' && !ORDER_KEY.test(key))
    throw new ApiFailure(400, 'Idempotency-Key: 1 to 128 letters, digits, _ and - are expected')
}

interface Asked {
  readonly wanted: readonly WantedNumber[]
  /** The customer's reference; generated if absent. */
  readonly reference?: string | undefined
}

/**
 * Places an order at the number provider, before the request's own transaction. Undefined when the inventory
 * has every number, or there is no provider.
 */
async function placed(
  { providerOrders, clock }: OrderingDeps,
  caller: Account,
  http: ApiRequest,
  { wanted, reference }: Asked,
): Promise<OrderedNumbers | undefined> {
  const key = http.header('idempotency-key') ?? ''
  return await providerOrders?.place({
    accountSid: caller.sid,
    wanted,
    reference: referenceOf(caller, clock, reference),
    request: key === '' ? undefined : { caller: keysOf(caller), key },
  })
}

/** Orders numbers from the inventory. */
async function ordered(
  { orders, clock }: OrderingDeps,
  caller: Account,
  { wanted, reference }: Asked,
): Promise<OrderedNumbers> {
  return await orders.order(caller.sid, wanted, referenceOf(caller, clock, reference))
}

interface AskedNumber {
  readonly e164: string
  readonly route?: number | undefined
  readonly campaignId?: string | undefined
}

function withRoute({
  e164,
  route: to = SYSTEM_ROUTES.DID,
  campaignId: id,
}: AskedNumber): WantedNumber {
  return { e164, route: to, campaignId: id }
}

/** The reference of an order; by default the username and the time. */
function referenceOf(
  { profile }: Account,
  clock: Pick<Clock, 'now'>,
  given: string | undefined,
): string {
  return given === undefined || given === '' ? `${profile.username}-${clock.now()}` : given
}

function routedOf(each: { readonly e164: string; readonly route: number }) {
  return { number: shownTn(each.e164), route: each.route }
}

function failuresOf({ failed }: OrderedNumbers) {
  return failed.map(({ e164, refused }) => ({ number: shownTn(e164), reason: refused.reason }))
}
