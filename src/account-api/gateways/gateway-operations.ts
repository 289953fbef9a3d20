/** The gateways of an account, in the REST style. */
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
import { ApiFailure } from '../dialect/api-failure.js'
import { type AccountOperation, operation, rest } from '../dialect/rest-operation.js'
import { flag, shownNumber, shownText } from '../fields.js'
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

export const gatewayHosts = z.string().trim().min(1).max(MAX_GATEWAY_CHARS).openapi({
  description:
    'An IPv4 address or host name, with or without a port; several with commas are tried in order.',
})

export const prefix = z
  .string()
  .regex(/^\d*$/, 'digits are expected')
  .max(MAX_PREFIX)
  .openapi({ description: 'The digits before the called number.' })

export const limit = z
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

export function gatewayOperations(deps: NumberedGatewayDeps): AccountOperation[] {
  return [...gatewayReads(deps), ...gatewayWrites(deps)]
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
      prepare: async ({ body }) =>
        body.gateway === undefined ? {} : { gateway: await failing(checkGateway(body.gateway)) },
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

/** A text that is no id names nothing. */
function idOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new ApiFailure(404, `there is no gateway ${text.slice(0, 20)}`)
  return Number(text)
}

/** The fields that a change names. */
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

/** A gateway as both styles show it. */
function shownGateway({ isSystem, ...gateway }: Gateway) {
  return { ...gateway, system: isSystem }
}

/** The refusal of a gateway in the words of the API; any other error as it is. */
export function gatewayFailure(error: unknown): unknown {
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

/** The number as every answer shows it, without what says where it is routed. */
function shownNumberOnGateway(held: NumberWithSettings, silent: ReadonlySet<string>) {
  const shown = numberToWire(held, silent)
  const { carrier, faxEnabled, translated, forward, forwardTo, ...others } = shown
  const { number, smsEnabled, cnam } = others
  return { carrier, faxEnabled, translated, forward, forwardTo, number, smsEnabled, cnam }
}
