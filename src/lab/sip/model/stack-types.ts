/**
 * The border between the SIP transport and transaction layers (below) and their users (above): the
 * drachtio-protocol server, the media server's user agent and the lab phones.
 */
import type { Logger } from '../../../platform/log.js'
import type { SipRequest, SipResponse } from '../message/types.js'

export type SipTransportName = PlainTransportName | 'tls'
/** The transports without encryption, which share one port. */
export type PlainTransportName = 'udp' | 'tcp'

/** The network address that a message came from or goes to. */
export interface SipPeer {
  readonly transport: SipTransportName
  readonly address: string
  readonly port: number
  /**
   * The name that a TLS server's certificate must be for (RFC 5922 §7); undefined for its address.
   */
  readonly serverName?: string | undefined
  /** True when only the connection that is there leads to the peer; none is dialled (RFC 5626). */
  readonly isFlow?: boolean | undefined
}

/** A certificate, its key, and the authorities that servers are checked against, in PEM. */
export interface SipTlsCredentials {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

export interface SipTlsOptions {
  /** The port; 0 picks a free one. */
  readonly port: number
  readonly credentials: SipTlsCredentials
}

export interface SipStackOptions {
  readonly host: string
  /**
   * One more address to listen on, of the other address family, with a free port. It comes last
   * among the contacts.
   */
  readonly otherHost?: string | undefined
  /** The port; 0 picks a free one, the same for UDP and TCP. */
  readonly port: number
  readonly transports: readonly PlainTransportName[]
  /** TLS on the first address; without it nothing is sent or received over TLS. */
  readonly tls?: SipTlsOptions | undefined
  readonly limits?: Partial<SipLimits>
  /** The timers T1, T2, T4 of RFC 3261 §17 and the limits around them; tests make them small. */
  readonly timing?: Partial<SipTiming>
  readonly resolver?: SipResolver
  /** True for a request that gets no byte of an answer and is not shown to the user. */
  readonly isDiscarded?: (request: SipRequest) => boolean
  /** The new requests a second that one address may send; unlimited without it. */
  readonly sourceRate?: number
  /** The stacks of this process that are reached without the system; by default none. */
  readonly neighbours?: SipNeighbours | undefined
  readonly log?: Logger
}

/** Knows the UDP ports of several stacks of one process. */
export interface SipNeighbours {
  /** Adds a port; the returned function takes it out. */
  join(own: SipPeer, receive: (bytes: Buffer, from: SipPeer) => void): () => void
  /**
   * Hands a datagram over in the next turn of the event loop, and returns true, when the port is one
   * of ours. One that has closed by then loses it, as on a network.
   */
  deliver(bytes: Buffer, from: SipPeer, to: SipPeer): boolean
}

/**
 * Resolves names to addresses (RFC 3263); a rejection and an empty list both mean that there are
 * none.
 */
export interface SipResolver {
  srv(name: string): Promise<readonly SrvRecord[]>
  /** Finds IPv4 and IPv6 addresses, in the order to try. */
  addresses(name: string): Promise<readonly string[]>
}

/** One SRV record (RFC 2782). */
export interface SrvRecord {
  readonly name: string
  readonly port: number
  readonly priority: number
  readonly weight: number
}

/**
 * The limits of what a peer may make us hold; a message over one is answered or dropped as RFC 3261
 * allows.
 */
export interface SipLimits {
  readonly messageBytes: number
  readonly headerBytes: number
  readonly headerChars: number
  readonly headers: number
  /** The TCP connections at once; those of TLS have the same limits, counted apart. */
  readonly tcpConnections: number
  /** The TCP connections that one address may have open; the rest stay free for others. */
  readonly tcpConnectionsPerSource: number
  /** The TCP connections of addresses none of whose requests was accepted yet. */
  readonly tcpStrangers: number
  readonly tcpStrangersPerSource: number
  /** The time that such a connection lives. */
  readonly tcpStrangerMs: number
  /** The time that a TCP connection may rest after sending part of a message. */
  readonly tcpIdleMs: number
  /** The time that a client's TLS handshake may take. */
  readonly tlsHandshakeMs: number
  readonly serverTransactions: number
}

/** The transaction user, which is told of every new request outside a known server transaction. */
export interface TransactionUser {
  /** Called for every new request but a CANCEL that matches (see `onCancel`) and an ACK. */
  onRequest(transaction: ServerTransaction): void
  /**
   * Called for the ACK of a 2xx, which belongs to a dialog and not to a transaction (RFC 3261
   * §13.2.2.4).
   */
  onAck(request: SipRequest, from: SipPeer): void
  /**
   * Called at a matching CANCEL, which the stack has already answered with 200. The user answers
   * the INVITE (487) unless it has sent a final response.
   */
  onCancel(transaction: ServerTransaction, cancel: SipRequest): void
}

export interface ServerTransaction {
  /** The id, unique in this process: a UUID, as the drachtio protocol shows it to its clients. */
  readonly id: string
  /** The request as received; its top Via has `received` and `rport` (RFC 3261 §18.2.1, RFC 3581 §4). */
  readonly request: SipRequest
  readonly from: SipPeer
  /** The tag that the stack gives to the To of each response that comes without one. */
  readonly toTag: string
  readonly state: 'trying' | 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'terminated'
  /**
   * Sends a response; the stack adds nothing but Via, Content-Length and what RFC 3261 §8.2.6 wants
   * when missing (From, To with the given tag, Call-ID, CSeq). It retransmits as §17.2 says; a 2xx to
   * INVITE is retransmitted until `ackReceived()` or 64×T1 (§13.3.1.4), when `onTimeout` fires.
   * Returns the message as sent, or undefined when a final response was sent before.
   */
  respond(response: SipResponse): SipResponse | undefined
  ackReceived(): void
  onTimeout?: () => void
}

export interface ClientTransactionEvents {
  /**
   * Called for every provisional response, then once for the final one. Each further 2xx to an
   * INVITE comes too, since a retransmitted one wants its ACK again (RFC 6026 §7.2).
   */
  onResponse(response: SipResponse, from: SipPeer): void
  /**
   * Called when no final response came in 64×T1 (timer B or F), or the transport failed: as a 408
   * or 503 (§8.1.3.1). `why` is known when a TLS connection was not made.
   */
  onFailure(kind: 'timeout' | 'transport', why?: Error): void
}

export interface ClientTransaction {
  readonly id: string
  /** The request as sent, with Via, Max-Forwards and Content-Length filled in. */
  readonly request: SipRequest
  readonly to: SipPeer
  /** Sends CANCEL as soon as a provisional response allows it (§9.1). */
  cancel(extraHeaders?: readonly { name: string; value: string }[]): void
}

export interface SipStack extends AsyncDisposable {
  /** The addresses that other user agents can send to. */
  readonly contacts: readonly SipPeer[]
  setUser(user: TransactionUser): void
  /**
   * Starts a client transaction. The destination is `to`, else the first Route, else the request URI,
   * looked up by RFC 3263 (SRV, A, and the port and transport parameters). Rejects with a
   * `SipDestinationError`, and without any event, when that finds nothing.
   */
  send(
    request: SipRequest,
    events: ClientTransactionEvents,
    to?: SipPeer,
  ): Promise<ClientTransaction>
  /** Sends the ACK for a 2xx, without a transaction. */
  sendAck(ack: SipRequest, to?: SipPeer): Promise<SipRequest>
  /** Takes another certificate for new TLS connections. Throws when OpenSSL does not take it. */
  renewTls(credentials: SipTlsCredentials): void
  /** Reads counters for tests and metrics: nothing may be left when all calls are over. */
  stats(): SipStackStats
}

export interface SipStackStats {
  readonly clientTransactions: number
  readonly serverTransactions: number
  readonly timers: number
  readonly tcpConnections: number
  readonly tlsConnections: number
  readonly messagesReceived: number
  readonly messagesDropped: number
  /** The responses that no transaction waits for; none of them is answered. */
  readonly strayResponses: number
  /** The requests that `isDiscarded` told to drop. */
  readonly requestsDiscarded: number
  /** The requests and stray responses over `sourceRate`. */
  readonly requestsLimited: number
}

/** The timers in milliseconds (RFC 3261 §17.1.1.1 and table 4 of its appendix A). */
export interface SipTiming {
  readonly t1: number
  readonly t2: number
  readonly t4: number
  /**
   * The time for which an INVITE may ring without a new provisional response (as timer C, §16.6).
   */
  readonly ringing: number
  /** The time before a server INVITE sends 100 by itself; §17.2.1 allows 200 ms. */
  readonly trying: number
}

export const DEFAULT_TIMING: SipTiming = {
  t1: 500,
  t2: 4_000,
  t4: 5_000,
  ringing: 900_000,
  trying: 0,
}

/** A TLS connection was not made. The message is a sentence for the application. */
export class SipTlsError extends Error {
  override readonly name = 'SipTlsError'
}
