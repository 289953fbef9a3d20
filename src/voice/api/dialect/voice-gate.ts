import type { AccountGate } from '../../../accounts/account-gate.js'
import type { Account, Accounts } from '../../../accounts/accounts.js'
import type { Gate } from '../../../platform/api/api.js'
import { RefusedError } from '../../../platform/api/dialect.js'

const MAX_CREDENTIALS = 512

/**
 * Admits a request with HTTP Basic: the sid of an account and its secret. The path must name the
 * same account.
 */
export function createVoiceGate(accounts: Accounts, accountGate: AccountGate): Gate<Account> {
  const gate = createBasicGate(accounts, accountGate)
  return {
    ...gate,
    identify: async (request) => {
      const account = await gate.identify(request)
      // An account of another customer looks like one that does not exist.
      if (accountOfPath(request.path)?.toLowerCase() !== account.sid.toLowerCase())
        throw new RefusedError({ type: 'unknown-path' })
      return account
    },
  }
}

/** Admits a request with HTTP Basic whose path names no account. */
export function createBasicGate(accounts: Accounts, accountGate: AccountGate): Gate<Account> {
  return {
    scheme: {
      name: 'account',
      definition: {
        type: 'http',
        scheme: 'basic',
        description: 'Username: the AccountSid. Password: its secret of 32 hex characters.',
      },
    },
    identify: async (request) => {
      const given = readBasic(request.header('authorization'))
      return accountGate.admit(
        request,
        given && (await accounts.authenticate(given.username, given.password)),
      )
    },
    nameOf: ({ sid }) => sid,
  }
}

/** The AccountSid in `/2010-04-01/Accounts/{AccountSid}/…`. */
function accountOfPath(path: string): string | undefined {
  const [, , collection, sid] = path.split('/', 4)
  return collection === 'Accounts' && sid !== '' ? sid : undefined
}

function readBasic(header: string | undefined): { username: string; password: string } | undefined {
  const [scheme, encoded] = (header ?? '').split(' ')
  if (
    scheme?.toLowerCase() !== 'basic' ||
    encoded === undefined ||
    encoded.length > MAX_CREDENTIALS
  ) {
    return undefined
  }
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  return colon < 0
    ? undefined
    : { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}
