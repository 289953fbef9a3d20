import type { AccountGate } from '../../../accounts/account-gate.js'
import type { Account, Accounts } from '../../../accounts/accounts.js'
import type { Gate } from '../../../platform/api/api.js'
import { bearerOf } from '../../../platform/api/bearer.js'
import { refuse } from '../../model/registry-error.js'
import type { Csp } from '../../storage/csps.js'

/** The secret of an account: 32 hex characters. */
const KEY = /^[0-9a-fA-F]{32}$/

/** Admits an active account that sends its secret as a Bearer token, as its CSP. */
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
        description: "The account's secret of 32 hex characters.",
      },
    },
    identify: async (request) => {
      const given = bearerOf(request) ?? ''
      const named = KEY.test(given) ? await accounts.findBySecret(given.toLowerCase()) : undefined
      return await cspOf(accountGate.admit(request, named))
    },
    admit: (csp, rate) => {
      if (rate === 'write' && csp.status !== 'ACTIVE') throw refuse(504, [], 'the CSP is suspended')
    },
    nameOf: ({ cspId }) => cspId,
  }
}
