/** Resolves a carrier's host to its servers, and caches them. */
import { isIP } from 'node:net'
import { linkAbort, withAbort } from '../../platform/async/abort.js'
import type { Clock } from '../../platform/clock.js'
import type { Resolve } from '../../platform/http/resolver.js'
import type { Logger } from '../../platform/log.js'
import {
  defaultPort,
  type ServiceNames,
  type SipServer,
  serversOf,
} from '../sip-location/locate.js'
import { nextHopTo } from '../sip-location/next-hop.js'
import type { Carrier } from './carrier.js'

/** One server of a carrier, by address. */
export interface CarrierServer {
  readonly address: string
  readonly port: number
  readonly transport: string
}

export interface CarrierServersDeps extends ServiceNames {
  readonly resolve: Resolve
  readonly clock: Clock
  readonly log: Logger
}

interface Found {
  readonly servers: readonly CarrierServer[]
  readonly freshUntil: number
  readonly usableUntil: number
}

/** Maximum time for DNS, ms; a caller waits for it. */
const LIMIT_MS = 4_000
/** Time for which a cached answer is used, ms; carriers change addresses for maintenance. */
const FRESH_MS = 30_000
/** Time for which an old answer is used while no name server answers, ms. */
const USABLE_MS = 3_600_000
const MAX_SERVERS = 6
const MAX_CARRIERS = 1_000
/** RFC 3263 §4.1: the transport when DNS specifies none. */
const OPEN_TRANSPORT = 'udp'

export class CarrierServers {
  readonly #deps: CarrierServersDeps
  readonly #found = new Map<string, Found>()

  constructor(deps: CarrierServersDeps) {
    this.#deps = deps
  }

  /** Resolves with the servers, in the order in which to try them; none when the host is unknown. */
  async find(carrier: Carrier, signal: AbortSignal): Promise<readonly CarrierServer[]> {
    const literal = ofLiteral(carrier)
    if (literal !== undefined) return [literal]
    const key = keyOf(carrier)
    const now = this.#deps.clock.monotonic()
    const before = this.#found.get(key)
    if (before !== undefined && before.freshUntil > now) return before.servers
    const servers = await this.#resolve(carrier, signal)
    if (servers.length > 0) {
      if (this.#found.size >= MAX_CARRIERS) this.#found.clear()
      const usableUntil = now + USABLE_MS
      this.#found.set(key, { servers, freshUntil: now + FRESH_MS, usableUntil })
      return servers
    }
    return before !== undefined && before.usableUntil > now ? before.servers : []
  }

  /** Returns the last known servers without a lookup; none before the first one. */
  known(carrier: Carrier): readonly CarrierServer[] {
    const literal = ofLiteral(carrier)
    return literal === undefined ? (this.#found.get(keyOf(carrier))?.servers ?? []) : [literal]
  }

  async #resolve(carrier: Carrier, signal: AbortSignal): Promise<readonly CarrierServer[]> {
    const { log } = this.#deps
    const { host, name, port, transport } = carrier
    using limit = linkAbort([signal], {
      ms: LIMIT_MS,
      reason: () => new Error('no answer in time'),
    })
    try {
      const fixed = transport === 'dns' ? undefined : transport
      const target = { host, port, transport: fixed, isSecure: transport === 'tls' }
      const servers = await withAbort(serversOf(target, this.#deps, limit.signal), limit.signal)
      const found = await withAbort(
        Promise.all(servers.map((server) => this.#addressesOf(server, limit.signal))),
        limit.signal,
      )
      return found.flat().slice(0, MAX_SERVERS)
    } catch (err) {
      log.warn({ err, carrier: name, host }, "could not resolve a carrier's host")
      return []
    }
  }

  /** A service record may name a host without an address; the others are still used. */
  async #addressesOf(
    { host, port, transport = OPEN_TRANSPORT }: SipServer,
    signal: AbortSignal,
  ): Promise<CarrierServer[]> {
    const addresses = await this.#deps.resolve(host, signal).catch((err: unknown) => {
      this.#deps.log.info({ err, host }, "no address of a carrier's server")
      return []
    })
    return addresses.map((address) => ({ address, port, transport }))
  }
}

/** Returns the key of a server, for its health and for logs. */
export function serverKey({ address, port, transport }: CarrierServer): string {
  return `${transport}:${address}:${String(port)}`
}

/** Returns where an OPTIONS to a carrier's server is sent. */
export function probeTarget(
  carrier: Pick<Carrier, 'host' | 'port'>,
  server: CarrierServer,
): { readonly uri: string; readonly proxy: string } {
  const proxy = nextHopTo(server)
  // The certificate of a TLS server is checked for the host of the URI.
  const uri = server.transport === 'tls' ? `sip:${hostOf(carrier)};transport=tls` : proxy
  return { uri, proxy }
}

/** Returns the host and port of a carrier in the form of a SIP URI. */
export function hostOf({ host, port }: Pick<Carrier, 'host' | 'port'>): string {
  const written = isIP(host) === 6 ? `[${host}]` : host
  return port === undefined ? written : `${written}:${String(port)}`
}

function ofLiteral({ host, port, transport }: Carrier): CarrierServer | undefined {
  if (isIP(host) !== 0) {
    const usual = defaultPort({ isSecure: transport === 'tls' })
    const fixed = transport === 'dns' ? OPEN_TRANSPORT : transport
    return { address: host, port: port ?? usual, transport: fixed }
  }
  return undefined
}

function keyOf({ host, port, transport }: Carrier): string {
  return `${transport}:${host}:${String(port)}`
}
