/**
 * The Notifications resource of an account and of a call. The lists are always empty: problems are
 * reported by callbacks and call events.
 */
import { z } from '@hono/zod-openapi'
import type { Calls } from '../calls/calls.js'
import { API_VERSION } from '../model/callback-params.js'
import { queryText } from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { unknownPath } from './dialect/voice-dialect.js'

const OF_ACCOUNT = '/Accounts/{AccountSid}/Notifications'
const OF_CALL = '/Accounts/{AccountSid}/Calls/{CallSid}/Notifications'
const params = { Sid: sid('NO', 'notification') }
const NOTHING = { items: [], total: 0 }

const notificationResource = z
  .object({ sid: said('The sid of the notification: NO and 32 hex digits.') })
  .openapi('Notification')

const query = z.object({
  Log: queryText('The level, 0 or 1; without effect.'),
  MessageDate: queryText('A day; without effect.'),
  'MessageDate<': queryText('A day; without effect.'),
  'MessageDate>': queryText('A day; without effect.'),
})

export function notificationOperations(calls: Pick<Calls, 'fetch'>): VoiceOperation[] {
  return [
    list({
      id: 'listNotifications',
      summary: 'List notifications; there are none',
      path: OF_ACCOUNT,
      name: 'notifications',
      record: notificationResource,
      query,
      run: ({ caller }) =>
        Promise.resolve({
          ...NOTHING,
          path: `/${API_VERSION}/Accounts/${caller.sid}/Notifications`,
        }),
    }),
    operation({
      id: 'fetchNotification',
      summary: 'Get a notification; there is none',
      method: 'get',
      path: `${OF_ACCOUNT}/{Sid}`,
      params,
      response: notificationResource,
      errors: [404],
      run: () => Promise.reject(unknownPath()),
    }),
    list({
      id: 'listCallNotifications',
      summary: 'List the notifications of a call; there are none',
      path: OF_CALL,
      name: 'notifications',
      record: notificationResource,
      query,
      errors: [404],
      run: async ({ caller, params: { CallSid } }) => {
        const call = await calls.fetch(caller.sid, CallSid)
        return {
          ...NOTHING,
          path: `/${API_VERSION}/Accounts/${caller.sid}/Calls/${call.sid}/Notifications`,
        }
      },
    }),
    operation({
      id: 'fetchCallNotification',
      summary: 'Get a notification of a call; there is none',
      method: 'get',
      path: `${OF_CALL}/{Sid}`,
      params,
      response: notificationResource,
      errors: [404],
      run: () => Promise.reject(unknownPath()),
    }),
  ]
}
