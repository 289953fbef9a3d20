import type { PlainTransportName } from '../model/stack-types.js'
import { openStreamTransport } from './stream-transport.js'
import { TCP_LAYER } from './tcp-layer.js'
import type { Transport, TransportOptions } from './transport.js'
import { openUdpTransport } from './udp-transport.js'

/** The tries for one port: a free UDP port may be taken for TCP, and then another is tried. */
const PORT_ATTEMPTS = 10

/** Opens all transports on one port; rejects, with none left open, when one cannot be had. */
export async function openTransports(
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
