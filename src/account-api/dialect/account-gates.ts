import type { AccountGate } from '../../accounts/account-gate.js'
import type { Account, Accounts } from '../../accounts/accounts.js'
import type { Gate } from '../../platform/api/api.js'
import type { ApiRequest } from '../../platform/api/api-request.js'
import { bearerOf } from '../../platform/api/authorization.js'
import { ApiFailure } from './api-failure.js'

export interface GateDeps {
  readonly accounts: Pick<Accounts, 'findBySecret'>
  readonly accountGate: AccountGate
}

/** The API key of an account: its secret of 32 hex characters. */
const KEY = /^[0-9a-fA-F]{32}$/

/** Admits an active account that sends its API key as a Bearer token (RFC 6750 §2.1). */
export function createRestGate(deps: GateDeps): Gate<Account> {
  return {
    ...commonTo(deps.accountGate),
    scheme: {
      name: 'accountKey',
      definition: {
        type: 'http',
        scheme: 'bearer',
        description: 'The key of the account, as POST /v2.2/account/api-key answers it.',
      },
    },
    identify: async (request) => admitted(deps, request, bearerOf(request) ?? ''),
  }
}

/**
 * Admits an active account that sends its API key as a Bearer token, or as `apikey` in the body; the header
 * takes precedence.
 */
export function createLegacyGate(deps: GateDeps): Gate<Account> {
  return {
    ...commonTo(deps.accountGate),
    scheme: {
      name: 'legacyAccountKey',
      definition: {
        type: 'http',
        scheme: 'bearer',
        description: 'The key of the account; it may be in the body as `apikey` instead.',
      },
    },
    readsBody: true,
    identify: async (request, body) => {
      // A header without a token counts as absent: the body may have the key.
      const key = bearerOf(request) ?? keyOfBody(body)
      if (key === undefined) throw new ApiFailure(400, 'Field Required: apikey')
      return await admitted(deps, request, key)
    },
  }
}

/** Scope of an account's idempotency keys, shared by both styles. */
export function keysOf({ sid }: Pick<Account, 'sid'>): string {
  return `account ${sid}`
}

function commonTo(accountGate: AccountGate): Pick<Gate<Account>, 'nameOf' | 'nameOfAnyone'> {
  return {
    nameOf: keysOf,
    nameOfAnyone: (request) => `address ${accountGate.addressOf(request)}`,
  }
}

async function admitted(
  { accounts, accountGate }: GateDeps,
  request: ApiRequest,
  key: string,
): Promise<Account> {
  const named = KEY.test(key) ? await accounts.findBySecret(key.toLowerCase()) : undefined
  return accountGate.admit(request, named)
}

function keyOfBody(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('apikey' in body)) return undefined
  const { apikey } = body
  if (apikey === '' || apikey === null || apikey === undefined) return undefined
  if (typeof apikey !== 'string') throw new ApiFailure(400, 'apikey: a text is expected')
  return apikey
}
