/**
 * The interface between the SIP transport and transaction layers (below) and their users (above):
 * the drachtio-protocol server, the media server's user agent and the lab phones.
 */
import type { Logger } from '../../../platform/log.js'
import type { SipRequest, SipResponse } from '../message/types.js'

export type SipTransportName = PlainTransportName | 'tls'
/** The transports without encryption, which share one port. */
export type PlainTransportName = 'udp' | 'tcp'

/** The network address of a message's source or destination. */
export interface SipPeer {
  readonly transport: SipTransportName
  readonly address: string
  readonly port: number
  /**
   * The name that a TLS server's certificate must match (RFC 5922 §7); undefined to match its
   * address.
   */
  readonly serverName?: string | undefined
  /** True when only the existing connection reaches the peer; none is opened (RFC 5626). */
  readonly isFlow?: boolean | undefined
}

/** A certificate, its key, and the trusted authorities for servers, in PEM. */
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
   * An additional address of the other address family to listen on, with a free port. It is the
   * last contact.
   */
  readonly otherHost?: string | undefined
  /** The port; 0 picks a free one, the same for UDP and TCP. */
  readonly port: number
  readonly transports: readonly PlainTransportName[]
  /** TLS on the first address; undefined disables TLS. */
  readonly tls?: SipTlsOptions | undefined
  readonly limits?: Partial<SipLimits>
  /** The timers T1, T2, T4 of RFC 3261 §17 and related limits; tests set small ones. */
  readonly timing?: Partial<SipTiming>
  readonly resolver?: SipResolver
  /** True for a request that is dropped: it gets no answer and is not shown to the user. */
  readonly isDiscarded?: (request: SipRequest) => boolean
  /** Maximum rate of new requests from one address, per second; unlimited if undefined. */
  readonly sourceRate?: number
  /**
   * The stacks of this process that receive datagrams directly, without the system; none by
   * default.
   */
  readonly neighbours?: SipNeighbours | undefined
  /** Called with each message as it is sent, or as it was read. */
  readonly onWire?: ((message: WireMessage) => void) | undefined
  readonly log?: Logger
}

/** A message on the network, between this stack and a peer. */
export interface WireMessage {
  readonly bytes: Buffer
  readonly from: SipPeer
  readonly to: SipPeer
}

/** A registry of the UDP ports of several stacks in one process. */
export interface SipNeighbours {
  /** Adds a port; the returned function removes it. */
  join(own: SipPeer, receive: (bytes: Buffer, from: SipPeer) => void): () => void
  /**
   * Delivers a datagram in the next event-loop iteration and returns true, when the port is
   * registered. A port that closes before then loses it, as on a network.
   */
  deliver(bytes: Buffer, from: SipPeer, to: SipPeer): boolean
}

