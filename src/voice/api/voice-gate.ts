import type { Account, Accounts } from '../../accounts/accounts.js'
import type { Gate } from '../../platform/api/api.js'
import type { ApiRequest } from '../../platform/api/api-request.js'
import { RefusedError } from '../../platform/api/dialect.js'
import { isInRanges } from '../../platform/cidr.js'
import type { Clock } from '../../platform/clock.js'
import { clientAddress } from '../../platform/http/client-address.js'
import { SourceLimit } from '../../platform/source-limit.js'

export interface GateLimits {
  /** Requests of one account in a second; twice as many may come at once. */
  readonly requestsPerSecond: number
  /** Addresses and CIDRs whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
}

/** Wrong credentials from one address: enough for whole offices of mistakes, too few to guess. */
const FAILURES = { perSecond: 20, burst: 200 }
const MAX_CREDENTIALS = 512

/** HTTP Basic: the sid of an account and its secret; the path must name the same account. */
export function createVoiceGate(
  accounts: Accounts,
  limits: GateLimits,
  clock: Clock,
): Gate<Account> {
  const failures = new SourceLimit(FAILURES)
  const addressOf = (request: ApiRequest) =>
    clientAddress(request.peer, request.header('x-forwarded-for'), limits.trustedProxies)
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
      const account = given && (await accounts.authenticate(given.username, given.password))
      if (account === undefined) {
        if (failures.judge(addressOf(request), clock.monotonic()) !== 'admit')
          throw new RefusedError({ type: 'too-many-requests', waitSeconds: 1 })
        throw new RefusedError({ type: 'unauthenticated' })
      }
      if (account.status !== 'active') throw new RefusedError({ type: 'account-not-active' })
      // Another tenant's account looks like none.
      if (accountOfPath(request.path)?.toLowerCase() !== account.sid.toLowerCase())
        throw new RefusedError({ type: 'unknown-path' })
      const { allowCidr } = account.settings
      if (allowCidr.length > 0 && !isInRanges(addressOf(request), allowCidr))
        throw new RefusedError({ type: 'address-not-allowed' })
      return account
    },
    nameOf: ({ sid }) => sid,
  }
}

/** The second segment of `/2010-04-01/Accounts/{AccountSid}/…`. */
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
