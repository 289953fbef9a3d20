/** The gateways of an account, in both styles. */
import { z } from '@hono/zod-openapi'
import { FORWARDED_CALLERS, type ForwardedCaller } from '../../numbers/forwarded-caller.js'
import {
  GatewayConflictError,
  GatewayHostError,
  GatewayNotFoundError,
  SystemRouteError,
} from '../../numbers/gateway-errors.js'
import { MAX_GATEWAY_CHARS } from '../../numbers/gateway-hosts.js'
import type { CheckGateway } from '../../numbers/gateway-places.js'
import {
  DEFAULT_GATEWAY_LIMIT,
  type Gateway,
  type Gateways,
  MAX_GATEWAY_LIMIT,
} from '../../numbers/gateways.js'
import type { NumberWithSettings } from '../../numbers/number-settings.js'
import { ApiFailure, refuseFailed } from '../dialect/api-failure.js'
import { legacy, legacyOver, message } from '../dialect/legacy-operation.js'
import { type AccountOperation, operation, rest, type Styles } from '../dialect/rest-operation.js'
import { flag, shownNumber, shownText } from '../fields.js'
import { route } from '../numbers/number-fields.js'
import type { Numbering } from '../numbers/numbering.js'
import { numberToWire } from '../numbers/shown-number.js'

export interface GatewayDeps {
  readonly gateways: Gateways
  readonly checkGateway: CheckGateway
}

const id = z.string().openapi({ description: 'The number of a route.' })

const numberOnGateway = z
  .object({
    carrier: shownNumber('The carrier that brings its calls: always 1.'),
    faxEnabled: flag('True for a number that takes faxes.'),
    translated: shownText('The digits that the gateway is given in place of the number, if any.'),
    forward: flag('True while calls are forwarded.'),
    forwardTo: z
      .string()
      .nullable()
      .openapi({ description: 'The number that calls are forwarded to, in E.164; null: none.' }),
    number: shownText('The number, ten digits in North America.'),
    smsEnabled: flag('True for a number that sends and takes messages.'),
    cnam: flag("True while callers' names are looked up."),
  })
  .openapi('NumberOnGateway')

type NumberedGatewayDeps = GatewayDeps & Pick<Numbering, 'messages'>

const MAX_PREFIX = 20

const gatewayHosts = z.string().trim().min(1).max(MAX_GATEWAY_CHARS).openapi({
  description:
    'An IPv4 address or host name, with or without a port; several with commas are tried in order.',
})

const prefix = z
  .string()
  .regex(/^\d*$/, 'digits are expected')
  .max(MAX_PREFIX)
  .openapi({ description: 'The digits before the called number.' })

const limit = z
  .number()
  .int()
  .min(1)
  .max(MAX_GATEWAY_LIMIT)
  .openapi({
    description: `The calls to it that may be under way at once; ${DEFAULT_GATEWAY_LIMIT} unless set.`,
  })

const forwardedCaller = z.enum(FORWARDED_CALLERS).openapi({
  description:
    'The caller of a call that a number of the account forwards to it: from outside, or that number.',
})

const gatewayObject = z.object({
  id: shownNumber('The number of the route.'),
  gateway: shownText('Its hosts, with commas; the name of a system route.'),
  prefix: shownText('The digits before the called number.'),
  limit: shownNumber('The calls to it that may be under way at once.'),
  forwardedCaller: shownText('The caller of a forwarded call: `caller` or `number`.'),
  system: flag('True for a system route, which cannot be changed.'),
})

export function gatewayOperations(deps: NumberedGatewayDeps): Styles {
  const operations = [...gatewayReads(deps), ...gatewayWrites(deps)]
  const list = {
    id: 'legacyListGateways',
    does: 'listGateways',
    path: '/gateways/list/',
    row: ROW,
    gives: {
      gateways: { of: 'gateways', schema: shownGateways, names: { IP: 'gateway', route: 'id' } },
    },
  }
  return {
    rest: operations,
    legacy: [...legacyOver(operations, list), ...legacyWrites(deps)],
  }
}

function gatewayReads({ gateways, messages }: NumberedGatewayDeps): AccountOperation[] {
  return [
    rest({
      id: 'listGateways',
      summary: 'List the system routes and the gateways of the account',
      method: 'get',
      path: '/gateways',
      row: 'List gateways',
      data: z.object({
        gateways: z.array(gatewayObject).openapi({ description: 'The routes.' }),
      }),
      run: async ({ caller }) => ({
        gateways: (await gateways.list(caller.sid)).map(shownGateway),
      }),
    }),
    rest({
      id: 'getGateway',
      summary: 'Get a gateway or system route',
      method: 'get',
      path: '/gateways/{id}',
      row: 'Get gateway',
      params: { id },
      data: gatewayObject,
      errors: [404],
      run: async ({ caller, params }) =>
        shownGateway(await failing(gateways.fetch(caller.sid, idOf(params.id)))),
    }),
    rest({
      id: 'listGatewayNumbers',
      summary: 'List the numbers that are routed to a gateway or system route',
      method: 'get',
      path: '/gateways/{id}/numbers',
      row: 'Numbers on a gateway',
      params: { id },
      data: z.object({
        numbers: z.array(numberOnGateway).openapi({ description: 'The numbers.' }),
      }),
      errors: [404],
      run: async ({ caller, params }) => {
        const numbers = await failing(gateways.numbersOn(caller.sid, idOf(params.id)))
        const silent = await messages.disabledOf(caller.sid)
        return { numbers: numbers.map((held) => shownNumberOnGateway(held, silent)) }
      },
    }),
  ]
}

