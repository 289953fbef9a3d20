/**
 * Sends all requests to customers' web servers. Every address is checked and pinned, every wait and every body
 * is limited, and a slow customer delays no other.
 */
import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { linkAbort, reasonOf } from '../async/abort.js'
import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import { type AddressPolicy, createAddressPolicy } from './address-policy.js'
import { bareUrl } from './authorization.js'
import { ConnectionPool, type PoolLimits } from './connection-pool.js'
import { exchangeHop, type OutboundContext, type OutboundSettings } from './exchange-hop.js'
import { BlockedAddressError, openSocket, type SocketGuard } from './open-socket.js'
import { OutboundError } from './outbound-error.js'
import type { Hop, OutboundRequest } from './outbound-request.js'
import { createResolver, type Resolve } from './resolver.js'

export interface OutboundResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** The URL after redirects, without credentials and fragment. */
  readonly url: string
  readonly timings: OutboundTimings
}

export interface OutboundTimings {
  /** Connect time of the last hop, ms; 0 on a reused connection. */
  readonly connectMs: number
  readonly headersMs: number
  readonly totalMs: number
}

export interface Outbound extends AsyncDisposable {
  /** Resolves with any HTTP response; rejects with OutboundError and nothing else. */
  request(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse>
  /**
   * Opens a connected socket to the host of a `ws:` or `wss:` URL, TLS included, at an address that
   * was checked; the caller closes it. Plain `ws:` leads to private addresses only. Rejects with
   * OutboundError.
   */
  openSocket(url: string, signal: AbortSignal): Promise<Socket>
  /** True when the policy lets a plain `ws:` URL reach any address. */
  readonly allowsPlainSockets: boolean
  /** The number of connections open or being opened, without sockets that were handed out. */
  readonly connections: number
}

export interface OutboundDeps {
  readonly policy: AddressPolicy
  readonly clock: Clock
  readonly log: Logger
  readonly limits?: Partial<PoolLimits>
  readonly resolve?: Resolve
  /** PEM certificates to trust instead of the system's list. */
  readonly ca?: string
  /** Unseals the password of a stored URL; without it URLs are used as they are. */
  readonly openPassword?: (url: URL) => URL
}

const POOL_LIMITS: PoolLimits = {
  // Twenty calls a second whose server takes its fifteen seconds for each.
  connectionsPerOrigin: 320,
  connectionsPerTenant: 384,
  connectionsPerTenantWhenScarce: 32,
  waitingPerTenant: 512,
  connections: 2_048,
}
const DEFAULTS = {
  connectTimeoutMs: 5_000,
  responseTimeoutMs: 15_000,
  totalTimeoutMs: 15_000,
  maxBodyBytes: 64 * 1024,
  ignoresBody: () => false,
  maxRedirects: 10,
  allowedSchemes: ['http:', 'https:'],
  tenant: '',
  serverName: 'sent' as const,
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function createOutbound(deps: OutboundDeps): Outbound {
  const pool = new ConnectionPool({ ...POOL_LIMITS, ...deps.limits })
  const guard: SocketGuard = {
    resolve: deps.resolve ?? createResolver(),
    judge: createAddressPolicy(deps.policy),
    ...(deps.ca !== undefined && { ca: deps.ca }),
  }
  const closing = new AbortController()
  // Each running request listens; their number is the pool's to limit.
  setMaxListeners(0, closing.signal)
  const running = new Set<Promise<unknown>>()
  const context: OutboundContext = {
    pool,
    guard,
    clock: deps.clock,
    log: deps.log,
    openPassword: deps.openPassword ?? ((url) => url),
  }
  return {
    get connections() {
      return pool.size
    },
    allowsPlainSockets: deps.policy.mode === 'allow-private' || deps.policy.allow.length > 0,
    openSocket: async (url, signal) => {
      using either = linkAbort([signal, closing.signal])
      return await openWebSocketHost(context, url, either.signal)
    },
    request: async (request, signal) => {
      const work = limitedRequest(context, request, [signal, closing.signal])
      running.add(work)
      try {
        return await work
      } finally {
        running.delete(work)
      }
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await Promise.allSettled(running)
      await pool[Symbol.asyncDispose]()
    },
  }
}

async function openWebSocketHost(
  { guard, log }: OutboundContext,
  text: string,
  signal: AbortSignal,
): Promise<Socket> {
  const url = bareUrl(parseUrl(text, ['ws:', 'wss:']))
  // What anybody on the way could read stays on the operator's own network.
  const judge = url.protocol === 'ws:' ? privateOnly(guard.judge) : guard.judge
  const how = { connectTimeoutMs: DEFAULTS.connectTimeoutMs, serverName: DEFAULTS.serverName }
  try {
    return await openSocket(url, { ...guard, judge }, how, signal)
  } catch (error) {
    if (error instanceof OutboundError) {
      logBlocked(log, error)
      throw error
    }
    if (signal.aborted) throw new OutboundError('aborted', url.href, error)
    throw error
  }
}

function privateOnly(judge: SocketGuard['judge']): SocketGuard['judge'] {
  const isPublic = createAddressPolicy({ mode: 'public-only', allow: [] })
  return (address, port) =>
    isPublic(address).isAllowed
      ? { isAllowed: false, range: 'public, without TLS' }
      : judge(address, port)
}

async function limitedRequest(
  context: OutboundContext,
  request: OutboundRequest,
  signals: readonly AbortSignal[],
): Promise<OutboundResponse> {
  const settings: OutboundSettings = { ...DEFAULTS, ...request }
  const url = parseUrl(request.url, settings.allowedSchemes)
  const shown = bareUrl(url).href
  const reason = (): Error => new OutboundError('total-timeout', shown)
  using limited = linkAbort(signals, { ms: settings.totalTimeoutMs, reason })
  try {
    return await followed(context, settings, url, limited.signal)
  } catch (error) {
    if (limited.isLate) throw reasonOf(limited.signal)
    if (limited.signal.aborted) throw new OutboundError('aborted', shown, error)
    if (error instanceof OutboundError) logBlocked(context.log, error)
    throw error
  }
}

function logBlocked(log: Logger, { kind, url, cause }: OutboundError): void {
  if (kind === 'blocked-address' && cause instanceof BlockedAddressError)
    log.warn({ url, address: cause.address, range: cause.range }, 'refused to contact an address')
}

async function followed(
  context: OutboundContext,
  settings: OutboundSettings,
  url: URL,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const startedAt = context.clock.monotonic()
  const { method, body: given } = settings
  const body = typeof given === 'string' ? Buffer.from(given) : given
  let hop: Hop = { url, method, body }
  for (let redirects = 0; ; redirects += 1) {
    const response = await exchangeHop(context, settings, hop, signal)
    const shown = bareUrl(hop.url).href
    if (!isRedirect(response.status) || settings.maxRedirects === 0) {
      const totalMs = context.clock.monotonic() - startedAt
      return { ...response, url: shown, timings: { ...response.timings, totalMs } }
    }
    if (redirects === settings.maxRedirects) throw new OutboundError('too-many-redirects', shown)
    const location = response.headers.get('location')
    const next = nextHop(hop, response.status, location, settings.allowedSchemes)
    if (next === undefined) throw new OutboundError('bad-redirect', shown)
    hop = next
  }
}

function parseUrl(text: string, allowedSchemes: readonly string[]): URL {
  const url = URL.canParse(text) ? wireUrl(text) : undefined
  if (url === undefined || !allowedSchemes.includes(url.protocol))
    throw new OutboundError('bad-url', url === undefined ? '' : bareUrl(url).href)
  return url
}

function isRedirect(status: number): boolean {
  return REDIRECTS.has(status)
}

/**
 * Resolves `location` to a URL; undefined when it is malformed or has a scheme that is not allowed.
 * 301, 302 and 303 turn a POST into a GET without its body, as every browser does (RFC 9110 §15.4);
 * 307 and 308 keep both. Credentials of the URL stay with their origin.
 */
function nextHop(
  hop: Hop,
  status: number,
  location: string | null,
  allowedSchemes: readonly string[],
): Hop | undefined {
  if (location === null || !URL.canParse(location, hop.url.href)) return undefined
  const url = wireUrl(location, hop.url)
  if (!allowedSchemes.includes(url.protocol)) return undefined
  if (url.origin === hop.url.origin && url.username === '' && url.password === '') {
    url.username = hop.url.username
    url.password = hop.url.password
  }
  const keepsMethod = status === 307 || status === 308 || hop.method === 'GET'
  return keepsMethod ? { ...hop, url } : { url, method: 'GET', body: undefined }
}

/** Returns the URL as sent: a trailing question mark without a query is removed. */
function wireUrl(text: string, base?: URL): URL {
  const url = new URL(text, base)
  if (url.search === '') url.search = ''
  return url
}
