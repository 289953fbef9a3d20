import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import type { Account } from '../../accounts/accounts.js'
import { isInRanges } from '../../platform/cidr.js'
import type { Clock } from '../../platform/clock.js'
import { clientAddress } from '../../platform/http/client-address.js'
import { SourceLimit } from '../../platform/source-limit.js'
import { ApiError } from './errors.js'
import type { VoiceEnv } from './voice-env.js'

export interface GateLimits {
  /** Requests of one account in a second; twice as many may come at once. */
  readonly requestsPerSecond: number
  /** Addresses and CIDRs whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
}

/** Requests in progress at once; they are short, so more means that something does not keep up. */
const MAX_IN_PROGRESS = 1_000
/** Wrong credentials from one address: enough for whole offices of mistakes, too few to guess. */
const FAILURES = { perSecond: 20, burst: 200 }

/** Who may ask, and how often. */
export interface Gate {
  readonly bound: MiddlewareHandler<VoiceEnv>
  /** Throws for an account that asks too often, or from where it does not allow. */
  check(c: Context<VoiceEnv>, account: Account): void
  /** Throws what somebody with wrong credentials is told. */
  refuse(c: Context<VoiceEnv>): never
}

export function createGate(limits: GateLimits, clock: Clock): Gate {
  const { requestsPerSecond: perSecond, trustedProxies } = limits
  const accounts = new SourceLimit({ perSecond, burst: 2 * perSecond })
  const failures = new SourceLimit(FAILURES)
  let inProgress = 0
  const addressOf = (c: Context<VoiceEnv>) => {
    // A request that no socket brought comes from this process.
    const { incoming } = (c.env as Partial<HttpBindings> | undefined) ?? {}
    const peer = incoming?.socket.remoteAddress ?? ''
    return clientAddress(peer, c.req.header('x-forwarded-for'), trustedProxies)
  }
  return {
    bound: async (_c, next) => {
      if (inProgress >= MAX_IN_PROGRESS) throw new ApiError(503, 20503, 'Service unavailable')
      inProgress += 1
      try {
        await next()
      } finally {
        inProgress -= 1
      }
    },
    check: (c, account) => {
      const { allowCidr } = account.settings
      if (allowCidr.length > 0 && !isInRanges(addressOf(c), allowCidr))
        throw new ApiError(403, 20006, 'Access Denied')
      if (accounts.judge(account.sid, clock.monotonic()) !== 'admit')
        throw new ApiError(429, 20429, 'Too Many Requests')
    },
    refuse: (c) => {
      if (failures.judge(addressOf(c), clock.monotonic()) !== 'admit')
        throw new ApiError(429, 20429, 'Too Many Requests')
      throw new ApiError(401, 20003, 'Authenticate')
    },
  }
}
