/** The Media resource of a message: list, fetch and content. */
import { z } from '@hono/zod-openapi'
import { mediaRedirect } from '../../messages/media-operations.js'
import type { Messages } from '../../messages/messages.js'
import { API_VERSION } from '../model/callback-params.js'
import { readTimeRange } from './dialect/date-filter.js'
import { queryText } from './dialect/form.js'
import { list, operation, sid, type VoiceOperation } from './dialect/operation.js'
import { mediaResource, mediaToWire } from './message-schemas.js'

export const MESSAGES = '/Accounts/{AccountSid}/Messages'

/** The sid of a message, with media or without. */
export const messageSid = z
  .string()
  .regex(/^(SM|MM)[0-9a-f]{32}$/)
  .openapi({ description: 'The sid of the message: SM or MM and 32 hex digits.' })

const MEDIA = `${MESSAGES}/{MessageSid}/Media` as const
const ONE = `${MEDIA}/{Sid}` as const
const params = { MessageSid: messageSid, Sid: sid('ME', 'media') }

export function messageMediaOperations(messages: Messages): VoiceOperation[] {
  return [
    list({
      id: 'listMessageMedia',
      summary: 'List the media of a message',
      path: MEDIA,
      name: 'media_list',
      record: mediaResource,
      params,
      query: z.object({
        DateCreated: queryText('Only media made on this day, or in this second.'),
        'DateCreated<': queryText('Only media made before.'),
        'DateCreated>': queryText('Only media made after.'),
      }),
      errors: [404],
      run: async ({ caller, params: { MessageSid }, http }, { offset, limit }) => {
        const { from = 0, before = Infinity } = readTimeRange(http.search, 'DateCreated')
        const { sid: message } = await messages.fetch(caller.sid, MessageSid)
        const media = await messages.mediaOf(caller.sid, message)
        const all = media.filter(({ createdAt }) => createdAt >= from && createdAt < before)
        const path = `/${API_VERSION}/Accounts/${caller.sid}/Messages/${message}/Media`
        const shown = all.slice(offset, offset + limit)
        return { items: shown.map(mediaToWire), total: all.length, path }
      },
    }),
    operation({
      id: 'fetchMessageMedia',
      summary: 'Get a media of a message, or its bytes',
      description: 'The resource as `.json` or `.xml`; without a suffix, a redirect to the bytes.',
      method: 'get',
      path: ONE,
      params,
      response: {
        mediaTypes: ['application/json', 'application/xml'],
        description: 'The resource, for a path with a suffix.',
        resource: mediaResource,
        further: { 307: { mediaTypes: [], description: 'A redirect to the bytes, without one.' } },
      },
      errors: [404],
      run: async ({ caller, params: { MessageSid, Sid }, http }) => {
        const media = await messages.fetchMedia(caller.sid, MessageSid, Sid)
        if (http.suffix === undefined) return mediaRedirect(messages.linkTo(media))
        return mediaToWire(media)
      },
    }),
    operation({
      id: 'deleteMessageMedia',
      summary: 'Delete a media of a message',
      method: 'delete',
      path: ONE,
      params,
      errors: [404],
      run: ({ caller, params: { MessageSid, Sid } }) =>
        messages.removeMedia(caller.sid, MessageSid, Sid),
    }),
  ]
}
