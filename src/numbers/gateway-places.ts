/** Judges where a gateway leads: to an IPv4 address that the address policy lets calls go to. */
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
/** The time in which the names of a gateway must be found. */
const LIMIT_MS = 5_000

/**
 * Resolves with the hosts in the form in which they are stored. Rejects with GatewayHostError when one
 * is no host, has no IPv4 address, or has one that calls may not be sent to.
 */
export type CheckGateway = (text: string) => Promise<string>

export function createGatewayCheck({ policy, resolve, log }: GatewayPlacesDeps): CheckGateway {
  const judge = createAddressPolicy(policy)
  const check = async ({ host, port = SIP_PORT }: GatewayHost, signal: AbortSignal) => {
    const addresses = isIPv4(host) ? [host] : await addressesOf(host, resolve, log, signal)
    const reached = addresses.filter((address) => isIPv4(address))
    if (reached.length === 0) throw new GatewayHostError(`${host} has no IPv4 address`)
    // One private address among public ones is the sign of a name that changes its mind.
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
