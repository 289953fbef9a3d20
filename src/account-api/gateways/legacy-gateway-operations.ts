/** The gateways of an account, in the legacy style. */
import { z } from '@hono/zod-openapi'
import { DEFAULT_GATEWAY_LIMIT, type Gateway } from '../../numbers/gateways.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { shownNumber, shownText } from '../fields.js'
import { route } from '../numbers/number-fields.js'
import type { GatewayDeps } from './gateway-operations.js'
import { gatewayFailure, gatewayHosts, limit, prefix } from './gateway-operations.js'

const ROW = 'Legacy gateway group'
/** The most gateways of one request. */
const MAX_ITEMS = 100

const message = shownText('What was done, for a person.')
const shownRoute = shownNumber('The number of the route.')
const shownGateways = z
  .array(
    z
      .object({ IP: shownText('Its hosts; the name of a system route.'), route: shownRoute })
      .openapi('LegacyGateway'),
  )
  .openapi({ description: 'The gateways.' })

const newGateways = z
  .array(z.object({ gateway: gatewayHosts, prefix: prefix.default(''), limit: limit.optional() }))
  .min(1)
  .max(MAX_ITEMS)
  .openapi({ description: 'The gateways that are added.' })
const changedGateways = z
  .array(
    z.object({
      route,
      gateway: gatewayHosts.optional(),
      prefix: prefix.optional(),
      limit: limit.optional(),
    }),
  )
  .min(1)
  .max(MAX_ITEMS)
  .openapi({ description: 'The gateways that are changed, by their routes.' })
const removedRoutes = z
  .array(z.object({ route }))
  .min(1)
  .max(MAX_ITEMS)
  .openapi({ description: 'The routes that are removed.' })

export function legacyGatewayOperations(deps: GatewayDeps): AccountOperation[] {
  const { checkGateway, gateways } = deps
  return [
    legacy({
      id: 'legacyListGateways',
      summary: 'List the system routes and the gateways of the account',
      path: '/gateways/list/',
      row: ROW,
      idempotency: 'none',
      keys: { gateways: shownGateways },
      run: async ({ caller }) => ({ gateways: (await gateways.list(caller.sid)).map(shown) }),
    }),
    legacy({
      id: 'legacyAddGateways',
      summary: 'Add gateways',
      path: '/gateways/add/',
      row: ROW,
      body: { gateways: newGateways },
      keys: { message, gateways: shownGateways },
      errors: [409],
      prepare: ({ body }) => judged(body.gateways, checkGateway),
      run: async ({ caller, body }, hosts) => {
        const outcomes = await inTurn(body.gateways, async (wanted, index) => {
          const { prefix: digits, limit: calls = DEFAULT_GATEWAY_LIMIT } = wanted
          const gateway = checked(hosts[index]) ?? wanted.gateway
          return shown(await gateways.add(caller.sid, { gateway, prefix: digits, limit: calls }))
        })
        return { message: 'Gateways added', gateways: allOf(outcomes, 'added', nameOf) }
      },
    }),
    legacy({
      id: 'legacyUpdateGateways',
      summary: 'Change gateways',
      path: '/gateways/update/',
      row: ROW,
      body: { gateways: changedGateways },
      keys: { message, gateways: shownGateways },
      errors: [409],
      prepare: ({ body }) => judged(body.gateways, checkGateway),
      run: async ({ caller, body }, hosts) => {
        const outcomes = await inTurn(body.gateways, async (wanted, index) => {
          const change = changeOf(wanted, checked(hosts[index]))
          return shown(await gateways.update(caller.sid, wanted.route, change))
        })
        return { message: 'Gateways updated', gateways: allOf(outcomes, 'update', routeOf) }
      },
    }),
    removeOperation(deps),
  ]
}

function removeOperation({ gateways }: Pick<GatewayDeps, 'gateways'>): AccountOperation {
  return legacy({
    id: 'legacyRemoveGateways',
    summary: 'Remove gateways to which no number is routed',
    path: '/gateways/remove/',
    row: ROW,
    body: { routes: removedRoutes },
    keys: {
      message,
      routes: z
        .array(z.object({ route: shownRoute }).openapi('LegacyRemovedRoute'))
        .openapi({ description: 'The routes that were removed.' }),
    },
    errors: [409],
    run: async ({ caller, body }) => {
      const outcomes = await inTurn(body.routes, async ({ route: id }) => {
        await gateways.remove(caller.sid, id)
        return { route: id }
      })
      return { message: 'Gateways removed', routes: allOf(outcomes, 'removed', routeOf) }
    },
  })
}

function shown({ gateway, id }: Pick<Gateway, 'gateway' | 'id'>) {
  return { IP: gateway, route: id }
}

const nameOf = ({ gateway }: { readonly gateway: string }) => ({ gateway })
const routeOf = ({ route: id }: { readonly route: number }) => ({ route: id })

/** The hosts of an item as they were checked; undefined when it names none. */
type Judged = { readonly hosts: string | undefined } | { readonly failure: ApiFailure }

/** Checks the hosts of each item; one that is refused does not stop the others. */
async function judged(
  items: readonly { readonly gateway?: string | undefined }[],
  check: GatewayDeps['checkGateway'],
): Promise<readonly Judged[]> {
  return await Promise.all(
    items.map(async ({ gateway }) => {
      try {
        return { hosts: gateway === undefined ? undefined : await check(gateway) }
      } catch (error) {
        return { failure: failureOf(error) }
      }
    }),
  )
}

function checked(hosts: Judged | undefined): string | undefined {
  if (hosts === undefined) return undefined
  if ('failure' in hosts) throw hosts.failure
  return hosts.hosts
}

function changeOf(
  wanted: { readonly prefix?: string | undefined; readonly limit?: number | undefined },
  gateway: string | undefined,
) {
  const change: { gateway?: string; prefix?: string; limit?: number } = {}
  if (gateway !== undefined) change.gateway = gateway
  if (wanted.prefix !== undefined) change.prefix = wanted.prefix
  if (wanted.limit !== undefined) change.limit = wanted.limit
  return change
}

type Outcome<Item, Done> =
  | { readonly type: 'done'; readonly done: Done }
  | { readonly type: 'failed'; readonly item: Item; readonly reason: string }

/** Does one item after the other; a refused one does not stop those after it. */
async function inTurn<Item, Done>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Done>,
): Promise<readonly Outcome<Item, Done>[]> {
  const outcomes: Outcome<Item, Done>[] = []
  for (const [index, item] of items.entries()) {
    try {
      outcomes.push({ type: 'done', done: await work(item, index) })
    } catch (error) {
      outcomes.push({ type: 'failed', item, reason: failureOf(error).message })
    }
  }
  return outcomes
}

/** The refusal of one item; throws any other error. */
function failureOf(error: unknown): ApiFailure {
  const failure = gatewayFailure(error)
  if (failure instanceof ApiFailure) return failure
  throw error
}

/** What was done. Throws a 409 that names both parts when some items were refused. */
function allOf<Item, Done>(
  outcomes: readonly Outcome<Item, Done>[],
  what: 'added' | 'update' | 'removed',
  nameItem: (item: Item) => object,
): Done[] {
  const done = outcomes.flatMap((each) => (each.type === 'done' ? [each.done] : []))
  const failed = outcomes.flatMap((each) =>
    each.type === 'failed' ? [{ ...nameItem(each.item), reason: each.reason }] : [],
  )
  const [first] = failed
  if (first === undefined) return done
  throw new ApiFailure(409, `Not every gateway was taken: ${first.reason}`, {
    [`${what}_success`]: done,
    [`${what}_failed`]: failed,
  })
}
