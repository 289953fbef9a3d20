/** Routes of a number's inbound messages, in the REST style. */

import { z } from '@hono/zod-openapi'
import type { RouteIn } from '../../messages/route-in.js'
import { maskedUrl } from '../../platform/url-passwords.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { type AccountOperation, operation, rest } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { shownNumberField, shownTn } from '../numbers/number-fields.js'
import { numberOfPath, params } from '../numbers/number-operations.js'
import type { MessagingDeps } from './message-operations.js'
import { readResource, routeInResource, routeInType } from './route-in-fields.js'
import { NOT_HELD } from './send-message.js'

const PATH = '/numbers/{number}/sms'

const target = z
  .object({
    number: shownNumberField,
    type: routeInType,
    resource: shownText('The address of mail, the URL, or the softphone.'),
  })
  .openapi('MessageTarget')

export function routeInOperations({ messages }: MessagingDeps): AccountOperation[] {
  const setTo = async (accountSid: string, e164: string, routeIn: RouteIn | null) => {
    const refused = await messages.changeMessaging(accountSid, e164, { routeIn })
    if (refused !== undefined) throw new ApiFailure(404, NOT_HELD)
  }
  return [
    rest({
      id: 'getMessageTarget',
      summary: 'Show where the messages go that come to a number',
      method: 'get',
      path: PATH,
      params,
      data: target,
      errors: [404],
      run: async ({ caller, params: path }) => {
        const e164 = numberOfPath(path)
        const found = await messages.messagingOf(caller.sid, e164)
        if (found === undefined) throw new ApiFailure(404, NOT_HELD)
        if (found.routeIn === undefined)
          throw new ApiFailure(404, 'No delivery target is set: the settings of the number decide')
        return shownTarget(e164, found.routeIn)
      },
    }),
    rest({
      id: 'setMessageTarget',
      summary: 'Choose where the messages go that come to a number',
      description: 'The next message obeys it, whatever the settings of the number say.',
      method: 'put',
      path: PATH,
      params,
      body: z.strictObject({ type: routeInType, resource: routeInResource }),
      data: target,
      errors: [404],
      run: async ({ caller, params: path, body }) => {
        const e164 = numberOfPath(path)
        const routeIn = readResource(body.type, body.resource)
        if ('problem' in routeIn) throw new ApiFailure(400, `resource: ${routeIn.problem}`)
        await setTo(caller.sid, e164, routeIn)
        return shownTarget(e164, routeIn)
      },
    }),
    operation({
      id: 'removeMessageTarget',
      summary: 'Let the settings of a number decide where its messages go',
      method: 'delete',
      path: PATH,
      params,
      errors: [404],
      run: async ({ caller, params: path }) => {
        await setTo(caller.sid, numberOfPath(path), null)
      },
    }),
  ]
}

function shownTarget(e164: string, { type, resource }: RouteIn): z.infer<typeof target> {
  return { number: shownTn(e164), type, resource: maskedUrl(resource) }
}
