import type { ApiRequest } from '../platform/api/api-request.js'
import { RefusedError } from '../platform/api/dialect.js'
import { countedNetwork, isInRanges } from '../platform/cidr.js'
import type { Clock } from '../platform/clock.js'
import { RememberedAddresses } from '../platform/remembered-addresses.js'
import { SourceLimit } from '../platform/source-limit.js'
import type { Account } from './accounts.js'

/** Wrong credentials from one address: enough for whole offices of mistakes, too few to guess. */
const FAILURES = { perSecond: 20, burst: 200 }

/**
 * The one gate of all public APIs. Each API reads credentials in its own form; this gate decides what
 * follows, and counts an address's failures over all of them.
 */
export class AccountGate {
  readonly #trustedProxies: readonly string[]
  readonly #clock: Clock
  readonly #failures = new SourceLimit(FAILURES)
  /** The peers of connections that have brought credentials of an account. */
  readonly #known = new RememberedAddresses()

  /** `trustedProxies`: addresses and CIDRs whose X-Forwarded-For is believed. */
  constructor(trustedProxies: readonly string[], clock: Clock) {
    this.#trustedProxies = trustedProxies
    this.#clock = clock
  }

  /**
   * The account that the credentials named. Throws RefusedError when they named none, when the account
   * is not active, or when its AllowCidr does not hold the caller's address.
   */
  admit(request: ApiRequest, account: Account | undefined): Account {
    if (account === undefined) throw this.#unauthenticated(request)
    if (account.status !== 'active') throw new RefusedError({ type: 'account-not-active' })
    const { allowCidr } = account.settings
    if (allowCidr.length > 0 && !isInRanges(this.addressOf(request), allowCidr))
      throw new RefusedError({ type: 'address-not-allowed' })
    this.#known.add(request.peer)
    return account
  }

  #unauthenticated(request: ApiRequest): RefusedError {
    const verdict = this.#failures.judge(
      countedNetwork(this.addressOf(request)),
      this.#clock.monotonic(),
    )
    return verdict === 'admit'
      ? new RefusedError({ type: 'unauthenticated' })
      : new RefusedError({ type: 'too-many-requests', waitSeconds: 1 })
  }

  /** True for the address of a connection that has brought the credentials of an active account. */
  isKnown(peer: string): boolean {
    return this.#known.has(peer)
  }

  /** True for the address of a proxy that the operator trusts. */
  isProxy(peer: string): boolean {
    return isInRanges(peer, this.#trustedProxies)
  }

  /** The address that a request comes from, behind the proxies that the operator trusts. */
  addressOf(request: ApiRequest): string {
    return clientAddress(request.peer, request.header('x-forwarded-for'), this.#trustedProxies)
  }
}

/**
 * Returns the address that a request comes from: the peer of the connection or, behind proxies that
 * the operator trusts, the last address of X-Forwarded-For that is not a proxy's. The header is
 * ignored when it comes from any other peer.
 */
function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly string[],
): string {
  const hops = [...(forwardedFor ?? '').split(',').map((hop) => hop.trim()), peer]
  for (const hop of hops.reverse()) {
    if (!isInRanges(hop, trustedProxies)) return hop === '' ? peer : hop
  }
  return peer
}
