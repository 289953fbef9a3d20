import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import { answerChallenge, bareUrl, credentialsOf } from './authorization.js'
import { Connection, type ExchangeResponse } from './connection.js'
import type { ConnectionPool } from './connection-pool.js'
import { openSocket, type SocketGuard } from './open-socket.js'
import { OutboundError } from './outbound-error.js'
import type { Hop, OutboundRequest } from './outbound-request.js'

export interface OutboundContext {
  /** Unseals the password of a stored URL. */
  readonly openPassword: (url: URL) => URL
  readonly pool: ConnectionPool
  readonly guard: SocketGuard
  readonly clock: Clock
  readonly log: Logger
}

/** A request with every default filled in. */
export type OutboundSettings = Required<
  Omit<OutboundRequest, 'headers' | 'body' | 'hopHeaders' | 'onHop' | 'onRepeat' | 'isRepeatable'>
> &
  OutboundRequest

/** Idempotent methods (RFC 9110 §9.2.2). */
const IDEMPOTENT_METHODS: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']

/** Sends a request without credentials first, then answers one 401. */
export async function exchangeHop(
  context: OutboundContext,
  settings: OutboundSettings,
  hop: Hop,
  signal: AbortSignal,
): Promise<ExchangeResponse> {
  const first = await exchanged(context, settings, hop, {}, signal)
  settings.onHop?.(hop, first.status, first.headers)
  const credentials = credentialsOf(context.openPassword(hop.url))
  if (first.status !== 401 || credentials === undefined) return first
  const challenge = first.headers.get('www-authenticate') ?? ''
  const target = hop.url.pathname + hop.url.search
  const cnonce = randomBytes(16).toString('hex')
  const answer = answerChallenge(challenge, credentials, { method: hop.method, target, cnonce })
  if (answer === undefined) return first
  const second = await exchanged(context, settings, hop, { authorization: answer }, signal)
  settings.onHop?.(hop, second.status, second.headers)
  return second
}

/**
 * Sends one request; retries once on a new connection if the server closed a kept one before any byte of a
 * response: it may not have seen the request (RFC 9112 §9.3.1).
 */
async function exchanged(
  context: OutboundContext,
  settings: OutboundSettings,
  hop: Hop,
  extra: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ExchangeResponse> {
  const { tenant, totalTimeoutMs, maxBodyBytes, ignoresBody } = settings
  const url = bareUrl(hop.url)
  const headers = headersFor(settings, hop, extra)
  // Where both limits end together it is the total time that is over, whichever timer fires first.
  const isBounded = settings.responseTimeoutMs < totalTimeoutMs
  const responseTimeoutMs = isBounded ? settings.responseTimeoutMs : undefined
  const exchange = { ...hop, url, headers, responseTimeoutMs, maxBodyBytes, ignoresBody }
  const open = (): Promise<Connection> => openedConnection(context, settings, url, signal)
  // A kept connection may be closed just as we write: a request that must not come twice has its own.
  let isFresh = settings.isRepeatable !== true && !IDEMPOTENT_METHODS.includes(hop.method)
  for (;;) {
    const demand = { tenant, url, isFresh, open }
    const { connection, giveBack } = await context.pool.lease(demand, signal)
    try {
      return await connection.exchange(exchange, signal)
    } catch (error) {
      const isLost = error instanceof OutboundError && error.kind === 'connection-lost'
      if (!isLost || !connection.isReused || connection.hasAnswer) throw error
      settings.onRepeat?.(error)
      isFresh = true
    } finally {
      void giveBack() // it waits for nothing but the socket's end
    }
  }
}

async function openedConnection(
  { clock, guard }: OutboundContext,
  settings: OutboundSettings,
  url: URL,
  signal: AbortSignal,
): Promise<Connection> {
  const monotonic = (): number => clock.monotonic()
  const startedAt = monotonic()
  const socket = await openSocket(url, guard, settings, signal)
  return new Connection(url.origin, socket, { monotonic, connectMs: monotonic() - startedAt })
}

function headersFor(
  settings: OutboundSettings,
  hop: Hop,
  extra: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isFirstOrigin = hop.url.origin === new URL(settings.url).origin
  const own = Object.entries(settings.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ])
  const kept = own.filter(([name = '']) => {
    // Secrets that were meant for one server stay with it, and a body's description with its body.
    if (name === 'authorization' || name === 'cookie') return isFirstOrigin
    return hop.body !== undefined || !name.startsWith('content-')
  })
  return {
    'accept-encoding': 'identity',
    ...(Object.fromEntries(kept) as Record<string, string>), // pairs of strings, as built above
    ...settings.hopHeaders?.(hop),
    ...extra,
  }
}
