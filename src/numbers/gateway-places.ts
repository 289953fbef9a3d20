/** Checks a gateway's addresses: IPv4, and allowed by the address policy. */
import { isIPv4 } from 'node:net'
import { linkAbort, withAbort } from '../platform/async/abort.js'
import { type AddressPolicy, createAddressPolicy } from '../platform/http/address-policy.js'
import type { Resolve } from '../platform/http/resolver.js'
import type { Logger } from '../platform/log.js'
import { GatewayHostError } from './gateway-errors.js'
import { type GatewayHost, readGatewayHosts, writeGatewayHosts } from './gateway-hosts.js'

export interface GatewayPlacesDeps {
  readonly policy: AddressPolicy
  readonly resolve: Resolve
  readonly log: Logger
}

const SIP_PORT = 5_060
/** Time limit for resolving a gateway's names, ms. */
const LIMIT_MS = 5_000

/**
 * Resolves with the hosts in canonical form. Rejects with GatewayHostError when one is malformed, has no IPv4
 * address, or has a forbidden one.
 */
export type CheckGateway = (text: string) => Promise<string>

export function createGatewayCheck({ policy, resolve, log }: GatewayPlacesDeps): CheckGateway {
  const judge = createAddressPolicy(policy)
  const check = async ({ host, port = SIP_PORT }: GatewayHost, signal: AbortSignal) => {
    const addresses = isIPv4(host) ? [host] : await addressesOf(host, resolve, log, signal)
    const reached = addresses.filter((address) => isIPv4(address))
    if (reached.length === 0) throw new GatewayHostError(`${host} has no IPv4 address`)
    // A private address among public ones suggests DNS rebinding.
    if (!addresses.every((address) => judge(address, port).isAllowed))
      throw new GatewayHostError(`${host} is not a public, routable address`)
  }
  return async (text) => {
    const hosts = readGatewayHosts(text)
    if (typeof hosts === 'string') throw new GatewayHostError(hosts)
    using limit = linkAbort([], { ms: LIMIT_MS, reason: () => new Error('no answer in time') })
    await Promise.all(hosts.map((host) => check(host, limit.signal)))
    return writeGatewayHosts(hosts)
  }
}

async function addressesOf(
  host: string,
  resolve: Resolve,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return await withAbort(resolve(host, signal), signal)
  } catch (err) {
    log.info({ err, host }, 'the host of a gateway was not found')
    return []
  }
}
