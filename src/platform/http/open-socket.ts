import { isIP, connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { linkAbort, reasonOf } from '../async/abort.js'
import type { JudgeAddress } from './address-policy.js'
import { BlockedAddressError, guardedAddresses, pinnedLookup } from './guarded-addresses.js'
import { kindOfConnectFailure, OutboundError } from './outbound-error.js'
import type { Resolve } from './resolver.js'

export interface SocketGuard {
  readonly resolve: Resolve
  readonly judge: JudgeAddress
  /** PEM certificates to trust instead of the system's list. */
  readonly ca?: string
}

/** The time that one address may take before the next of the same name is tried too. */
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

async function addressesOf(
  url: URL,
  guard: SocketGuard,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return await guardedAddresses({ hostname: url.hostname, port: portOf(url) }, guard, signal)
  } catch (error) {
    if (signal.aborted) throw reasonOf(signal)
    if (error instanceof BlockedAddressError)
      throw new OutboundError('blocked-address', url.href, error)
    throw new OutboundError('dns', url.href, error)
  }
}

function connected(url: URL, socket: Socket, signal: AbortSignal): Promise<Socket> {
  const isSecure = isSecured(url)
  let isTcpUp = false
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      reject(error)
    }
    const onAbort = (): void => {
      fail(reasonOf(signal))
    }
    const onError = (error: Error): void => {
      fail(new OutboundError(kindOfConnectFailure(error, isTcpUp), url.href, error))
    }
    const onClose = (): void => {
      onError(new Error('closed while connecting'))
    }
    socket.once('connect', () => {
      isTcpUp = true
    })
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', onAbort)
      socket.removeListener('close', onClose)
      resolve(socket)
    })
    // Stays for good: a socket that dies between two owners must not bring the process down.
    socket.on('error', onError)
    socket.once('close', onClose)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

function isSecured({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:'
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
  const name = url.hostname.replace(/^\[|\]$/g, '')
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
