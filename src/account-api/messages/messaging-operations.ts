/** Messaging settings of numbers in the REST style. */
import { z } from '@hono/zod-openapi'
import type { RouteIn } from '../../messages/route-in.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { type AccountOperation, rest, type Styles } from '../dialect/rest-operation.js'
import { numberOfPath, params } from '../numbers/number-operations.js'
import { legacyMessagingOperations } from './legacy-messaging-operations.js'
import type { MessagingDeps } from './message-operations.js'
import {
  listedMessaging,
  listedNumbers,
  routeOf,
  routeOut,
  routesOf,
  shownMessaging,
  toMessaging,
} from './messaging-fields.js'
import { readRouteIn, routeIn, routeInResource } from './route-in-fields.js'
import { routeInOperations } from './route-in-operations.js'
import { NOT_HELD } from './send-message.js'

const PATH = '/numbers/{number}/messaging'

export function messagingOperations(deps: MessagingDeps): Styles {
  return {
    rest: [bulkOperation(deps), ...numberOperations(deps), ...routeInOperations(deps)],
    legacy: legacyMessagingOperations(deps),
  }
}

function bulkOperation(deps: MessagingDeps): AccountOperation {
  return rest({
    id: 'listMessaging',
    summary: 'Show what messaging sets on numbers',
    method: 'get',
    path: '/numbers/messaging',
    query: z.object({ numbers: listedNumbers }),
    data: z.object({
      numbers: z.array(listedMessaging).openapi({ description: 'What was asked for.' }),
    }),
    run: async ({ caller, query }) => {
      const numbers = []
      for (const e164 of query.numbers) numbers.push(await shownOf(deps, caller.sid, e164))
      return { numbers }
    },
  })
}

function numberOperations(deps: MessagingDeps): AccountOperation[] {
  const { messages } = deps
  return [
    rest({
      id: 'getMessaging',
      summary: 'Show what messaging sets on a number',
      method: 'get',
      path: PATH,
      params,
      data: shownMessaging,
      errors: [404],
      run: async ({ caller, params: path }) => await heldOf(deps, caller.sid, numberOfPath(path)),
    }),
    rest({
      id: 'changeMessaging',
      summary: 'Enable or disable the messages of a number, or route them',
      description: 'The next message obeys it.',
      method: 'patch',
      path: PATH,
      params,
      body: z.strictObject({
        enabled: z
          .boolean()
          .optional()
          .openapi({ description: 'False: the number sends and takes no message.' }),
        routeIn: routeIn.optional(),
        resource: routeInResource.optional(),
        routeOut: routeOut.optional(),
      }),
      data: shownMessaging,
      errors: [404],
      run: async ({ caller, params: path, body }) => {
        const e164 = numberOfPath(path)
        const wanted = wantedRouteIn(body)
        const refused = await messages.changeMessaging(caller.sid, e164, {
          ...(wanted === undefined ? {} : { routeIn: wanted }),
          ...(body.enabled === undefined ? {} : { isEnabled: body.enabled }),
          ...(body.routeOut === undefined ? {} : { routeOut: routeOf(body.routeOut) }),
        })
        if (refused === 'no-route')
          throw new ApiFailure(400, `routeOut: the routes are ${routesOf(messages.routesOut)}`)
        return await heldOf(deps, caller.sid, e164)
      },
    }),
  ]
}

/** The route that a body requests. Null is the default route; undefined keeps the number's route. */
function wantedRouteIn(body: {
  readonly routeIn?: string | undefined
  readonly resource?: string | undefined
}): RouteIn | null | undefined {
  if (body.routeIn === undefined) {
    if (body.resource === undefined) return undefined
    throw new ApiFailure(400, 'Field Required: routeIn')
  }
  const wanted = readRouteIn(body.routeIn, body.resource)
  if (wanted !== null && 'problem' in wanted)
    throw new ApiFailure(400, `routeIn: ${wanted.problem}`)
  return wanted
}

async function heldOf(deps: MessagingDeps, accountSid: string, e164: string) {
  const shown = await shownOf(deps, accountSid, e164)
  if (!shown.onAccount) throw new ApiFailure(404, NOT_HELD)
  return shown
}

async function shownOf({ campaigns, messages }: MessagingDeps, accountSid: string, e164: string) {
  const found = await messages.messagingOf(accountSid, e164)
  const permission = found?.permission
  const ids = permission !== undefined && 'campaignId' in permission ? [permission.campaignId] : []
  const [campaign] = await campaigns.find(accountSid, ids)
  const isCurrent = campaign?.numbers.includes(e164) === true
  return toMessaging(e164, found, isCurrent ? campaign : undefined, messages.routesOut)
}