function gatewayWrites({ checkGateway, gateways }: GatewayDeps): AccountOperation[] {
  return [
    rest({
      id: 'addGateway',
      summary: 'Add a gateway',
      method: 'post',
      path: '/gateways',
      row: 'Add gateway',
      status: 201,
      body: z.strictObject({
        gateway: gatewayHosts,
        prefix: prefix.default(''),
        limit: limit.default(DEFAULT_GATEWAY_LIMIT),
        forwardedCaller: forwardedCaller.default('caller'),
      }),
      data: gatewayObject,
      errors: [409],
      prepare: ({ body }) => failing(checkGateway(body.gateway)),
      run: async ({ caller, body }, gateway) =>
        shownGateway(await failing(gateways.add(caller.sid, { ...body, gateway }))),
    }),
    rest({
      id: 'updateGateway',
      summary: 'Change a gateway',
      method: 'put',
      path: '/gateways/{id}',
      row: 'Update gateway',
      params: { id },
      body: z.strictObject({
        gateway: gatewayHosts.optional(),
        prefix: prefix.optional(),
        limit: limit.optional(),
        forwardedCaller: forwardedCaller.optional(),
      }),
      data: gatewayObject,
      errors: [404, 409],
      prepare: ({ body }) => checkedHosts(body, checkGateway),
      run: async ({ caller, params, body }, checked) => {
        const change = { ...named(body), ...checked }
        return shownGateway(await failing(gateways.update(caller.sid, idOf(params.id), change)))
      },
    }),
    operation({
      id: 'removeGateway',
      summary: 'Remove a gateway to which no number is routed',
      method: 'delete',
      path: '/gateways/{id}',
      row: 'Delete gateway',
      params: { id },
      errors: [404, 409],
      run: ({ caller, params }) => failing(gateways.remove(caller.sid, idOf(params.id))),
    }),
  ]
}

/** The id of a gateway in a path. Throws a 404 for a text that is no id. */
function idOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new ApiFailure(404, `there is no gateway ${text.slice(0, 20)}`)
  return Number(text)
}

/** The fields that are present in a change. */
function named(change: {
  readonly prefix?: string | undefined
  readonly limit?: number | undefined
  readonly forwardedCaller?: ForwardedCaller | undefined
}) {
  const { prefix: digits, limit: calls, forwardedCaller: shows } = change
  return {
    ...(digits === undefined ? {} : { prefix: digits }),
    ...(calls === undefined ? {} : { limit: calls }),
    ...(shows === undefined ? {} : { forwardedCaller: shows }),
  }
}

/** A gateway in the form of both styles. */
function shownGateway({ isSystem, ...gateway }: Gateway) {
  return { ...gateway, system: isSystem }
}

/** Converts a gateway error to an ApiFailure; returns any other error unchanged. */
function gatewayFailure(error: unknown): unknown {
  if (error instanceof GatewayNotFoundError) return new ApiFailure(404, error.message)
  if (error instanceof SystemRouteError) return new ApiFailure(403, error.message)
  if (error instanceof GatewayConflictError) return new ApiFailure(409, error.message)
  if (error instanceof GatewayHostError) return new ApiFailure(400, `gateway: ${error.message}`)
  return error
}

async function failing<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw gatewayFailure(error)
  }
}

/** The number in the form of every answer, without its route. */
function shownNumberOnGateway(held: NumberWithSettings, silent: ReadonlySet<string>) {
  const shown = numberToWire(held, silent)
  const { carrier, faxEnabled, translated, forward, forwardTo, ...others } = shown
  const { number, smsEnabled, cnam } = others
  return { carrier, faxEnabled, translated, forward, forwardTo, number, smsEnabled, cnam }
}

const ROW = 'Legacy gateway group'
/** Maximum number of gateways in one request. */
const MAX_ITEMS = 100

const shownRoute = shownNumber('The number of the route.')
const shownGateways = z
  .array(
    z
      .object({ IP: shownText('Its hosts; the name of a system route.'), route: shownRoute })
      .openapi('LegacyGateway'),
  )
  .openapi({ description: 'The gateways.' })

const itemsOf = <Shape extends z.ZodRawShape>(shape: Shape, description: string) =>
  z.array(z.object(shape)).min(1).max(MAX_ITEMS).openapi({ description })
