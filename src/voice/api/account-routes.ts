import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import type { Account, Accounts } from '../../accounts/accounts.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { ACCOUNT_FIELD_ERRORS, accountChangeOf, accountForm } from './account-form.js'
import { account, json, problem, security } from './documented.js'
import { notFound } from './errors.js'
import { parseForm, readBody } from './form.js'
import type { VoiceEnv } from './voice-env.js'

const ACCOUNT = `/${API_VERSION}/Accounts/{AccountSid}`
const SUBRESOURCES = [
  ...['AvailablePhoneNumbers', 'Calls', 'Conferences', 'IncomingPhoneNumbers', 'Notifications'],
  ...['OutgoingCallerIds', 'Recordings', 'Transcriptions', 'Addresses', 'SigningKeys'],
  ...['ConnectApps', 'SIP', 'AuthorizedConnectApps', 'Usage', 'Keys', 'Applications'],
  ...['SMS/ShortCodes', 'Queues', 'Messages', 'Balance'],
]

/** The account itself: GET and POST of its own record. */
export function addAccountRoutes(api: OpenAPIHono<VoiceEnv>, accounts: Accounts): void {
  for (const route of routes()) api.openAPIRegistry.registerPath(route)
  const path = ACCOUNT.replace('{AccountSid}', ':AccountSid')
  api.get(path, (c) => c.json(accountToWire(c.var.account), 200))
  api.post(path, async (c) => {
    const fields = readBody(await c.req.text(), c.req.header('content-type'))
    const form = parseForm(accountForm, fields, ACCOUNT_FIELD_ERRORS)
    const changed = await accounts.update(
      c.var.account.sid,
      accountChangeOf(form, fields, c.var.account.settings),
    )
    if (changed === undefined) throw notFound(c.req.path)
    return c.json(accountToWire(changed), 200)
  })
}

const accountResource = z
  .object({
    sid: z.string(),
    friendly_name: z.string(),
    status: z.enum(['active', 'suspended', 'closed']),
    type: z.literal('Full'),
    owner_account_sid: z.string(),
    date_created: z.string(),
    date_updated: z.string(),
    uri: z.string(),
    subresource_uris: z.record(z.string(), z.string()),
  })
  .openapi('Account')

function accountToWire(account: Account): z.infer<typeof accountResource> {
  const path = `/${API_VERSION}/Accounts/${account.sid}`
  return {
    sid: account.sid,
    friendly_name: account.friendlyName,
    status: account.status,
    type: 'Full',
    owner_account_sid: account.sid,
    date_created: rfc2822(new Date(account.createdAt)),
    date_updated: rfc2822(new Date(account.updatedAt)),
    uri: `${path}.json`,
    subresource_uris: Object.fromEntries(
      SUBRESOURCES.map((name) => [snake(name), `${path}/${name}.json`]),
    ),
  }
}

function snake(name: string): string {
  const last = name.split('/').at(-1) ?? name
  return last === 'SIP' ? 'sip' : last.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase()
}

function routes(): RouteConfig[] {
  const responses = { 200: json(accountResource, 'The account'), 401: problem }
  const content = {
    'application/x-www-form-urlencoded': { schema: accountForm },
    'application/json': { schema: accountForm },
  }
  return [
    createRoute({
      ...{ method: 'get', path: ACCOUNT, operationId: 'fetchAccount' },
      ...{ security, request: { params: account }, responses },
    }),
    createRoute({
      ...{ method: 'post', path: ACCOUNT, operationId: 'updateAccount' },
      ...{ security, request: { params: account, body: { content } }, responses },
    }),
  ]
}
