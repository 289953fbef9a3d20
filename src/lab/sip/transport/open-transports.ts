import type { SipTransportName } from '../model/stack-types.js'
import { openTcpTransport } from './tcp-transport.js'
import type { Transport, TransportOptions } from './transport.js'
import { openUdpTransport } from './udp-transport.js'

/** The tries for one port: a free UDP port may be taken for TCP, and then another is tried. */
const PORT_ATTEMPTS = 10

/** Opens all transports on one port; rejects, with none left open, when one cannot be had. */
export async function openTransports(
  names: readonly SipTransportName[],
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

function open(name: SipTransportName, options: TransportOptions): Promise<Transport> {
  return name === 'udp' ? openUdpTransport(options) : openTcpTransport(options)
}
