/** The Keys resource and its older name SigningKeys, with the same keys. */
import { z } from '@hono/zod-openapi'
import type { AccountKey, AccountKeys } from '../../accounts/account-keys.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { optionalText } from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { positionOf } from './dialect/voice-paging.js'

const MAX_NAME_CHARS = 64
const ONE_LINE = /^[^\p{Cc}]*$/u

const keyForm = (schema: string) =>
  z
    .object({ FriendlyName: optionalText(ONE_LINE, 'must be one line', MAX_NAME_CHARS) })
    .openapi(schema)

const fieldErrors = { FriendlyName: { invalid: 20002 } }

const keyFields = {
  sid: said('The sid of the key: SK and 32 hex digits. It is the username of HTTP Basic.'),
  friendly_name: said('A name for people.'),
  date_created: said('When it was made, as in RFC 2822.'),
  date_updated: said('When it was last changed, as in RFC 2822.'),
}
const keyResource = z.object(keyFields).openapi('Key')
const newKeyResource = z
  .object({
    ...keyFields,
    secret: said('The password of HTTP Basic. It is shown in this answer only.'),
  })
  .openapi('NewKey')

/** One of the two collections: path, list name, and the word used in operation ids. */
interface Collection {
  readonly path: 'Keys' | 'SigningKeys'
  readonly name: 'keys' | 'signing_keys'
  readonly word: 'Key' | 'SigningKey'
}

export function keyOperations(keys: AccountKeys): VoiceOperation[] {
  const collections: readonly Collection[] = [
    { path: 'Keys', name: 'keys', word: 'Key' },
    { path: 'SigningKeys', name: 'signing_keys', word: 'SigningKey' },
  ]
  return collections.flatMap((each) => [...keysOfAccount(keys, each), ...oneKey(keys, each)])
}

function keysOfAccount(keys: AccountKeys, { path, name, word }: Collection): VoiceOperation[] {
  const collection = `/Accounts/{AccountSid}/${path}` as const
  return [
    operation({
      id: `create${word}`,
      summary: 'Make a key; only this answer shows its secret',
      method: 'post',
      path: collection,
      body: keyForm(`Create${word}`),
      fieldErrors,
      status: 201,
      response: newKeyResource,
      run: async ({ caller, body }) => {
        const { key, secret } = await keys.create(caller.sid, body.FriendlyName ?? '')
        return { ...keyToWire(key), secret }
      },
    }),
    list({
      id: `list${word}s`,
      summary: 'List keys, the newest first',
      path: collection,
      name,
      record: keyResource,
      run: async ({ caller }, page) => {
        const found = await keys.list(caller.sid, page)
        return {
          ...found,
          items: found.items.map(keyToWire),
          first: positionOf(found.items[0]),
          path: `/${API_VERSION}/Accounts/${caller.sid}/${path}`,
        }
      },
    }),
  ]
}

function oneKey(keys: AccountKeys, { path, word }: Collection): VoiceOperation[] {
  const one = `/Accounts/{AccountSid}/${path}/{Sid}` as const
  const params = { Sid: sid('SK', 'key') }
  return [
    operation({
      id: `fetch${word}`,
      summary: 'Get a key, without its secret',
      method: 'get',
      path: one,
      params,
      response: keyResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) => keyToWire(await keys.fetch(caller.sid, Sid)),
    }),
    operation({
      id: `update${word}`,
      summary: 'Rename a key',
      method: 'post',
      path: one,
      params,
      body: keyForm(`Update${word}`),
      fieldErrors,
      response: keyResource,
      errors: [404],
      run: async ({ caller, params: { Sid }, body: { FriendlyName: name } }) =>
        keyToWire(
          name === undefined
            ? await keys.fetch(caller.sid, Sid)
            : await keys.rename(caller.sid, Sid, name),
        ),
    }),
    operation({
      id: `delete${word}`,
      summary: 'Delete a key; it opens nothing any more',
      method: 'delete',
      path: one,
      params,
      errors: [404],
      run: ({ caller, params: { Sid } }) => keys.remove(caller.sid, Sid),
    }),
  ]
}

function keyToWire(key: AccountKey): z.infer<typeof keyResource> {
  return {
    sid: key.sid,
    friendly_name: key.friendlyName,
    date_created: rfc2822(new Date(key.createdAt)),
    date_updated: rfc2822(new Date(key.updatedAt)),
  }
}
