import type { MiddlewareHandler } from 'hono'
import type { Accounts } from '../../accounts/accounts.js'
import { ApiError, notFound } from './errors.js'
import type { Gate } from './gate.js'
import type { VoiceEnv } from './voice-env.js'

const MAX_CREDENTIALS = 512

/** HTTP Basic: account sid and its secret; the path must name the same account. */
export function authenticate(accounts: Accounts, gate: Gate): MiddlewareHandler<VoiceEnv> {
  return async function authenticateAccount(c, next) {
    const given = readBasic(c.req.header('authorization'))
    const account = given && (await accounts.authenticate(given.username, given.password))
    if (account === undefined) return gate.refuse(c)
    if (account.status !== 'active') throw new ApiError(403, 20005, 'Account is not active')
    // Another tenant's account looks like none.
    if (c.req.param('AccountSid')?.toLowerCase() !== account.sid.toLowerCase())
      throw notFound(c.req.path)
    gate.check(c, account)
    c.set('account', account)
    return next()
  }
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
