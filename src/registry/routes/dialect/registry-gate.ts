import type { AccountGate } from '../../../accounts/account-gate.js'
import type { Account, Accounts } from '../../../accounts/accounts.js'
import type { Gate } from '../../../platform/api/api.js'
import type { ApiRequest } from '../../../platform/api/api-request.js'
import { basicOf, bearerOf } from '../../../platform/api/authorization.js'
import { refuse } from '../../model/registry-error.js'
import type { Csp } from '../../storage/csps.js'

/** The secret of an account: 32 hex characters. */
const KEY = /^[0-9a-fA-F]{32}$/

/**
 * Admits an active account that sends its secret as a Bearer token, as its CSP. Clients of the public
 * registry send Basic: the sid of the account or of a key, and its secret.
 */
export function createRegistryGate(
  accounts: Accounts,
  accountGate: AccountGate,
  cspOf: (account: Account) => Promise<Csp>,
): Gate<Csp> {
  return {
    scheme: {
      name: 'registryKey',
      definition: {
        type: 'http',
        scheme: 'bearer',
        description:
          "The account's secret of 32 hex characters. HTTP Basic with the sid of the account, or of a key, and its secret is taken too.",
      },
    },
    identify: async (request) => {
      return await cspOf(accountGate.admit(request, await accountOf(request, accounts)))
    },
    admit: (csp, rate) => {
      if (rate === 'write' && csp.status !== 'ACTIVE') throw refuse(504, [], 'the CSP is suspended')
    },
    nameOf: ({ cspId }) => cspId,
  }
}

async function accountOf(request: ApiRequest, accounts: Accounts): Promise<Account | undefined> {
  const basic = basicOf(request)
  if (basic !== undefined)
    return (await accounts.authenticate(basic.username, basic.password))?.account
  const given = bearerOf(request) ?? ''
  return KEY.test(given) ? await accounts.findBySecret(given.toLowerCase()) : undefined
}
