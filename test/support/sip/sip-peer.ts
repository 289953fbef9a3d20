/**
 * A test phone: SIP over UDP written by hand, RTP with one tone. It shares no code with the product, so that a
 * fault cannot be in both.
 */
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { Law } from '../media/rtp-g711.js'
import { RtpPeer } from '../media/rtp-peer.js'
import type { TestSuite } from '../media/secure-rtp.js'
import { freePort } from '../process/free-port.js'
import { waitUntil } from '../time/wait-until.js'
import {
  headerOf,
  headersOf,
  type PeerMessage,
  parseMessage,
  tagOf,
  uriOf,
  writeMessage,
} from './sip-peer-message.js'

export interface SdpOptions {
  readonly codecs?: readonly Law[]
  /** Payload type of telephone events; `none` for a phone without them. */
  readonly digitPayloadType?: number | 'none'
  readonly direction?: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'
  readonly version?: number
  /** The peer's SRTP key, base64 as in `a=crypto`; the audio is then RTP/SAVP. */
  readonly key?: string | undefined
  /** Suite and tag of its `a=crypto`; default: the first suite, and 1. */
  readonly suite?: TestSuite
  readonly tag?: number
  /** Media lines after the audio. */
  readonly more?: readonly string[]
}

const LOOPBACK = '127.0.0.1'
/** Time limit for a message, ms; long, since a busy machine pauses any process. */
const LIMIT_MS = 15_000
const PAYLOADS: Readonly<Record<Law, number>> = { PCMU: 0, PCMA: 8 }

function cryptoLines({ key, suite, tag = 1 }: SdpOptions): readonly string[] {
  if (key === undefined) return []
  return [`a=crypto:${String(tag)} ${suite ?? 'AES_CM_128_HMAC_SHA1_80'} inline:${key}`]
}

export class SipPeer implements Disposable {
  readonly rtp: RtpPeer
  /** Received messages, in order. */
  readonly log: PeerMessage[] = []
  readonly calls: PeerCall[] = []
  readonly #socket: Socket
  readonly #address: string
  readonly #server: string
  /** SRTP key of the last SDP. */
  #key: string | undefined
  #isClosed = false

  /** Opens a phone on a loopback address; `server` is the destination of its messages. */
  static async open(address = LOOPBACK, server = address): Promise<SipPeer> {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    // Port 0 could get the number of a private listener, which calls must not reach.
    socket.bind(await freePort(), address)
    await once(socket, 'listening')
    return new SipPeer(socket, address, server, await RtpPeer.open({ host: address }))
  }

