/**
 * A SIP server that applications control over TCP, with the protocol of drachtio-server 0.9.10, so that its
 * client library works unchanged.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Logger } from '../../platform/log.js'
import { isScannerName } from '../../platform/scanners.js'
import { formatHost } from '../../platform/sip-grammar/uri.js'
import { getHeader } from '../sip/message/headers.js'
import type { SipRequest } from '../sip/message/types.js'
import type {
  SipPeer,
  SipStack,
  SipStackOptions,
  SipStackStats,
  SipTlsCredentials,
} from '../sip/model/stack-types.js'
import { createSipStack } from '../sip/stack/create-sip-stack.js'
import { CallTable, type ServerParts } from './call-table.js'
import { Clients } from './clients.js'
import { Connection } from './connection.js'
import { giveUp, transactionUser } from './incoming-requests.js'

const TELLTALE_HEADERS = ['User-Agent', 'From', 'To'] as const

export interface DrachtioServerOptions {
  /** The address of the control listener; port 0 picks a free one. */
  readonly host: string
  readonly port: number
  readonly secret: string
  readonly sip: SipStackOptions
  readonly log: Logger
}

export interface DrachtioServerStats {
  readonly clients: number
  readonly dialogs: number
  /** The number of requests from the network that wait for an application. */
  readonly incoming: number
  readonly outgoing: number
  readonly sip: SipStackStats
}

export interface DrachtioServer extends AsyncDisposable {
  readonly port: number
  /** The addresses of the SIP listener. */
  readonly contacts: readonly SipPeer[]
  /** Replaces the certificate for new TLS connections. Throws when OpenSSL rejects the certificate. */
  renewTls(credentials: SipTlsCredentials): void
  stats(): DrachtioServerStats
}

/** The version reported to clients, which check it before they use newer commands. */
const VERSION = 'v0.9.10-lab'

export async function startDrachtioServer(options: DrachtioServerOptions): Promise<DrachtioServer> {
  const { log } = options
  const stack = await createSipStack({ isDiscarded: isScanner, ...options.sip, log })
  const parts: ServerParts = { stack, clients: new Clients(), calls: new CallTable(), log }
  stack.setUser(transactionUser(parts))
  const connections = new Set<Connection>()
  const server = createServer((socket) => {
    const connection = new Connection(socket, {
      ...parts,
      secret: options.secret,
      greeting: greetingOf(stack),
      onClosed: (closed) => {
        connections.delete(closed)
      },
    })
    connections.add(connection)
  })
  try {
    const { port } = await listen(server, options)
    return {
      port,
      contacts: stack.contacts,
      renewTls: (credentials) => {
        stack.renewTls(credentials)
      },
      stats: () => ({
        clients: connections.size,
        dialogs: parts.calls.dialogCount,
        incoming: parts.calls.incomingCount,
        outgoing: parts.calls.outgoing.size,
        sip: stack.stats(),
      }),
      [Symbol.asyncDispose]: () => close(server, connections, parts),
    }
  } catch (error) {
    await stack[Symbol.asyncDispose]()
    throw error
  }
}

async function listen(server: Server, { host, port }: DrachtioServerOptions): Promise<AddressInfo> {
  server.listen(port, host)
  await once(server, 'listening')
  return server.address() as AddressInfo // a listening TCP server has one
}

async function close(
  server: Server,
  connections: ReadonlySet<Connection>,
  parts: ServerParts,
): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  endRinging(parts)
  for (const connection of connections) connection.close()
  await closed
  for (const dialog of parts.calls.dialogs()) parts.calls.removeDialog(dialog)
  await parts.stack[Symbol.asyncDispose]()
}

/**
 * Answers unanswered INVITEs with 503 and cancels those that we sent. Unlike the real server, the lab ends
 * together with its application.
 */
function endRinging({ calls, ...parts }: ServerParts): void {
  for (const incoming of calls.incoming()) giveUp({ calls, ...parts }, incoming, 503)
  for (const { request, transaction } of calls.outgoing.values())
    if (request.method === 'INVITE') transaction?.cancel()
}

/** Returns the greeting `tcp/host:port,udp/host:port|version|…`: public addresses first, then local ones. */
function greetingOf(stack: SipStack): string {
  const addresses = [...stack.contacts]
    .sort((a, b) => a.transport.localeCompare(b.transport))
    .map(({ transport, address, port }) => `${transport}/${formatHost(address, port)}`)
    .join(',')
  return `${addresses}|${VERSION}|${addresses}`
}

/**
 * True for a request of a scanner, as with the real server's `<spammers action="discard">`. Any response,
 * even a 100, would reveal to a scanner that a server is here, so its requests are dropped before a
 * transaction is created.
 */
function isScanner(request: SipRequest): boolean {
  return isScannerName(TELLTALE_HEADERS.map((name) => getHeader(request, name)))
}
