import { randomUUID } from 'node:crypto'
import { lookup, Resolver } from 'node:dns/promises'
import { formatHost } from '../../../platform/sip-grammar/uri.js'
import { isSameHeader } from '../message/header-names.js'
import { getHeader } from '../message/headers.js'
import { DEFAULT_MESSAGE_LIMITS } from '../message/limits.js'
import type { SipHeader, SipRequest } from '../message/types.js'
import { BRANCH_COOKIE } from '../message/via.js'
import { messageLength, writeMessage } from '../message/write-message.js'
import type {
  SipLimits,
  SipPeer,
  SipResolver,
  SipStack,
  SipStackOptions,
  TransactionUser,
} from '../model/stack-types.js'
import { DEFAULT_TIMING } from '../model/stack-types.js'
import { createAdmission } from '../transactions/admission.js'
import { ClientTransactions } from '../transactions/client-transactions.js'
import { ServerTransactions } from '../transactions/server-transactions.js'
import type { TransactionDeps } from '../transactions/transaction-owner.js'
import { Timers } from '../transport/timers.js'
import type { Transport, TransportEvents } from '../transport/transport.js'
import { Listeners } from './listeners.js'
import { contactFor } from './local-addresses.js'
import { type LookupOptions, lookUp, nextHop, SipDestinationError } from './lookup.js'
import { createReceiver, createStatelessAnswers, type MessageCounts } from './receive.js'

const DEFAULT_LIMITS: SipLimits = {
  ...DEFAULT_MESSAGE_LIMITS,
  tcpConnections: 1_024,
  tcpConnectionsPerSource: 256,
  tcpStrangers: 768,
  tcpStrangersPerSource: 64,
  tcpStrangerMs: 60_000,
  tcpIdleMs: 10_000,
  tlsHandshakeMs: 5_000,
  serverTransactions: 50_000,
}
const LOOKUP_TIMEOUT_MS = 2_000
/** The retry delay in a refusal, seconds (RFC 3261 §21.5.4). */
const RETRY_AFTER = [{ name: 'Retry-After', value: '2' }]

/**
 * Maximum size of a datagram, bytes: a longer request needs a transport with congestion control,
 * since the MTU is unknown (RFC 3261 §18.1.1).
 */
const MAX_DATAGRAM_BYTES = 1_300
/**
 * Maximum time for connecting, ms: a firewall may drop the attempt, and the call must not wait
 * long.
 */
const CONNECT_LIMIT_MS = 2_000
/** Time before a peer that refused a TCP connection is tried again, ms. */
const REFUSAL_MS = 10 * 60_000
/** Maximum number of stored refusals; when it is reached, all are deleted. */
const MAX_REFUSALS = 1_024

/** Binds and serves; rejects when an address or port is unavailable. */
export async function createSipStack(options: SipStackOptions): Promise<SipStack> {
  const core = createCore(options)
  const { clients, servers, timers, counts, listeners } = core
  const isKnown = (address: string): boolean => servers.hasAccepted(address)
  await listeners.open(options.transports, options.tls, { ...core, isKnown })
  const { contacts } = listeners
  const large = new LargeRequests(timers)
  const reroute: Sender['reroute'] = (bytes, to) =>
    large.destination(bytes, to, listeners.toward({ ...to, transport: 'tcp' }))
  const sender = createSender({
    contacts,
    deps: core.deps,
    lookup: lookupOptions(options, listeners),
    reroute,
  })
  return {
    contacts,
    setUser: core.setUser,
    send: async (request, transactionEvents, to) => {
      const prepared = await sender.prepare(request, to)
      return clients.start(prepared.request, prepared.branch, prepared.to, transactionEvents)
    },
    sendAck: async (ack, to) => {
      const prepared = await sender.prepare(ack, to)
      sender.sendOnce(prepared)
      return prepared.request
    },
    renewTls: (credentials) => {
      listeners.renewTls(credentials)
    },
    stats: () => ({
      clientTransactions: clients.size,
      serverTransactions: servers.size,
      timers: timers.size,
      tcpConnections: listeners.connections('tcp'),
      tlsConnections: listeners.connections('tls'),
      messagesReceived: counts.received,
      messagesDropped: counts.dropped,
      strayResponses: counts.stray,
      requestsDiscarded: counts.discarded,
      requestsLimited: core.admission?.limited ?? 0,
    }),
    [Symbol.asyncDispose]: async () => {
      timers[Symbol.dispose]()
      await listeners[Symbol.asyncDispose]()
    },
  }
}

