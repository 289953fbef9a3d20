import { startDrachtioServer } from '../../../src/lab/drachtio-server/drachtio-server.js'
import type {
  SipPeer,
  SipStackOptions,
  SipStackStats,
} from '../../../src/lab/sip/model/stack-types.js'
import { createLogger } from '../../../src/platform/log.js'

export interface Served extends AsyncDisposable {
  readonly isReal: boolean
  readonly controlPort: number
  readonly secret: string
  contact(transport: 'udp' | 'tcp'): SipPeer
  /** True when no call has left anything; always true for a server without gauges. */
  isIdle(): boolean
}

/** The lab's server, with readable state. */
export interface ServedLab extends Served {
  sipStats(): SipStackStats
}

/**
 * Starts the lab's server. With `DRACHTIO_URL` (`tcp://:SECRET@127.0.0.1:9022`) and `DRACHTIO_SIP_PORT` it
 * connects to a real one, which must pass the same tests.
 */
export async function serveDrachtio(sip: Partial<SipStackOptions> = {}): Promise<Served> {
  const real = process.env['DRACHTIO_URL']
  return real === undefined ? serveLab(sip) : serveReal(new URL(real))
}

export async function serveLab(sip: Partial<SipStackOptions> = {}): Promise<ServedLab> {
  const secret = 'cymru'
  const server = await startDrachtioServer({
    host: '127.0.0.1',
    port: 0,
    secret,
    sip: { host: '127.0.0.1', port: 0, transports: ['udp', 'tcp'], ...sip },
    log: createLogger(process.env['LOG_LEVEL'] ?? 'silent'),
  })
  return {
    isReal: false,
    controlPort: server.port,
    secret,
    contact: (transport) => {
      const own = server.contacts.find((contact) => contact.transport === transport)
      if (own === undefined) throw new Error(`no ${transport}`)
      return own
    },
    isIdle: () => {
      const { dialogs, incoming, outgoing } = server.stats()
      return dialogs + incoming + outgoing === 0
    },
    sipStats: () => server.stats().sip,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function serveReal(url: URL): Served {
  const port = Number(process.env['DRACHTIO_SIP_PORT'] ?? 5060)
  return {
    isReal: true,
    controlPort: Number(url.port),
    secret: url.password,
    contact: (transport) => ({ transport, address: '127.0.0.1', port }),
    isIdle: () => true,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
