import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { linkAbort, reasonOf, withAbort } from '../async/abort.js'
import type { JudgeAddress } from './address-policy.js'
import { kindOfConnectFailure, OutboundError } from './outbound-error.js'
import type { Resolve } from './resolver.js'

/** The host has an address that the policy refuses; nothing was sent. */
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

export interface SocketGuard {
  readonly resolve: Resolve
  readonly judge: JudgeAddress
  /** PEM certificates to trust instead of the system's list. */
  readonly ca?: string
}

/** Time after which the next address of the same host is tried too, ms. */
const NEXT_ADDRESS_AFTER_MS = 1_000

/**
 * Opens a connected (and for https and wss, verified) socket to the URL's host, at an address that
 * was checked. Name resolution, TCP and TLS together take at most `connectTimeoutMs`. Rejects with
 * OutboundError.
 */
export async function openSocket(
  url: URL,
  guard: SocketGuard,
  how: { readonly connectTimeoutMs: number; readonly serverName: 'sent' | 'omitted' },
  signal: AbortSignal,
): Promise<Socket> {
  const reason = (): Error => new OutboundError('connect-timeout', url.href)
  using either = linkAbort([signal], { ms: how.connectTimeoutMs, reason })
  const addresses = await addressesOf(url, guard, either.signal)
  const socket = begin(url, addresses, how.serverName, guard.ca)
  return await connected(url, socket, either.signal)
}

/**
 * Resolves the host once and checks every address: a single refused address fails the request, since a
 * DNS-rebinding server starts that way.
 */
async function addressesOf(
  url: URL,
  { resolve, judge }: SocketGuard,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const addresses = await withAbort(resolve(nameOf(url), signal), signal)
    for (const address of addresses) {
      const verdict = judge(address, portOf(url))
      if (!verdict.isAllowed) throw new BlockedAddressError(address, verdict.range)
    }
    return addresses
  } catch (error) {
    if (signal.aborted) throw reasonOf(signal)
    const kind = error instanceof BlockedAddressError ? 'blocked-address' : 'dns'
    throw new OutboundError(kind, url.href, error)
  }
}

async function connected(url: URL, socket: Socket, signal: AbortSignal): Promise<Socket> {
  let isTcpUp = false
  const opening = new Promise<void>((resolve, reject) => {
    socket.once('connect', () => {
      isTcpUp = true
    })
    socket.once(isSecured(url) ? 'secureConnect' : 'connect', resolve)
    // Stays for good: a socket that dies between two owners must not bring the process down.
    socket.on('error', reject)
    socket.once('close', () => {
      reject(new Error('closed while connecting'))
    })
  })
  try {
    await withAbort(opening, signal)
    return socket
  } catch (error) {
    socket.destroy()
    if (signal.aborted) throw reasonOf(signal)
    throw new OutboundError(kindOfConnectFailure(error, isTcpUp), url.href, error)
  }
}

function isSecured({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:'
}

/** The host's name, or its address without the brackets of IPv6. */
function nameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return isSecured(url) ? 443 : 80
}

function begin(
  url: URL,
  addresses: readonly string[],
  serverName: 'sent' | 'omitted',
  ca: string | undefined,
): Socket {
  const isSecure = isSecured(url)
  const [first = ''] = addresses
  const name = nameOf(url)
  const target = {
    // An IP literal is not looked up by Node; it is the one that was just checked.
    host: isIP(name) === 0 ? name : first,
    port: portOf(url),
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
  }
  if (!isSecure) return netConnect(target)
  return tlsConnect({
    ...target,
    ALPNProtocols: ['http/1.1'],
    // RFC 6066 §3: an address is not a server name.
    servername: isIP(name) === 0 && serverName === 'sent' ? name.replace(/\.$/, '') : '',
    ...(ca !== undefined && { ca }),
  })
}

/** A `lookup` that returns `addresses` without asking a name server. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_hostname, options, callback) => {
    const [first] = entries
    if (first === undefined) callback(new Error('no address'), '', 0)
    else if (options.all === true) callback(null, entries)
    else callback(null, first.address, first.family)
  }
}