/** Resolves names to addresses (RFC 3263); a rejection and an empty list both mean no addresses. */
export interface SipResolver {
  srv(name: string): Promise<readonly SrvRecord[]>
  /** Resolves with IPv4 and IPv6 addresses, in the order to try. */
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
 * Limits on the memory and connections that a peer may use; a message over a limit is answered or
 * dropped as RFC 3261 allows.
 */
export interface SipLimits {
  readonly messageBytes: number
  readonly headerBytes: number
  readonly headerChars: number
  readonly headers: number
  /**
   * Maximum number of concurrent TCP connections; TLS connections are counted separately with the
   * same limits.
   */
  readonly tcpConnections: number
  /** Maximum number of TCP connections from one address, so that others can still connect. */
  readonly tcpConnectionsPerSource: number
  /** Maximum number of TCP connections from addresses without an accepted request so far. */
  readonly tcpStrangers: number
  readonly tcpStrangersPerSource: number
  /** Lifetime of such a connection, ms. */
  readonly tcpStrangerMs: number
  /** Maximum idle time of a TCP connection after a partial message, ms. */
  readonly tcpIdleMs: number
  /** Maximum time for a client's TLS handshake, ms. */
  readonly tlsHandshakeMs: number
  readonly serverTransactions: number
}

/** The transaction user, which receives every new request outside a known server transaction. */
export interface TransactionUser {
  /** Called for every new request except an ACK and a matching CANCEL (see `onCancel`). */
  onRequest(transaction: ServerTransaction): void
  /**
   * Called for the ACK of a 2xx, which belongs to a dialog, not to a transaction (RFC 3261
   * §13.2.2.4).
   */
  onAck(request: SipRequest, from: SipPeer): void
  /**
   * Called for a matching CANCEL, which the stack has already answered with 200. The user answers
   * the INVITE (487) unless it has sent a final response.
   */
  onCancel(transaction: ServerTransaction, cancel: SipRequest): void
}

export interface ServerTransaction {
  /** A UUID, which the drachtio protocol shows to its clients. */
  readonly id: string
  /** The request as received; its top Via has `received` and `rport` (RFC 3261 §18.2.1, RFC 3581 §4). */
  readonly request: SipRequest
  readonly from: SipPeer
  /** The tag that the stack adds to the To of each response without one. */
  readonly toTag: string
  readonly state: 'trying' | 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'terminated'
  /**
   * Sends a response. The stack adds only Via, Content-Length and the headers of RFC 3261 §8.2.6
   * when missing (From, To with the given tag, Call-ID, CSeq). It retransmits as in §17.2; a 2xx to
   * INVITE is retransmitted until `ackReceived()` or 64×T1 (§13.3.1.4), when `onTimeout` is called.
   * Returns the message as sent, or undefined when a final response was sent before.
   */
  respond(response: SipResponse): SipResponse | undefined
  ackReceived(): void
  onTimeout?: () => void
}

export interface ClientTransactionEvents {
  /**
   * Called for every provisional response, then once for the final one. Also called for each
   * further 2xx to an INVITE, since a retransmitted 2xx needs its ACK again (RFC 6026 §7.2).
   */
  onResponse(response: SipResponse, from: SipPeer): void
  /**
   * Called when no final response arrived in 64×T1 (timer B or F), or the transport failed: as a
   * 408 or 503 (§8.1.3.1). `why` is set when a TLS connection failed.
   */
  onFailure(kind: 'timeout' | 'transport', why?: Error): void
}

export interface ClientTransaction {
  readonly id: string
  /** The request as sent, with Via, Max-Forwards and Content-Length filled in. */
  readonly request: SipRequest
  readonly to: SipPeer
  /** Sends CANCEL, once a provisional response allows it (§9.1). */
  cancel(extraHeaders?: readonly { name: string; value: string }[]): void
}

export interface SipStack extends AsyncDisposable {
  /** The addresses at which other user agents reach us. */
  readonly contacts: readonly SipPeer[]
  setUser(user: TransactionUser): void
  /**
   * Starts a client transaction. The destination is `to`, else the first Route, else the request
   * URI, resolved by RFC 3263 (SRV, A, and the port and transport parameters). Rejects with a
   * `SipDestinationError`, without any event, when no destination is found.
   */
  send(
    request: SipRequest,
    events: ClientTransactionEvents,
    to?: SipPeer,
  ): Promise<ClientTransaction>
  /** Sends the ACK for a 2xx, without a transaction. */
  sendAck(ack: SipRequest, to?: SipPeer): Promise<SipRequest>
  /** Sets another certificate for new TLS connections. Throws when OpenSSL rejects it. */
  renewTls(credentials: SipTlsCredentials): void
  /** Returns counters for tests and metrics; nothing may be open when all calls have ended. */
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
  /** Number of responses that match no transaction; none is answered. */
  readonly strayResponses: number
  /** Number of requests dropped by `isDiscarded`. */
  readonly requestsDiscarded: number
  /** Number of requests and stray responses above `sourceRate`. */
  readonly requestsLimited: number
}

/** The timers, ms (RFC 3261 §17.1.1.1 and table 4 of its appendix A). */
export interface SipTiming {
  readonly t1: number
  readonly t2: number
  readonly t4: number
  /** Maximum ringing time of an INVITE without a new provisional response (as timer C, §16.6). */
  readonly ringing: number
  /** Delay before a server INVITE sends 100 automatically; §17.2.1 allows 200 ms. */
  readonly trying: number
}

export const DEFAULT_TIMING: SipTiming = {
  t1: 500,
  t2: 4_000,
  t4: 5_000,
  ringing: 900_000,
  trying: 0,
}

/** A TLS connection failed. The message is a sentence for the application. */
export class SipTlsError extends Error {
  override readonly name = 'SipTlsError'
}
