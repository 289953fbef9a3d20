import { z } from '@hono/zod-openapi'
import type { AccountGate } from '../../accounts/account-gate.js'
import type { Logins } from '../../accounts/logins.js'
import type { ApiRequest } from '../../platform/api/api-request.js'
import { legacy } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest } from '../dialect/rest-operation.js'
import { password, shownUsername } from '../fields.js'

const apikey = z.string().openapi({ description: 'The key of the account: 32 hex characters.' })
const credentials = { username: shownUsername.min(1).max(64), password }

/** Nothing changes, so an `Idempotency-Key` has no meaning here. */
const common = { isOpen: true, addressLimit: 'api-key', idempotency: 'none' } as const

export interface KeyDeps {
  readonly logins: Logins
  readonly accountGate: AccountGate
}

interface Credentials {
  readonly username: string
  readonly password: string
}

export function keyOperations(deps: KeyDeps): AccountOperation[] {
  return [
    rest({
      ...common,
      id: 'getApiKey',
      summary: 'Get the API key of an account by its username and password',
      method: 'post',
      path: '/account/api-key',
      aliases: ['/account/apikey'],
      row: 'Get API key',
      body: z.strictObject(credentials),
      data: z.object({ apikey }),
      errors: [401, 403],
      run: ({ body, http }) => keyOf(deps, body, http),
    }),
  ]
}

export function legacyKeyOperations(deps: KeyDeps): AccountOperation[] {
  return [
    legacy({
      ...common,
      id: 'legacyGetApiKey',
      summary: 'Get the API key of an account by its username and password',
      path: '/account/apikey/',
      row: 'Get API key (legacy)',
      body: credentials,
      keys: { apikey },
      errors: [401, 403],
      run: ({ body, http }) => keyOf(deps, body, http),
    }),
  ]
}

/** Wrong credentials count for the limit of failures that all APIs share. */
async function keyOf(
  { logins, accountGate }: KeyDeps,
  given: Credentials,
  http: ApiRequest,
): Promise<{ apikey: string }> {
  const named = await logins.authenticate(given.username, given.password)
  return { apikey: accountGate.admit(http, named).secret }
}
