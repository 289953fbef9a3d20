/**
 * One side's view of a SIP dialog (RFC 3261 §12): its identity, sequence numbers, and the
 * destination of requests. It builds requests and checks received ones; it has no network or
 * timers.
 */

import { parseNameAddr } from '../../../platform/sip-grammar/name-addr.js'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import { parseCSeq } from '../message/cseq.js'
import { getAddress, getAddresses, getHeader, getListValues } from '../message/headers.js'
import type { SipHeader, SipMessage, SipRequest, SipResponse } from '../message/types.js'
import type { SipPeer } from '../model/stack-types.js'

export interface DialogIdentity {
  readonly callId: string
  /** The side that sent the INVITE and so created the Call-ID. */
  readonly callIdOf: 'us' | 'them'
  readonly localTag: string
  /** The peer's tag; empty until the peer sends one. */
  readonly remoteTag: string
  /** The From of our requests and the To of the peer's, tag included. */
  readonly localParty: string
  readonly remoteParty: string
}

interface DialogRoute {
  /** The peer's Contact: the request URI of our requests. */
  readonly target: string
  /** The Route header's values, in sending order. */
  readonly routes: readonly string[]
  /** The network address that the Contact was received from. */
  readonly peer: SipPeer
}

export class Dialog {
  readonly identity: DialogIdentity
  #route: DialogRoute
  #localSequence: number
  #remoteSequence: number

  constructor(
    identity: DialogIdentity,
    route: DialogRoute,
    sequence: { readonly local: number; readonly remote: number },
  ) {
    this.identity = identity
    this.#route = route
    this.#localSequence = sequence.local
    this.#remoteSequence = sequence.remote
  }

  get target(): string {
    return this.#route.target
  }

  get localSequence(): number {
    return this.#localSequence
  }

  /**
   * The destination when the Contact is not reachable: for a peer on a TCP connection, or behind a
   * NAT. Undefined when RFC 3263 applies.
   */
  get destination(): SipPeer | undefined {
    const { routes, target, peer } = this.#route
    if (routes.length > 0) return undefined
    const isReachable = peer.transport === 'udp' && parseUri(target)?.host === peer.address
    return isReachable ? undefined : peer
  }

  /** Builds our next request; ACK and CANCEL reuse the sequence number of their request. */
  request(
    method: string,
    headers: readonly SipHeader[] = [],
    body: Buffer = Buffer.alloc(0),
  ): SipRequest {
    this.#localSequence += 1
    return this.#build(method, this.#localSequence, headers, body)
  }

  /** Builds the ACK for the 2xx to our INVITE of this sequence number (RFC 3261 §13.2.2.4). */
  ack(
    sequence: number,
    headers: readonly SipHeader[] = [],
    body: Buffer = Buffer.alloc(0),
  ): SipRequest {
    return this.#build('ACK', sequence, headers, body)
  }

  /**
   * Checks the sequence number of a request; false when it is lower than the last one (RFC 3261
   * §12.2), which is answered 500.
   */
  accept(request: SipRequest): boolean {
    const sequence = sequenceOf(request)
    if (sequence <= this.#remoteSequence) return false
    this.#remoteSequence = sequence
    return true
  }

  /** Stores the Contact of a target refresh: INVITE, UPDATE and their 2xx (RFC 3261 §12.2). */
  refreshTarget(message: SipMessage, peer: SipPeer): void {
    const target = contactUri(message)
    if (target !== undefined) this.#route = { ...this.#route, target, peer }
  }

  #build(
    method: string,
    sequence: number,
    headers: readonly SipHeader[],
    body: Buffer,
  ): SipRequest {
    const { uri, routes } = requestRoute(this.#route)
    return {
      kind: 'request',
      method,
      uri,
      headers: [
        ...routes.map((value) => ({ name: 'Route', value })),
        { name: 'From', value: this.identity.localParty },
        { name: 'To', value: this.identity.remoteParty },
        { name: 'Call-ID', value: this.identity.callId },
        { name: 'CSeq', value: `${sequence} ${method}` },
        ...headers,
      ],
      body,
    }
  }
}

/**
 * Returns the request URI and the routes: a first hop without `lr` must itself be the request URI
 * (RFC 3261 §12.2.1.1).
 */
function requestRoute(route: DialogRoute): {
  readonly uri: string
  readonly routes: readonly string[]
} {
  const [first, ...rest] = route.routes
  const hop = first === undefined ? undefined : parseNameAddr(first)
  const uri = hop && parseUri(hop.uri)
  if (hop === undefined || uri === undefined || 'lr' in uri.params)
    return { uri: route.target, routes: route.routes }
  return { uri: hop.uri, routes: [...rest, `<${route.target}>`] }
}

/** Creates the dialog of a received INVITE, once our response has a tag. */
export function dialogOfServer(invite: SipRequest, from: SipPeer, localTag: string): Dialog {
  return new Dialog(
    {
      callId: getHeader(invite, 'Call-ID') ?? '',
      callIdOf: 'them',
      localTag,
      remoteTag: tagOf(invite, 'From'),
      localParty: withTag(getHeader(invite, 'To') ?? '', localTag),
      remoteParty: getHeader(invite, 'From') ?? '',
    },
    {
      target: contactUri(invite) ?? getAddress(invite, 'From')?.uri ?? '',
      routes: getListValues(invite, 'Record-Route'),
      peer: from,
    },
    { local: 0, remote: sequenceOf(invite) },
  )
}

/** Creates the dialog of a sent INVITE, from a response with a tag. */
export function dialogOfClient(invite: SipRequest, response: SipResponse, from: SipPeer): Dialog {
  return new Dialog(
    {
      callId: getHeader(invite, 'Call-ID') ?? '',
      callIdOf: 'us',
      localTag: tagOf(invite, 'From'),
      remoteTag: tagOf(response, 'To'),
      localParty: getHeader(invite, 'From') ?? '',
      remoteParty: getHeader(response, 'To') ?? '',
    },
    {
      target: contactUri(response) ?? invite.uri,
      routes: getListValues(response, 'Record-Route').reverse(),
      peer: from,
    },
    { local: sequenceOf(invite), remote: -1 },
  )
}

export function tagOf(message: SipMessage, name: 'From' | 'To'): string {
  return getAddress(message, name)?.params['tag'] ?? ''
}

/** The sequence number of a message; 0 when it is missing or invalid. */
export function sequenceOf(message: SipMessage): number {
  return parseCSeq(getHeader(message, 'CSeq') ?? '')?.number ?? 0
}

/** Returns a From or To value with this tag; an existing tag is unchanged. */
export function withTag(value: string, tag: string): string {
  const address = parseNameAddr(value)
  if (address === undefined || 'tag' in address.params) return value
  // Without brackets, the parameter would belong to the URI (RFC 3261 §20).
  return value.includes('<') ? `${value};tag=${tag}` : `<${value}>;tag=${tag}`
}

function contactUri(message: SipMessage): string | undefined {
  return getAddresses(message, 'Contact')?.[0]?.uri
}