  private constructor(socket: Socket, address: string, server: string, rtp: RtpPeer) {
    this.#socket = socket
    this.#address = address
    this.#server = server
    this.rtp = rtp
    rtp.speak(0)
    socket.on('message', (packet, from) => {
      this.#take(parseMessage(packet.toString('utf8')), from.port)
    })
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** The address in the form for URIs and Via. */
  get host(): string {
    return isIPv6(this.#address) ? `[${this.#address}]` : this.#address
  }

  uri(user = 'peer'): string {
    return `sip:${user}@${this.host}:${String(this.port)}`
  }

  sdp(options: SdpOptions = {}): string {
    const { codecs = ['PCMU'], digitPayloadType = 101, direction = 'sendrecv' } = options
    const crypto = cryptoLines(options)
    this.#key = options.key
    const profile = crypto.length === 0 ? 'RTP/AVP' : 'RTP/SAVP'
    const digits = digitPayloadType === 'none' ? [] : [String(digitPayloadType)]
    const place = `IN ${isIPv6(this.#address) ? 'IP6' : 'IP4'} ${this.#address}`
    const payloads = [...codecs.map((codec) => PAYLOADS[codec]), ...digits]
    return [
      'v=0',
      `o=peer 1 ${String(options.version ?? 1)} ${place}`,
      's=-',
      `c=${place}`,
      't=0 0',
      `m=audio ${String(this.rtp.port)} ${profile} ${payloads.join(' ')}`,
      ...crypto,
      ...codecs.map((codec) => `a=rtpmap:${String(PAYLOADS[codec])} ${codec}/8000`),
      ...digits.flatMap((type) => [`a=rtpmap:${type} telephone-event/8000`, `a=fmtp:${type} 0-15`]),
      'a=ptime:20',
      `a=${direction}`,
      ...(options.more ?? []),
      '',
    ].join('\r\n')
  }

  /**
   * Resolves with the oldest call to this peer that the test has neither received nor answered; its INVITE may
   * have arrived earlier.
   */
  nextCall(limitMs = LIMIT_MS): Promise<PeerCall> {
    const next = this.#nextCall(limitMs)
    // Tests start to wait before the call and await the result later: a rejection in between must not be
    // reported as unhandled.
    next.catch(() => undefined)
    return next
  }

  /** Calls `port` on loopback. */
  call(port: number, options: OutgoingOptions = {}): PeerCall {
    const call = PeerCall.outgoing(this, port, options)
    this.calls.push(call)
    return call
  }

  send(text: string | Buffer, port: number): void {
    this.#socket.send(text, port, this.#server)
  }

  /** Uses the far side's SRTP key from its SDP, if both sides have one. */
  takeKey(sdp: string): void {
    const [, suite, receiveKey] = /^a=crypto:\d+ (\S+) inline:([^\s|]+)/m.exec(sdp) ?? []
    if (this.#key === undefined || suite === undefined || receiveKey === undefined) return
    this.rtp.secure({ suite: suite as TestSuite, sendKey: this.#key, receiveKey })
  }

  /** Start lines of the received messages, for failure texts. */
  seen(): string[] {
    return this.log.map((message) => message.startLine)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.close()
    this.rtp.close()
  }

  async #nextCall(limitMs: number): Promise<PeerCall> {
    let next: PeerCall | undefined
    await waitUntil(
      'an INVITE arrives',
      () => {
        next = this.calls.find(({ isTaken }) => !isTaken)
        if (next !== undefined) next.isTaken = true
        return next !== undefined
      },
      limitMs,
      () => this.seen(),
    )
    if (!next) throw new Error('unreachable')
    return next
  }

  #take(message: PeerMessage, port: number): void {
    this.log.push(message)
    const callId = headerOf(message, 'call-id')
    const known = this.calls.find((call) => call.callId === callId)
    if (known) known.take(message)
    else if (message.method === 'INVITE') {
      const call = PeerCall.incoming(this, message, port)
      this.calls.push(call)
    }
  }
}

interface ResponseOptions {
  readonly sdp?: string
  readonly headers?: readonly (readonly [string, string])[]
  /** The request to answer; default: the call's INVITE. */
  readonly to?: PeerMessage
  /** To-tag of another phone, as in a forked call. */
  readonly tag?: string
  /** Header to omit from the response. */
  readonly without?: 'Contact'
}

export interface OutgoingOptions {
  /** Request-URI and To, if not a SIP URI; replaces `user` and `host`. */
  readonly uri?: string
  readonly user?: string
  /** Host of the Request-URI, if it differs from the destination of the INVITE. */
  readonly host?: string
  readonly from?: string
  /** SDP of the INVITE; null for none. */
  readonly sdp?: string | null
  readonly headers?: readonly (readonly [string, string])[]
  /** True to send no ACK for a 200. */
  readonly isSilentAfterAnswer?: boolean
  /** True to send no RTP until the test sets a destination. */
  readonly isMute?: boolean
}

/** In-dialog requests that a polite peer answers automatically. */
const ANSWERED = ['BYE', 'OPTIONS', 'INFO', 'NOTIFY']

/**
 * One call of a peer, in either direction. It answers BYE, OPTIONS, INFO and NOTIFY automatically; the test
 * does the rest.
 */
export class PeerCall {
  readonly log: PeerMessage[] = []
  readonly callId: string
  readonly invite: PeerMessage
  readonly #peer: SipPeer
  readonly #port: number
  readonly #isCaller: boolean
  readonly #options: OutgoingOptions
  #local: string
  #remote: string
  #target: string
  #cseq: number
  #answer: { text: string; cseq: string } | undefined
  readonly #sent = new Map<number, { sdp: string | null }>()
  /** False to leave in-dialog requests to the test. */
  isPolite = true
  /** False to leave the ACK of a 200 to the test. */
  acksByItself = true
  /** True once the test has placed, received or answered the call. */
  isTaken: boolean

  static incoming(peer: SipPeer, invite: PeerMessage, port: number): PeerCall {
    return new PeerCall(peer, port, invite, false, {})
  }

  static outgoing(peer: SipPeer, port: number, options: OutgoingOptions): PeerCall {
    const tag = randomBytes(4).toString('hex')
    const host = options.host ?? `${peer.host}:${String(port)}`
    const target = options.uri ?? `sip:${options.user ?? '15550001111'}@${host}`
    const sdp = options.sdp === undefined ? peer.sdp() : (options.sdp ?? '')
    const text = writeMessage(
      `INVITE ${target} SIP/2.0`,
      [
        ['Via', `SIP/2.0/UDP ${peer.host}:${String(peer.port)};branch=z9hG4bK${tag};rport`],
        ['Max-Forwards', '70'],
        ['From', options.from ?? `"Peer" <${peer.uri('15559990000')}>;tag=${tag}`],
        ['To', `<${target}>`],
        ['Call-ID', `${tag}@peer`],
        ['CSeq', '1 INVITE'],
        ['Contact', `<${peer.uri()}>`],
        ...(options.headers ?? []),
      ],
      sdp,
    )
    const call = new PeerCall(peer, port, parseMessage(text), true, options)
    peer.send(text, port)
    return call
  }

  private constructor(
    peer: SipPeer,
    port: number,
    invite: PeerMessage,
    isCaller: boolean,
    options: OutgoingOptions,
  ) {
    this.#peer = peer
    this.#port = port
    this.#isCaller = isCaller
    this.#options = options
    this.invite = invite
    this.callId = headerOf(invite, 'call-id')
    const tag = randomBytes(4).toString('hex')
    this.#local = isCaller ? headerOf(invite, 'from') : `${headerOf(invite, 'to')};tag=${tag}`
    this.#remote = headerOf(invite, isCaller ? 'to' : 'from')
    this.#target = isCaller
      ? (invite.startLine.split(' ')[1] ?? '')
      : uriOf(headerOf(invite, 'contact'))
    this.#cseq = 1
    this.isTaken = isCaller
    if (!isCaller) this.listenTo(invite)
  }

  /** Sends RTP to the destination in this message's SDP. */
  listenTo(message: PeerMessage): void {
    this.#peer.takeKey(message.body)
    if (this.#options.isMute === true) return
    const port = Number(/^m=audio (\d+)/m.exec(message.body)?.[1] ?? 0)
    const address = /^c=IN IP[46] (\S+)/m.exec(message.body)?.[1] ?? LOOPBACK
    if (port !== 0) this.#peer.rtp.remote = { address, port }
  }

  // --- as the called party ---

  respond(status: number, reason: string, options: ResponseOptions = {}): void {
    this.isTaken = true
    this.#respond(status, reason, options)
  }

  #respond(status: number, reason: string, options: ResponseOptions = {}): void {
    const request = options.to ?? this.invite
    if (options.tag !== undefined && status >= 200)
      this.#local = `${headerOf(this.invite, 'to')};tag=${options.tag}`
    const own = tagOf(headerOf(request, 'to')) === undefined
    const text = writeMessage(
      `SIP/2.0 ${String(status)} ${reason}`,
      [
        ...headersOf(request, 'via').map((via): [string, string] => ['Via', via]),
        ...headersOf(request, 'record-route').map((r): [string, string] => ['Record-Route', r]),
        ['From', headerOf(request, 'from')],
        ['To', own ? this.#toWith(options.tag) : headerOf(request, 'to')],
        ['Call-ID', this.callId],
        ['CSeq', headerOf(request, 'cseq')],
        ...(options.without === 'Contact' ? [] : [['Contact', `<${this.#peer.uri()}>`] as const]),
        ...(options.headers ?? []),
      ],
      options.sdp ?? '',
    )
    this.#peer.send(text, this.#port)
    if (status >= 200 && request.method === 'INVITE')
      this.#answer = { text, cseq: headerOf(request, 'cseq') }
  }

  ring(): void {
    this.respond(180, 'Ringing')
  }

  /** Sends a 200 and resolves with its ACK; `to` is the INVITE or a retransmission. */
  async answer(sdp = this.#peer.sdp(), to = this.invite): Promise<void> {
    const cseq = Number.parseInt(headerOf(to, 'cseq'), 10)
    this.#peer.takeKey(to.body)
    this.respond(200, 'OK', { sdp, to })
    await this.#find(
      'ACK',
      LIMIT_MS,
      (message) => headerOf(message, 'cseq') === `${String(cseq)} ACK`,
    )
  }

  #toWith(tag: string | undefined): string {
    return tag === undefined ? this.#local : `${headerOf(this.invite, 'to')};tag=${tag}`
  }

  // --- as the calling party ---

  /** Resolves with the first response with this status to the INVITE, or to a later request of that method. */
  async response(status: number, method = 'INVITE', limitMs = LIMIT_MS): Promise<PeerMessage> {
    return this.#find(
      `${String(status)} to ${method}`,
      limitMs,
      (message) => message.status === status && headerOf(message, 'cseq').endsWith(method),
    )
  }

  /** Responses with this status to one method, in the order of requests, without retransmissions. */
  responses(status: number, method = 'INVITE'): readonly PeerMessage[] {
    const byNumber = new Map<number, PeerMessage>()
    for (const message of this.log) {
      const cseq = headerOf(message, 'cseq')
      if (message.status === status && cseq.endsWith(method))
        byNumber.set(Number.parseInt(cseq, 10), message)
    }
    return [...byNumber].sort(([a], [b]) => a - b).map(([, message]) => message)
  }

  cancel(): void {
    this.#send('CANCEL', { cseq: 1, isCancel: true })
  }

  ack(sdp = ''): void {
    this.#send('ACK', { cseq: this.#lastInviteCseq(), sdp })
  }

  /** Sends a PRACK for a reliable provisional response (RFC 3262 §4). */
  prack(provisional: PeerMessage): void {
    const rack = `${headerOf(provisional, 'rseq')} ${headerOf(provisional, 'cseq')}`
    this.#target = uriOf(headerOf(provisional, 'contact')) || this.#target
    this.#send('PRACK', { headers: [['RAck', rack]] })
  }

  // --- inside the dialog ---

  /**
   * Resolves with the first request of this method, including earlier ones, but never with the call's own
   * INVITE.
   */
  async request(method: string, limitMs = LIMIT_MS): Promise<PeerMessage> {
    const isFirstInvite = (message: PeerMessage) =>
      method === 'INVITE' && headerOf(message, 'via') === headerOf(this.invite, 'via')
    const isWanted = (message: PeerMessage) => message.method === method && !isFirstInvite(message)
    return this.#find(method, limitMs, isWanted)
  }

  /** Requests of this method in the order of CSeq, without retransmissions. */
  requests(method: string): readonly PeerMessage[] {
    const byNumber = new Map<number, PeerMessage>()
    for (const message of this.log)
      if (message.method === method)
        byNumber.set(Number.parseInt(headerOf(message, 'cseq'), 10), message)
    return [...byNumber].sort(([a], [b]) => a - b).map(([, message]) => message)
  }

  bye(): void {
    this.#send('BYE', {})
  }

  reinvite(sdp: string | null, method: 'INVITE' | 'UPDATE' = 'INVITE'): void {
    this.#send(method, { sdp: sdp ?? '' })
  }

  info(type: string, body: string): void {
    this.#send('INFO', { sdp: body, headers: [['Content-Type', type]] })
  }

  options(): void {
    this.#send('OPTIONS', {})
  }

  /**
   * Sends a NOTIFY of a referral; `fragment` is a status line without its version, `200 OK` (RFC 3515 §2.4.4).
   */
  notify(fragment: string, state: string, event = 'refer'): void {
    this.#send('NOTIFY', {
      sdp: `SIP/2.0 ${fragment}\r\n`,
      headers: [
        ['Event', event],
        ['Subscription-State', state],
        ['Content-Type', 'message/sipfrag;version=2.0'],
      ],
    })
  }

  refer(target: string): void {
    this.#send('REFER', { headers: [['Refer-To', `<${target}>`]] })
  }

  take(message: PeerMessage): void {
    this.log.push(message)
    if (message.status !== undefined) this.#takeResponse(message)
    else this.#takeRequest(message)
  }

  #takeResponse(message: PeerMessage): void {
    const { status = 0 } = message
    if (!headerOf(message, 'cseq').endsWith('INVITE')) return
    if (status > 100 && this.#isCaller) this.#remote = headerOf(message, 'to')
    if (status < 200) {
      if (message.body !== '') this.listenTo(message)
      return
    }
    if (status < 300) {
      this.#target = uriOf(headerOf(message, 'contact')) || this.#target
      this.listenTo(message)
      const isOfferless = this.#options.sdp === null
      const isSilent = this.#options.isSilentAfterAnswer === true || isOfferless
      // A retransmitted 200 may belong to an earlier INVITE than the last one.
      if (this.acksByItself && !isSilent)
        this.#send('ACK', { cseq: Number.parseInt(headerOf(message, 'cseq'), 10) })
    } else
      this.#send('ACK', { cseq: Number.parseInt(headerOf(message, 'cseq'), 10), isCancel: true })
  }

  #takeRequest(message: PeerMessage): void {
    if (message.method === 'INVITE' && this.#answer?.cseq === headerOf(message, 'cseq')) {
      this.#peer.send(this.#answer.text, this.#port)
      return
    }
    if (!this.isPolite) return
    if (message.method === 'CANCEL') {
      this.#respond(200, 'OK', { to: message })
      this.#respond(487, 'Request Terminated')
    } else if (ANSWERED.includes(message.method ?? '')) this.#respond(200, 'OK', { to: message })
  }

  async #find(
    what: string,
    limitMs: number,
    matches: (message: PeerMessage) => boolean,
  ): Promise<PeerMessage> {
    await waitUntil(
      what,
      () => this.log.some(matches),
      limitMs,
      () => this.log.map((message) => message.startLine),
    )
    const found = this.log.find(matches)
    if (!found) throw new Error('unreachable')
    return found
  }

  #lastInviteCseq(): number {
    return Math.max(1, ...[...this.#sent].filter(([, s]) => s.sdp !== null).map(([n]) => n))
  }

  #send(
    method: string,
    options: {
      cseq?: number
      sdp?: string
      isCancel?: boolean
      headers?: readonly (readonly [string, string])[]
    },
  ): void {
    if (options.cseq === undefined) this.#cseq += 1
    const cseq = options.cseq ?? this.#cseq
    if (method === 'INVITE') this.#sent.set(cseq, { sdp: options.sdp ?? '' })
    const via = headerOf(this.invite, 'via')
    // CANCEL and the ACK of a refusal are part of the INVITE's transaction (RFC 3261 §9.1, §17.1.1.3).
    const branch = `z9hG4bK${randomBytes(6).toString('hex')}`
    const target = options.isCancel ? (this.invite.startLine.split(' ')[1] ?? '') : this.#target
    const to = options.isCancel && method === 'CANCEL' ? headerOf(this.invite, 'to') : this.#remote
    this.#peer.send(
      writeMessage(
        `${method} ${target} SIP/2.0`,
        [
          [
            'Via',
            options.isCancel
              ? via
              : `SIP/2.0/UDP ${this.#peer.host}:${String(this.#peer.port)};branch=${branch};rport`,
          ],
          ['Max-Forwards', '70'],
          ['From', this.#local],
          ['To', to],
          ['Call-ID', this.callId],
          ['CSeq', `${String(cseq)} ${method}`],
          ['Contact', `<${this.#peer.uri()}>`],
          ...(options.headers ?? []),
        ],
        options.sdp ?? '',
      ),
      this.#port,
    )
  }

  /** Tag of this phone. */
  get localTag(): string | undefined {
    return tagOf(this.#local)
  }

  /** Tag of the far side; undefined while unknown. */
  get remoteTag(): string | undefined {
    return tagOf(this.#remote)
  }
}
