/** The fields of a gateway, in both styles. */
import { z } from '@hono/zod-openapi'
import { FORWARDED_CALLERS } from '../../numbers/forwarded-caller.js'
import {
  GatewayConflictError,
  GatewayHostError,
  GatewayNotFoundError,
  SystemRouteError,
} from '../../numbers/gateway-errors.js'
import { MAX_GATEWAY_CHARS } from '../../numbers/gateway-hosts.js'
import { DEFAULT_GATEWAY_LIMIT, type Gateway, MAX_GATEWAY_LIMIT } from '../../numbers/gateways.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { flag, shownNumber, shownText } from '../fields.js'

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

export const forwardedCaller = z.enum(FORWARDED_CALLERS).openapi({
  description:
    'The caller of a call that a number of the account forwards to it: from outside, or that number.',
})

export const gatewayObject = z.object({
  id: shownNumber('The number of the route.'),
  gateway: shownText('Its hosts, with commas; the name of a system route.'),
  prefix: shownText('The digits before the called number.'),
  limit: shownNumber('The calls to it that may be under way at once.'),
  forwardedCaller: shownText('The caller of a forwarded call: `caller` or `number`.'),
  system: flag('True for a system route, which cannot be changed.'),
})

export function shownGateway({ isSystem, ...gateway }: Gateway) {
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

export async function failing<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw gatewayFailure(error)
  }
}
