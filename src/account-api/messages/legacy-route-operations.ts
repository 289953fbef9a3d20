/** The routes of incoming and outgoing messages, in the legacy style. */

import { z } from '@hono/zod-openapi'
import { applyInOrder } from '../../platform/database/in-order.js'
import { maskedUrl } from '../../platform/url-passwords.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { message } from '../numbers/legacy-number-operations.js'
import { legacyNumbers, shownNumberField, shownTn } from '../numbers/number-fields.js'
import { NOT_HELD } from './legacy-messaging-operations.js'
import type { MessagingDeps } from './message-operations.js'
import { routeOf, routeOut, routesOf } from './messaging-operations.js'
import { readRouteIn, routeIn, routeInResource } from './route-in-fields.js'

const ROW = 'Route incoming / outgoing messages'

export function legacyRouteOperations(deps: MessagingDeps): AccountOperation[] {
  return [routeInOperation(deps), routeOutOperation(deps)]
}

const routed = z
  .object({ number: shownNumberField, route: shownText('Its route.') })
  .openapi('LegacyMessageRoute')
const numbers = z.array(routed).openapi({ description: 'What was changed.' })

interface Wanted {
  readonly number: string
  readonly route: string
}

/** Changes each number; a 409 names both parts when some were refused, and what was done stays done. */
async function routeEach<Item extends Wanted>(
  items: readonly Item[],
  change: (item: Item) => Promise<string | undefined>,
) {
  const done: Wanted[] = []
  const failed: { number: string; reason: string }[] = []
  const changes = await applyInOrder(items, ({ number: e164 }) => e164, change)
  for (const { item, result: reason } of changes) {
    const shown = shownTn(item.number)
    if (reason === undefined) done.push({ number: shown, route: maskedUrl(item.route) })
    else failed.push({ number: shown, reason })
  }
  const [first] = failed
  if (first === undefined) return { message: 'Route results', numbers: done }
  throw new ApiFailure(409, `Not every number was changed: ${first.number}: ${first.reason}`, {
    numbers_success: done,
    numbers_failed: failed,
  })
}

function routeInOperation({ messages }: MessagingDeps): AccountOperation {
  return legacy({
    id: 'legacyRouteIn',
    summary: 'Route the incoming messages of numbers',
    description: 'The next message obeys it, whatever the settings of the number say.',
    path: '/messaging/routein/',
    row: ROW,
    body: { numbers: legacyNumbers({ route: routeIn, resource: routeInResource.optional() }) },
    keys: { message, numbers },
    errors: [409],
    run: ({ caller, body }) =>
      routeEach(body.numbers, async ({ number: e164, route, resource }) => {
        const wanted = readRouteIn(route, resource)
        if (wanted !== null && 'problem' in wanted) return wanted.problem
        const refused = await messages.changeMessaging(caller.sid, e164, { routeIn: wanted })
        return refused === undefined ? undefined : NOT_HELD
      }),
  })
}

function routeOutOperation({ messages }: MessagingDeps): AccountOperation {
  return legacy({
    id: 'legacyRouteOut',
    summary: 'Route the outgoing messages of numbers',
    path: '/messaging/routeout/',
    row: ROW,
    body: { numbers: legacyNumbers({ route: routeOut }) },
    keys: { message, numbers },
    errors: [409],
    run: ({ caller, body }) =>
      routeEach(body.numbers, async ({ number: e164, route }) => {
        const change = { routeOut: routeOf(route) }
        const refused = await messages.changeMessaging(caller.sid, e164, change)
        if (refused === undefined) return undefined
        return refused === 'not-held' ? NOT_HELD : `The routes are ${routesOf(messages.routesOut)}`
      }),
  })
}
