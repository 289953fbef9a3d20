import { connect, isIPv6 } from 'node:net'
import type {
  PlainTransportName,
  SipPeer,
  SipTlsCredentials,
  SipTlsOptions,
  SipTransportName,
} from '../model/stack-types.js'
import { openStreamTransport, type StreamLayer } from '../transport/stream-transport.js'
import { createTlsLayer, type TlsLayer } from '../transport/tls-layer.js'
import type { Transport, TransportOptions } from '../transport/transport.js'
import { openUdpTransport } from '../transport/udp-transport.js'
import { localAddresses } from './local-addresses.js'

type Family = 4 | 6

interface Listener {
  readonly host: string
  readonly family: Family
  readonly transports: Map<SipTransportName, Transport>
}

/** Maximum number of attempts to find a port: a free UDP port may be in use for TCP. */
const PORT_ATTEMPTS = 10

/** SIP on TCP alone. */
const TCP_LAYER: StreamLayer = {
  name: 'tcp',
  accept: (socket, onReady) => {
    onReady(socket)
  },
  dial: (to) => ({
    socket: connect({ host: to.address, port: to.port }),
    opensAt: 'connect',
  }),
  failure: (error) => error,
}

/** The open transports of a stack: at most one per address family and transport name. */
export class Listeners implements AsyncDisposable {
  readonly #listeners: readonly Listener[]
  #tls: TlsLayer | undefined

  constructor(host: string, otherHost: string | undefined) {
    this.#listeners = [host, ...(otherHost === undefined ? [] : [otherHost])].map((address) => ({
      host: address,
      family: familyOf(address),
      transports: new Map(),
    }))
  }

  /**
   * Opens all transports: the first address on the given port, the other one on a free port, and
   * TLS on the first address. When one fails, closes all and rejects.
   */
  async open(
    names: readonly PlainTransportName[],
    tls: SipTlsOptions | undefined,
    options: Omit<TransportOptions, 'host'>,
  ): Promise<void> {
    try {
      for (const [index, { host, transports }] of this.#listeners.entries()) {
        const port = index === 0 ? options.port : 0
        for (const transport of await openTransports(names, { ...options, host, port }))
          transports.set(transport.name, transport)
      }
      if (tls !== undefined) await this.#openTls(tls, options)
    } catch (error) {
      await this[Symbol.asyncDispose]()
      throw error
    }
  }

  /** The addresses at which other user agents reach us. */
  get contacts(): readonly SipPeer[] {
    return this.#listeners.flatMap(({ host, transports }) =>
      localAddresses(host).flatMap((address) =>
        [...transports.values()].map(({ name, port }) => ({ transport: name, address, port })),
      ),
    )
  }

  /** The address families, the first address's first. */
  get families(): readonly Family[] {
    return this.#listeners.map(({ family }) => family)
  }

  connections(name: SipTransportName): number {
    return this.#listeners.reduce(
      (sum, { transports }) => sum + (transports.get(name)?.connections ?? 0),
      0,
    )
  }

  renewTls(credentials: SipTlsCredentials): void {
    this.#tls?.renew(credentials)
  }

  /** The transport that reaches this peer. */
  toward({ transport, address }: SipPeer): Transport | undefined {
    const family = familyOf(address)
    return this.#listeners.find((listener) => listener.family === family)?.transports.get(transport)
  }

  async #openTls(
    { port, credentials }: SipTlsOptions,
    options: Omit<TransportOptions, 'host'>,
  ): Promise<void> {
    const [first] = this.#listeners
    if (first === undefined) return
    this.#tls = createTlsLayer(credentials, options)
    const transport = await openStreamTransport(this.#tls, { ...options, host: first.host, port })
    first.transports.set('tls', transport)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = this.#listeners.flatMap(({ transports }) => [...transports.values()])
    for (const { transports } of this.#listeners) transports.clear()
    await Promise.all(open.map((transport) => transport[Symbol.asyncDispose]()))
  }
}

/** Opens all transports on one port; when one fails, closes all and rejects. */
async function openTransports(
  names: readonly PlainTransportName[],
  options: TransportOptions,
): Promise<Transport[]> {
  for (let attempt = 1; ; attempt++) {
    const opened: Transport[] = []
    try {
      for (const name of names) {
        const port = opened[0]?.port ?? options.port
        opened.push(await open(name, { ...options, port }))
      }
      return opened
    } catch (error) {
      for (const transport of opened) await transport[Symbol.asyncDispose]()
      if (options.port !== 0 || attempt === PORT_ATTEMPTS) throw error
    }
  }
}

function open(name: PlainTransportName, options: TransportOptions): Promise<Transport> {
  return name === 'udp' ? openUdpTransport(options) : openStreamTransport(TCP_LAYER, options)
}

function familyOf(address: string): Family {
  return isIPv6(address) ? 6 : 4
}
