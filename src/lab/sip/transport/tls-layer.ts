import { isIP, type Socket } from 'node:net'
import { connect, createSecureContext, createServer, type SecureContext } from 'node:tls'
import type { SipPeer, SipTlsCredentials } from '../model/stack-types.js'
import { SipTlsError } from '../model/stack-types.js'
import { isFor } from './certificate-identity.js'
import type { StreamLayer } from './stream-transport.js'
import type { TransportOptions } from './transport.js'

/** RFC 8996 forbids TLS 1.0 and 1.1. */
const MIN_VERSION = 'TLSv1.2'
/** OpenSSL's and Node's words for the faults of a certificate, in ours. */
const FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is of an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is of an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an authority that is not trusted',
  ECONNREFUSED: 'it takes no connection',
  ECONNRESET: 'it ended the handshake',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there',
}

/** TLS with a certificate that can be replaced; existing connections keep the old one. */
export interface TlsLayer extends StreamLayer {
  renew(credentials: SipTlsCredentials): void
}

/** Makes the layer; throws when OpenSSL does not take the certificate or its key. */
export function createTlsLayer(
  credentials: SipTlsCredentials,
  { limits, events }: Pick<TransportOptions, 'limits' | 'events'>,
): TlsLayer {
  let context = contextOf(credentials)
  /** The sockets in a handshake, by the address of the peer. */
  const waiting = new Map<string, (socket: Socket) => void>()
  const server = createServer({
    ...servedBy(credentials),
    handshakeTimeout: limits.tlsHandshakeMs,
  })
  server.on('secureConnection', (socket) => {
    waiting.get(placeOf(socket))?.(socket)
  })
  server.on('tlsClientError', (error, socket) => {
    const { remoteAddress: address = '', remotePort: port = 0 } = socket
    events.onGarbage(`no TLS: ${codeOf(error)}`, { transport: 'tls', address, port })
    socket.destroy()
  })
  return {
    name: 'tls',
    accept: (socket, onReady) => {
      const place = placeOf(socket)
      waiting.set(place, onReady)
      socket.once('close', () => {
        if (waiting.get(place) === onReady) waiting.delete(place)
      })
      server.emit('connection', socket)
    },
    dial: (to) => ({ socket: dialWith(context, to), opensAt: 'secureConnect' }),
    failure: (error, { address, serverName }) => tlsFailure(error, serverName ?? address),
    renew: (renewed) => {
      context = contextOf(renewed)
      server.setSecureContext(servedBy(renewed))
    },
  }
}

function servedBy({ cert, key }: SipTlsCredentials) {
  return { cert, key, minVersion: MIN_VERSION } as const
}

/** The TLS context of outgoing connections. A server that requests a client certificate gets ours. */
function contextOf({ cert, key, ca }: SipTlsCredentials): SecureContext {
  return createSecureContext({ cert, key, ca, minVersion: MIN_VERSION })
}

function dialWith(secureContext: SecureContext, { address, port, serverName }: SipPeer): Socket {
  const wanted = serverName ?? address
  return connect({
    host: address,
    port,
    // RFC 6066 §3: no name is sent for an address.
    servername: isIP(wanted) === 0 ? wanted : '',
    secureContext,
    checkServerIdentity: (_host, certificate) =>
      isFor(wanted, certificate)
        ? undefined
        : new SipTlsError(`no TLS connection to ${wanted}: its certificate is for another name`),
  })
}

/** The failure of a connection that we dialled, as a sentence for the application. */
function tlsFailure(error: Error, wanted: string): SipTlsError {
  if (error instanceof SipTlsError) return error
  const code = codeOf(error)
  return new SipTlsError(`no TLS connection to ${wanted}: ${FAULTS[code] ?? code}`, {
    cause: error,
  })
}

function placeOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
