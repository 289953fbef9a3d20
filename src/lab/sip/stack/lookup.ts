/** Finds the destination of a request (RFC 3263 §4, without NAPTR): numeric host, SRV, A and AAAA. */
import { isIP } from 'node:net'
import { parseNameAddrList } from '../../../platform/sip-grammar/name-addr.js'
import { parseUri, type SipUri } from '../../../platform/sip-grammar/uri.js'
import { getHeader } from '../message/headers.js'
import type { SipRequest } from '../message/types.js'
import type { SipPeer, SipResolver, SipTransportName, SrvRecord } from '../model/stack-types.js'

export interface LookupOptions {
  readonly resolver: SipResolver
  /** The transports in the order of preference. */
  readonly transports: readonly SipTransportName[]
  /** The families of our sockets in the order of preference; other addresses are unreachable. */
  readonly families: readonly (4 | 6)[]
  /** Maximum time of one query, ms. */
  readonly timeoutMs: number
  /** Returns numbers in [0, 1), for the weights of SRV records. */
  readonly random: () => number
}

const DEFAULT_PORT = 5060
const DEFAULT_TLS_PORT = 5061

/**
 * Returns the next hop: the first Route when it is a loose router's, else the Request-URI (RFC 3261
 * §8.1.2).
 */
export function nextHop(request: SipRequest): SipUri {
  const route = parseNameAddrList(getHeader(request, 'Route') ?? '')?.[0]
  const routeUri = route && parseUri(route.uri)
  const uri = routeUri?.params['lr'] === undefined ? parseUri(request.uri) : routeUri
  if (uri === undefined || uri.scheme === 'tel')
    throw new SipDestinationError(`no way to send to ${request.uri}`)
  // RFC 3261 §26.2.2: a request for a SIPS URI goes over TLS on each hop.
  if (/^sips:/i.test(request.uri) && !wantsTls(uri))
    throw new SipDestinationError(`no secure way to send to ${request.uri}`)
  return uri
}

/** True for a URI that requires TLS: `sips:`, or the parameter `transport=tls`. */
export function wantsTls(uri: SipUri): boolean {
  return uri.scheme === 'sips' || uri.params['transport']?.toLowerCase() === 'tls'
}

export async function lookUp(uri: SipUri, options: LookupOptions): Promise<SipPeer> {
  const isSecure = wantsTls(uri)
  const wanted = isSecure ? 'tls' : uri.params['transport']?.toLowerCase()
  // TLS is used only for a URI that asks for it, since the peer's certificate may be untrusted.
  const transports = options.transports.filter((name) =>
    wanted === undefined ? name !== 'tls' : name === wanted,
  )
  const transport = transports[0]
  if (transport === undefined)
    throw new SipDestinationError(`no transport ${wanted ?? ''} to send by`)
  const host = uri.params['maddr'] ?? uri.host
  const place = await findPlace(host, uri.port, transports, options)
  if (place === undefined) throw new SipDestinationError(`no address for ${host}`)
  const serverName = isSecure && isIP(uri.host) === 0 ? uri.host : undefined
  return serverName === undefined ? place : { ...place, serverName }
}

/** A request cannot be sent: its destination or its transport is unknown. */
export class SipDestinationError extends Error {
  override readonly name = 'SipDestinationError'
}

async function findPlace(
  host: string,
  port: number | undefined,
  transports: readonly SipTransportName[],
  options: LookupOptions,
): Promise<SipPeer | undefined> {
  const [transport = 'udp'] = transports
  if (isIP(host) === 0 && port === undefined) {
    const peer = await findService(host, transports, options)
    if (peer !== undefined) return peer
  }
  const address = await findAddress(host, options)
  const usual = transport === 'tls' ? DEFAULT_TLS_PORT : DEFAULT_PORT
  return address === undefined ? undefined : { transport, address, port: port ?? usual }
}

async function findService(
  host: string,
  transports: readonly SipTransportName[],
  options: LookupOptions,
): Promise<SipPeer | undefined> {
  // A name without a dot is a local host and has no service records.
  if (!host.includes('.')) return undefined
  for (const transport of transports) {
    // RFC 3263 §4.2: the service for TLS is `_sips._tcp`.
    const service = transport === 'tls' ? '_sips._tcp' : `_sip._${transport}`
    const name = `${service}.${host}`
    const records = await ask(() => options.resolver.srv(name), options.timeoutMs)
    for (const record of orderServices(records, options.random)) {
      const address = await findAddress(record.name, options)
      if (address !== undefined) return { transport, address, port: record.port }
    }
  }
  return undefined
}

async function findAddress(host: string, options: LookupOptions): Promise<string | undefined> {
  const addresses =
    isIP(host) === 0 ? await ask(() => options.resolver.addresses(host), options.timeoutMs) : [host]
  for (const family of options.families) {
    const found = addresses.find((address) => isIP(address) === family)
    if (found !== undefined) return found
  }
  return undefined
}

/** Queries the resolver. A timeout and a failure count as no record: the next method is tried. */
async function ask<T>(
  question: () => Promise<readonly T[]>,
  timeoutMs: number,
): Promise<readonly T[]> {
  const limit = AbortSignal.timeout(timeoutMs)
  const tooLate = new Promise<readonly T[]>((resolve) => {
    limit.addEventListener('abort', () => {
      resolve([])
    })
  })
  return Promise.race([question().catch(() => []), tooLate])
}

/**
 * Orders SRV records: the lowest priority first; within one, randomly in proportion to the weight
 * (RFC 2782).
 */
export function orderServices(
  records: readonly SrvRecord[],
  random: () => number,
): readonly SrvRecord[] {
  const left = [...records].sort((a, b) => a.priority - b.priority || a.weight - b.weight)
  const ordered: SrvRecord[] = []
  while (left.length > 0) {
    const priority = left[0]?.priority
    const group = left.filter((record) => record.priority === priority)
    let mark = random() * group.reduce((sum, record) => sum + record.weight, 0)
    const chosen = group.find((record) => (mark -= record.weight) < 0) ?? group[0]
    if (chosen === undefined) break
    ordered.push(chosen)
    left.splice(left.indexOf(chosen), 1)
  }
  return ordered
}
