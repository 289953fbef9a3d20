import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { ConnectionRoom, type RoomPeers } from '../connection-room.js'

/** A Hono app, or anything else that answers requests. */
export interface ListenerApp {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>
}

export interface ListenerOptions {
  readonly host: string
  /** Port to listen on; 0 takes a free one. */
  readonly port: number
  readonly limits?: Partial<ListenerLimits>
  /** Returns the answer to a body above the limit; by default a 413 in plain JSON. */
  readonly tooLarge?: (request: Request) => Response
  /** Serves a request if it can; returns false to leave it to the app. */
  readonly lane?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean
  /** True for an upload, whose handler reads the stream and has its own limit. */
  readonly isUpload?: (method: string, path: string) => boolean
  /** True where requests may ask for an event stream; elsewhere such requests have no special limits. */
  readonly hasEventStreams?: boolean
  /** Knowledge about peers; without it no address counts as a stranger. */
  readonly peers?: Omit<RoomPeers, 'isBusy'>
}

export interface ListenerLimits {
  readonly maxBodyBytes: number
  readonly maxHeaderBytes: number
  /** Maximum connections; further ones are closed on arrival. */
  readonly maxConnections: number
  /** Maximum connections of one address, of all strangers together, and of one stranger's address. */
  readonly maxPerSource: number
  readonly maxStrangers: number
  readonly maxStrangersPerSource: number
  /** Time limit from the first byte of a request to the end of its headers, ms. */
  readonly headersTimeoutMs: number
  /** Time limit from the first byte of a request to the end of its body, ms. */
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  /**
   * Time after which a connection without progress is closed, because its peer does not read, ms; event streams
   * excepted.
   */
  readonly stalledTimeoutMs: number
  /** Time that running requests get when the listener is disposed, ms. */
  readonly closeTimeoutMs: number
}

export interface Listener extends AsyncDisposable {
  readonly port: number
}

const LIMITS: ListenerLimits = {
  maxBodyBytes: 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 4_096,
  maxPerSource: 3_072,
  maxStrangers: 2_048,
  maxStrangersPerSource: 256,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  stalledTimeoutMs: 120_000,
  closeTimeoutMs: 5_000,
}
/** Maximum delay with which Node notices an exceeded header or request limit, ms. */
const MAX_CHECK_INTERVAL_MS = 1_000

/** Serves `app`; rejects when the address is not available. */
export async function startListener(app: ListenerApp, options: ListenerOptions): Promise<Listener> {
  const limits: ListenerLimits = { ...LIMITS, ...options.limits }
  const answer = getRequestListener(
    withUploads(app, options, bounded(app, limits.maxBodyBytes, options.tooLarge ?? tooLarge)),
  )
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MS, limits.headersTimeoutMs),
    },
    (incoming, outgoing) => {
      if (hasSeveralHosts(incoming)) outgoing.writeHead(400, { connection: 'close' }).end()
      else if (options.lane?.(incoming, outgoing) !== true) void answer(incoming, outgoing)
    },
  )
  const requests = watchRequests(server, options.hasEventStreams === true)
  admitConnections(server, limits, { ...(options.peers ?? NO_STRANGERS), isBusy: requests.isOn })
  server.timeout = limits.stalledTimeoutMs
  closeGently(server, limits.requestTimeoutMs)
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // a TCP server has one
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      requests.finish()
      const timer = setTimeout(() => {
        server.closeAllConnections()
      }, limits.closeTimeoutMs)
      await closed
      clearTimeout(timer)
    },
  }
}

/**
 * Closes connections in stages (RFC 9112 section 9.6) where the client still sends a body that nobody
 * reads: the writing side ends, and the rest of the body is read and dropped until it is over, the
 * client closes, or `limitMs` have passed. A client that writes its whole request before it reads
 * would find a reset in place of the answer. For Node closes at once after the answer to a request
 * with `Connection: close`, and the adapter of the app half a second after an answer whose request has
 * a body left.
 */
function closeGently(server: Server, limitMs: number): void {
  const latest = new WeakMap<Socket, IncomingMessage>()
  server.prependListener('request', (incoming: IncomingMessage) => {
    latest.set(incoming.socket, incoming)
  })
  server.on('connection', (socket: Socket) => {
    const close = socket.destroySoon.bind(socket)
    let isEnding = false
    // Both ask for the end of a connection by this.
    socket.destroySoon = () => {
      if (isEnding) return
      const incoming = latest.get(socket)
      if (incoming === undefined || incoming.complete || incoming.destroyed) {
        close()
        return
      }
      isEnding = true
      const timer = setTimeout(() => socket.destroy(), limitMs)
      socket.once('close', () => {
        clearTimeout(timer)
      })
      incoming.once('end', close)
      incoming.removeAllListeners('data') // a reader that has stopped would hold it back
      incoming.resume()
      socket.end()
    }
  })
}

