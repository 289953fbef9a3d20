import { lookup, Resolver } from 'node:dns/promises'
import type { SipResolver } from '../model/stack-types.js'

/** Resolves services from DNS, and addresses as the system does, its hosts file included. */
export function systemResolver(timeoutMs: number): SipResolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
  return {
    srv: (name) => resolver.resolveSrv(name),
    addresses: async (name) => (await lookup(name, { all: true })).map((entry) => entry.address),
  }
}