const newGateways = itemsOf(
  { gateway: gatewayHosts, prefix: prefix.default(''), limit: limit.optional() },
  'The gateways that are added.',
)
const changedGateways = itemsOf(
  {
    route,
    gateway: gatewayHosts.optional(),
    prefix: prefix.optional(),
    limit: limit.optional(),
  },
  'The gateways that are changed, by their routes.',
)

/**
 * The legacy commands that change gateways. Each item is processed on its own: a refused item stops no other.
 */
function legacyWrites({ checkGateway, gateways }: GatewayDeps): AccountOperation[] {
  const shown = ({ gateway, id: own }: Gateway) => ({ IP: gateway, route: own })
  const common = { row: ROW, keys: { message, gateways: shownGateways }, errors: [409] }
  return [
    legacy({
      ...common,
      id: 'legacyAddGateways',
      summary: 'Add gateways',
      path: '/gateways/add/',
      body: { gateways: newGateways },
      prepare: ({ body }) => checkedAhead(body.gateways, checkGateway),
      run: async ({ caller, body }, hosts) => ({
        message: 'Gateways added',
        gateways: await eachOf(body.gateways, 'added', {
          work: async (wanted, index) => {
            const { limit: calls = DEFAULT_GATEWAY_LIMIT } = wanted
            const settings = { ...wanted, limit: calls, ...hosts[index]?.() }
            return shown(await gateways.add(caller.sid, settings))
          },
          named: ({ gateway }) => ({ gateway }),
        }),
      }),
    }),
    legacy({
      ...common,
      id: 'legacyUpdateGateways',
      summary: 'Change gateways',
      path: '/gateways/update/',
      body: { gateways: changedGateways },
      prepare: ({ body }) => checkedAhead(body.gateways, checkGateway),
      run: async ({ caller, body }, hosts) => ({
        message: 'Gateways updated',
        gateways: await eachOf(body.gateways, 'update', {
          work: async (wanted, index) => {
            const change = { ...named(wanted), ...hosts[index]?.() }
            return shown(await gateways.update(caller.sid, wanted.route, change))
          },
          named: routeOf,
        }),
      }),
    }),
    legacyRemoval(gateways),
  ]
}

function legacyRemoval(gateways: Gateways): AccountOperation {
  return legacy({
    row: ROW,
    errors: [409],
    id: 'legacyRemoveGateways',
    summary: 'Remove gateways to which no number is routed',
    path: '/gateways/remove/',
    body: { routes: itemsOf({ route }, 'The routes that are removed.') },
    keys: {
      message,
      routes: z
        .array(z.object({ route: shownRoute }).openapi('LegacyRemovedRoute'))
        .openapi({ description: 'The routes that were removed.' }),
    },
    run: async ({ caller, body }) => ({
      message: 'Gateways removed',
      routes: await eachOf(body.routes, 'removed', {
        work: async (wanted) => {
          await gateways.remove(caller.sid, wanted.route)
          return routeOf(wanted)
        },
        named: routeOf,
      }),
    }),
  })
}

const routeOf = ({ route: own }: { readonly route: number }) => ({ route: own })

interface WithHosts {
  readonly gateway?: string | undefined
}

/** Resolves with the checked hosts of a gateway; empty when none are named. */
async function checkedHosts({ gateway }: WithHosts, check: CheckGateway) {
  return gateway === undefined ? {} : { gateway: await failing(check(gateway)) }
}

/** Checks the hosts of all items in advance. A refusal is thrown when its item is processed. */
async function checkedAhead(items: readonly WithHosts[], check: CheckGateway) {
  return await Promise.all(
    items.map(async (item) => {
      try {
        const checked = await checkedHosts(item, check)
        return () => checked
      } catch (error) {
        const refusal = refusalOf(error)
        return () => {
          throw refusal
        }
      }
    }),
  )
}

/** Converts an error to the refusal of one item; throws any other error. */
function refusalOf(error: unknown): ApiFailure {
  const failure = gatewayFailure(error)
  if (failure instanceof ApiFailure) return failure
  throw error
}

/** Processes the items in order; a refused one does not stop the next. Throws ApiFailure if any was refused. */
async function eachOf<Item, Done>(
  items: readonly Item[],
  what: 'added' | 'update' | 'removed',
  of: {
    readonly work: (item: Item, index: number) => Promise<Done>
    readonly named: (item: Item) => object
  },
): Promise<readonly Done[]> {
  const done: Done[] = []
  const failed: { readonly reason: string }[] = []
  for (const [index, item] of items.entries()) {
    try {
      done.push(await of.work(item, index))
    } catch (error) {
      failed.push({ ...of.named(item), reason: refusalOf(error).message })
    }
  }
  const reasons = failed.map(({ reason }) => ({ reason }))
  const beside = { [`${what}_success`]: done, [`${what}_failed`]: failed }
  refuseFailed('Not every gateway was taken', reasons, beside)
  return done
}
