import type { AccountGate } from '../../../accounts/account-gate.js'
import type { Account, Accounts } from '../../../accounts/accounts.js'
import type { Gate } from '../../../platform/api/api.js'
import type { ApiRequest } from '../../../platform/api/api-request.js'
import { basicOf } from '../../../platform/api/authorization.js'
import { RefusedError } from '../../../platform/api/dialect.js'

const ACCOUNTS = '/Accounts/'

/**
 * Admits a request with HTTP Basic: the sid of an account and its secret, or the sid and the secret
 * of one of its keys. The path must name the same account.
 */
export function createVoiceGate(accounts: Accounts, accountGate: AccountGate): Gate<Account> {
  return createBasicGate(accounts, accountGate, (request, account) => {
    // An account of another customer looks like one that does not exist.
    if (accountOfPath(request.path) !== account.sid)
      throw new RefusedError({ type: 'unknown-path' })
  })
}

/**
 * Admits a request with HTTP Basic whose path need not name an account. `check` throws for an account
 * that the request is not for.
 */
export function createBasicGate(
  accounts: Accounts,
  accountGate: AccountGate,
  check: (request: ApiRequest, account: Account) => void = () => undefined,
): Gate<Account> {
  return {
    scheme: {
      name: 'account',
      definition: {
        type: 'http',
        scheme: 'basic',
        description:
          'Username: the AccountSid, or the sid of a key. Password: the secret of the account or the key.',
      },
    },
    identify: async (request) => {
      const given = basicOf(request)
      const known = given && (await accounts.authenticate(given.username, given.password))
      const account = accountGate.admit(request, known?.account)
      check(request, account)
      if (known?.keySid !== undefined && isForTheAccountsOwnSecret(request))
        throw new RefusedError({ type: 'key-not-enough' })
      return account
    },
    nameOf: ({ sid }) => sid,
    requestsPerSecond: ({ settings }) => settings.requestsPerSecond,
  }
}

/**
 * True for a request that changes the account's keys or settings. A key must not do that: whoever
 * stole it could otherwise make another one, which would outlive it.
 */
function isForTheAccountsOwnSecret({ method, path }: ApiRequest): boolean {
  if (method === 'GET' || accountOfPath(path) === undefined) return false
  const [, , , , resource] = path.split('/', 5)
  return resource === undefined || resource === 'Keys' || resource === 'SigningKeys'
}

/** The AccountSid in `/2010-04-01/Accounts/{AccountSid}/…`. */
function accountOfPath(path: string): string | undefined {
  const start = path.indexOf('/', 1)
  if (start < 0 || !path.startsWith(ACCOUNTS, start)) return undefined
  const from = start + ACCOUNTS.length
  const end = path.indexOf('/', from)
  const sid = end < 0 ? path.slice(from) : path.slice(from, end)
  return sid === '' ? undefined : sid
}
