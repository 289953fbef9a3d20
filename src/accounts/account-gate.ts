import type { ApiRequest } from '../platform/api/api-request.js'
import { RefusedError } from '../platform/api/dialect.js'
import { countedNetwork, isInRanges } from '../platform/cidr.js'
import type { Clock } from '../platform/clock.js'
import { RememberedAddresses } from '../platform/remembered-addresses.js'
import { SourceLimit } from '../platform/source-limit.js'
import type { Account } from './accounts.js'

/** Failed authentications per address: high enough for a whole office, too low for guessing. */
const FAILURES = { perSecond: 20, burst: 200 }

/**
 * Authorizes requests for all public APIs. Each API parses its own form of credentials; this gate checks the
 * account they name, and limits an address's failures across all APIs.
 */
export class AccountGate {
  readonly #trustedProxies: readonly string[]
  readonly #clock: Clock
  readonly #failures = new SourceLimit(FAILURES)
  /** Peer addresses of connections that have sent valid credentials. */
  readonly #known = new RememberedAddresses()

  /** `trustedProxies`: addresses and CIDRs whose X-Forwarded-For is trusted. */
  constructor(trustedProxies: readonly string[], clock: Clock) {
    this.#trustedProxies = trustedProxies
    this.#clock = clock
  }

  /**
   * Returns the account that the credentials named. Throws RefusedError when they named none, the account is
   * not active, or its AllowCidr does not contain the caller's address.
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

  /** True for a peer address that has sent valid credentials of an active account. */
  isKnown(peer: string): boolean {
    return this.#known.has(peer)
  }

  /** True for the address of a trusted proxy. */
  isProxy(peer: string): boolean {
    return isInRanges(peer, this.#trustedProxies)
  }

  /** Source address of a request, as seen by the trusted proxies. */
  addressOf(request: ApiRequest): string {
    return clientAddress(request.peer, request.header('x-forwarded-for'), this.#trustedProxies)
  }
}

/**
 * Returns the source address of a request: the peer of the connection or, behind trusted proxies, the last
 * address in X-Forwarded-For that is not a trusted proxy. The header is ignored from any other peer.
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
