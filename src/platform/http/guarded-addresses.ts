import type { LookupFunction } from 'node:net'
import { withAbort } from '../async/abort.js'
import type { JudgeAddress } from './address-policy.js'
import type { Resolve } from './resolver.js'

/** The name leads to an address that the policy refuses; nothing was sent. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError'
  readonly address: string
  readonly range: string

  constructor(address: string, range: string) {
    super(`address ${address} (${range}) may not be contacted`)
    this.address = address
    this.range = range
  }
}

/**
 * Resolves the host's name once and judges every address it has: one refused address among good
 * ones is how a rebinding name server starts. The caller may connect only to the result (see
 * `pinnedLookup`).
 */
export async function guardedAddresses(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  guard: { readonly resolve: Resolve; readonly judge: JudgeAddress },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  const addresses = await withAbort(guard.resolve(host, signal), signal)
  for (const address of addresses) {
    const verdict = guard.judge(address, port)
    if (!verdict.isAllowed) throw new BlockedAddressError(address, verdict.range)
  }
  return addresses
}

/**
 * A `lookup` for `net.connect`, `tls.connect` and `ws` that answers `addresses` and asks no name
 * server.
 */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_hostname, options, callback) => {
    const [first] = entries
    if (first === undefined) callback(new Error('no address'), '', 0)
    else if (options.all === true) callback(null, entries)
    else callback(null, first.address, first.family)
  }
}