const NO_STRANGERS: RoomPeers = { isKnown: () => true }

/** Closes connections above the limits, so that strangers leave capacity to others. */
function admitConnections(server: Server, limits: ListenerLimits, peers: RoomPeers): void {
  const room = new ConnectionRoom(
    {
      connections: limits.maxConnections,
      perSource: limits.maxPerSource,
      strangers: limits.maxStrangers,
      strangersPerSource: limits.maxStrangersPerSource,
      // The limits of headers, bodies and pauses end each connection that does nothing.
      strangerMs: undefined,
    },
    peers,
  )
  let size = 0
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    if (address === undefined || !room.take(socket, address, size)) {
      socket.destroy()
      return
    }
    size += 1
    socket.once('close', () => {
      size -= 1
    })
  })
}

/**
 * True for several Host headers, which get 400 (RFC 9112 §3.2): a proxy may have routed by another Host than
 * this server reads. Node refuses a missing Host, but takes the first of several.
 */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  // Names and values alternate.
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] ?? '')) hosts += 1
  return hosts > 1
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host'
}

/** Tracks requests in progress, so that a closing server lets them end and accepts none. */
function watchRequests(
  server: Server,
  hasEventStreams: boolean,
): { readonly isOn: (socket: Socket) => boolean; finish(): void } {
  const busy = new Set<Socket>()
  const streams = new Set<ServerResponse>()
  let isClosing = false
  server.prependListener('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const { socket } = incoming
    busy.add(socket)
    if (isClosing) response.setHeader('connection', 'close')
    if (hasEventStreams && isEventStream(incoming)) {
      // Silence is normal there; a dead peer shows when something is written.
      socket.setTimeout(0)
      streams.add(response)
    }
    response.once('close', () => {
      busy.delete(socket)
      streams.delete(response)
      if (!isClosing) return
      setImmediate(() => {
        server.closeIdleConnections()
      })
    })
  })
  return {
    isOn: (socket) => busy.has(socket),
    finish: () => {
      isClosing = true
      server.closeIdleConnections()
      // They have no end of their own; their clients come back to the next process.
      for (const stream of streams) stream.destroy()
    },
  }
}

function isEventStream(incoming: IncomingMessage): boolean {
  return incoming.headers.accept?.includes('text/event-stream') === true
}

type Fetch = (request: Request, env: unknown) => Response | Promise<Response>

function withUploads(app: ListenerApp, { isUpload }: ListenerOptions, others: Fetch): Fetch {
  return (request, env) =>
    isUpload?.(request.method, new URL(request.url).pathname) === true
      ? app.fetch(request, env as HttpBindings) // an HTTP/1.1 server has no others
      : others(request, env)
}

function bounded(app: ListenerApp, maxBodyBytes: number, refuse: (request: Request) => Response) {
  return (request: Request, env: unknown): Response | Promise<Response> => {
    const bindings = env as HttpBindings // an HTTP/1.1 server has no others
    const { headers } = bindings.incoming
    if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return refuse(request)
    if (headers['transfer-encoding'] === undefined) return app.fetch(request, bindings)
    return boundedChunks(app, request, bindings, maxBodyBytes, refuse)
  }
}

/** Reads a body of unknown length, up to the limit, before the app sees the request. */
async function boundedChunks(
  app: ListenerApp,
  request: Request,
  env: HttpBindings,
  maxBodyBytes: number,
  refuse: (request: Request) => Response,
): Promise<Response> {
  const chunks: Buffer[] = []
  let size = 0
  // Without an encoding a request's stream is of buffers.
  const body = env.incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBodyBytes) break
    chunks.push(chunk)
  }
  if (size > maxBodyBytes) {
    env.incoming.resume() // the loop has left it paused
    return refuse(request)
  }
  // A Request by these methods takes no body, and what they carry has no meaning (RFC 9110 §9.3.1).
  if (request.method === 'GET' || request.method === 'HEAD') return app.fetch(request, env)
  const { method, url, headers, signal } = request
  return app.fetch(new Request(url, { method, headers, signal, body: Buffer.concat(chunks) }), env)
}

function tooLarge(): Response {
  return Response.json({ status: 413, message: 'Request Entity Too Large' }, { status: 413 })
}