/** Sends requests that are too large for a datagram over TCP, to peers that accept it. */
class LargeRequests {
  readonly #timers: Timers
  /** The time at which each peer refused, by a monotonic clock. */
  readonly #refusals = new Map<string, number>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Resolves with the destination of a request of this size that would go to `to`. */
  async destination(bytes: number, to: SipPeer, tcp: Transport | undefined): Promise<SipPeer> {
    if (to.transport !== 'udp' || bytes <= MAX_DATAGRAM_BYTES || tcp === undefined) return to
    const key = `${to.address} ${to.port}`
    const refusedAt = this.#refusals.get(key) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - refusedAt < REFUSAL_MS) return to
    const byTcp: SipPeer = { ...to, transport: 'tcp' }
    if (await this.#inTime(tcp.reach(byTcp))) {
      this.#refusals.delete(key)
      return byTcp
    }
    // RFC 3261 §18.1.1: when the peer refuses TCP, the request SHOULD be retried over UDP.
    if (this.#refusals.size >= MAX_REFUSALS) this.#refusals.clear()
    this.#refusals.set(key, performance.now())
    return to
  }

  #inTime(reached: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      const limit = this.#timers.arm(CONNECT_LIMIT_MS, () => {
        resolve(false)
      })
      void reached.then((isReached) => {
        this.#timers.disarm(limit)
        resolve(isReached)
      })
    })
  }
}

/** Creates all parts that need no socket; the transports are added once they are open. */
function createCore(options: SipStackOptions) {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const timers = new Timers()
  const counts: MessageCounts = { received: 0, dropped: 0, stray: 0, discarded: 0 }
  const listeners = new Listeners(options.host, options.otherHost)
  let user: TransactionUser | undefined

  const showWire = wireListener(options.onWire, listeners)
  const deps = createDeps(options, timers, listeners, showWire)
  const answers = createStatelessAnswers(deps)
  const clients = new ClientTransactions(deps)
  const { sourceRate } = options
  const admission = sourceRate === undefined ? undefined : createAdmission(sourceRate, options.log)
  const servers = new ServerTransactions({
    ...deps,
    maxTransactions: limits.serverTransactions,
    admission,
    user: () => user,
    refuse: (request, from, status) => {
      answers.refuse(request, from, { status, headers: status === 503 ? RETRY_AFTER : [] })
    },
    isRefused: answers.isOurs,
  })
  const { log, isDiscarded } = options
  const receiving = { log, clients, servers, answers, isDiscarded, admission }
  const receiver = createReceiver(receiving, counts)
  const events: TransportEvents = {
    ...receiver,
    onMessage: (reading, from) => {
      if (options.onWire !== undefined) showWire(writeMessage(reading.message), from, 'received')
      receiver.onMessage(reading, from)
    },
  }
  const setUser = (newUser: TransactionUser): void => {
    user = newUser
  }
  return {
    port: options.port,
    limits,
    timers,
    neighbours: options.neighbours,
    counts,
    listeners,
    deps,
    clients,
    servers,
    admission,
    events,
    setUser,
  }
}

/** Returns what tells the listener of a message between a peer and our address toward it. */
function wireListener(onWire: SipStackOptions['onWire'], listeners: Listeners) {
  return (bytes: Buffer, peer: SipPeer, direction: 'sent' | 'received'): void => {
    const us = onWire === undefined ? undefined : contactFor(listeners.contacts, peer)
    if (us === undefined) return
    onWire?.(direction === 'sent' ? { bytes, from: us, to: peer } : { bytes, from: peer, to: us })
  }
}

