import { isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { SipPeer } from '../model/stack-types.js'

/** The transport to a peer, and its address if known. */
export interface PeerPlace {
  readonly transport: SipPeer['transport']
  readonly address?: string
}

/**
 * Returns the addresses that reach a socket bound to `host`: `host` itself, or all for a wildcard.
 */
export function localAddresses(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host]
  const family = isIPv6(host) ? 'IPv6' : 'IPv4'
  const addresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter((entry) => entry.family === family && !entry.address.startsWith('fe80:'))
  const outside = addresses.filter((entry) => !entry.internal)
  const inside = addresses.filter((entry) => entry.internal)
  const found = [...outside, ...inside].map((entry) => entry.address)
  return found.length > 0 ? found : [host]
}

/** Returns our contact that a peer can reach: a loopback one for a peer on loopback, else another. */
export function contactFor(contacts: readonly SipPeer[], peer: SipPeer): SipPeer | undefined {
  const usable = contactsToward(contacts, peer)
  const isNear = isLoopback(peer.address)
  return usable.find((contact) => isLoopback(contact.address) === isNear) ?? usable[0]
}

/**
 * Returns the contacts with the peer's transport and address family. An unknown peer address counts
 * as the first contact's family.
 */
export function contactsToward(contacts: readonly SipPeer[], peer: PeerPlace): SipPeer[] {
  const usable = contacts.filter((contact) => contact.transport === peer.transport)
  const family = isIP(peer.address ?? '') || isIP(usable[0]?.address ?? '')
  return usable.filter((contact) => isIP(contact.address) === family)
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}