type ShowWire = ReturnType<typeof wireListener>

function createDeps(
  options: SipStackOptions,
  timers: Timers,
  listeners: Listeners,
  showWire: ShowWire,
): TransactionDeps {
  return {
    timers,
    timing: { ...DEFAULT_TIMING, ...options.timing },
    log: options.log,
    isReliable: (peer) => peer.transport !== 'udp',
    send: (bytes, to, sending) => {
      try {
        const transport = listeners.toward(to)
        if (transport === undefined)
          throw new SipDestinationError(`no ${to.transport} transport reaches ${to.address}`)
        showWire(bytes, to, 'sent')
        transport.send(bytes, to, sending)
      } catch (error) {
        // Node throws for invalid addresses and ports, which come from peers.
        const cause = error instanceof Error ? error : new SipDestinationError(String(error))
        queueMicrotask(() => {
          sending.onFailure(cause)
        })
      }
    },
  }
}

function lookupOptions(options: SipStackOptions, { families }: Listeners): LookupOptions {
  return {
    resolver: options.resolver ?? systemResolver(LOOKUP_TIMEOUT_MS),
    transports: [...options.transports, ...(options.tls === undefined ? [] : (['tls'] as const))],
    families,
    timeoutMs: LOOKUP_TIMEOUT_MS,
    random: Math.random,
  }
}

interface Prepared {
  readonly request: SipRequest
  readonly branch: string
  readonly to: SipPeer
}

interface Sender {
  readonly contacts: readonly SipPeer[]
  readonly deps: TransactionDeps
  readonly lookup: LookupOptions
  /** Resolves with the destination of a request of this size. */
  readonly reroute: (bytes: number, to: SipPeer) => Promise<SipPeer>
}

function createSender({ contacts, deps, lookup, reroute }: Sender) {
  const branded = (request: SipRequest, to: SipPeer): Prepared => {
    const us = contactFor(contacts, to)
    if (us === undefined)
      throw new SipDestinationError(`this stack has no ${to.transport} transport`)
    const branch = newBranch()
    return { request: prepareRequest(request, branch, us), branch, to }
  }
  return {
    prepare: async (request: SipRequest, given: SipPeer | undefined): Promise<Prepared> => {
      const wanted = given ?? (await lookUp(nextHop(request), lookup))
      const prepared = branded(request, wanted)
      const to = await reroute(messageLength(prepared.request), wanted)
      // RFC 3261 §18.1.1: the top Via must name the transport used.
      return to === wanted ? prepared : branded(request, to)
    },
    sendOnce: ({ request, to }: Prepared): void => {
      deps.send(writeMessage(request), to, {
        onFailure: (err) => {
          deps.log?.debug({ err, to }, 'could not send a SIP request')
        },
      })
    },
  }
}

function newBranch(): string {
  return `${BRANCH_COOKIE}${randomUUID()}`
}

/**
 * Returns the request with our Via on top (RFC 3261 §8.1.1.7, RFC 3581 §3), Max-Forwards and
 * Content-Length.
 */
function prepareRequest(request: SipRequest, branch: string, us: SipPeer): SipRequest {
  const sentBy = formatHost(us.address, us.port)
  const via = `SIP/2.0/${us.transport.toUpperCase()} ${sentBy};rport;branch=${branch}`
  const headers: SipHeader[] = [{ name: 'Via', value: via }]
  if (getHeader(request, 'Max-Forwards') === undefined)
    headers.push({ name: 'Max-Forwards', value: '70' })
  for (const header of request.headers)
    if (!isSameHeader(header.name, 'Content-Length')) headers.push(header)
  headers.push({ name: 'Content-Length', value: String(request.body.length) })
  return { ...request, headers }
}

/** Resolves services by DNS, and addresses as the system does, including its hosts file. */
function systemResolver(timeoutMs: number): SipResolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
  return {
    srv: (name) => resolver.resolveSrv(name),
    addresses: async (name) => (await lookup(name, { all: true })).map((entry) => entry.address),
  }
}
