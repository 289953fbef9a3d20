import { createHash } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { freePort } from '../process/free-port.js'
import { waitUntil } from '../time/wait-until.js'
import {
  headerOf,
  headersOf,
  type PeerMessage,
  parseMessage,
  writeMessage,
} from './sip-peer-message.js'

export interface CarrierAnswer {
  readonly status: number
  readonly headers?: readonly (readonly [string, string])[]
}

/** A carrier's reaction to a request: its answer, or undefined for silence. */
export type CarrierScript = (request: PeerMessage) => CarrierAnswer | undefined

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  401: 'Unauthorized',
  486: 'Busy Here',
}

/**
 * A test carrier: it answers OPTIONS, REGISTER and INVITE over UDP by its script, and sends no requests. It
 * shares no code with the product.
 */
export class CarrierPeer implements Disposable {
  /** Received requests, each once, in order, without retransmissions and ACKs. */
  readonly requests: PeerMessage[] = []
  script: CarrierScript
  readonly #socket: Socket
  readonly #seen = new Set<string>()

  static async open(script: CarrierScript): Promise<CarrierPeer> {
    const socket = createSocket('udp4')
    socket.bind(await freePort(), '127.0.0.1')
    await once(socket, 'listening')
    return new CarrierPeer(socket, script)
  }

  private constructor(socket: Socket, script: CarrierScript) {
    this.#socket = socket
    this.script = script
    socket.on('message', (packet, from) => {
      const message = parseMessage(packet.toString('utf8'))
      if (message.method === undefined || message.method === 'ACK') return
      const id = `${headerOf(message, 'via')} ${message.method}`
      if (!this.#seen.has(id)) this.requests.push(message)
      this.#seen.add(id)
      const answer = this.script(message)
      if (answer !== undefined) socket.send(responseTo(message, answer), from.port, from.address)
    })
  }

  get port(): number {
    return this.#socket.address().port
  }

  of(method: string): PeerMessage[] {
    return this.requests.filter((request) => request.method === method)
  }

  /** Resolves with the request of that method and index, from 0, once it has arrived. */
  async request(method: string, index = 0, limitMs = 15_000): Promise<PeerMessage> {
    const list = () => this.requests.map(({ startLine }) => startLine)
    await waitUntil(
      `${method} ${String(index)}`,
      () => this.of(method).length > index,
      limitMs,
      list,
    )
    const found = this.of(method)[index]
    if (found === undefined) throw new Error('unreachable')
    return found
  }

  [Symbol.dispose](): void {
    this.#socket.close()
  }
}

/** True when the request has a digest of RFC 2617 for this user, computed independently here. */
export function hasDigest(
  request: PeerMessage,
  user: { readonly username: string; readonly password: string; readonly realm: string },
): boolean {
  const header = headerOf(request, 'authorization') || headerOf(request, 'proxy-authorization')
  const field = (name: string) =>
    new RegExp(String.raw`\b${name}="?([^",]*)"?`, 'i').exec(header)?.[1] ?? ''
  const md5 = (...parts: string[]) => createHash('md5').update(parts.join(':')).digest('hex')
  const secret = md5(user.username, user.realm, user.password)
  const asked = md5(request.method ?? '', field('uri'))
  const between =
    field('qop') === ''
      ? [field('nonce')]
      : [field('nonce'), field('nc'), field('cnonce'), field('qop')]
  return (
    header !== '' &&
    field('username') === user.username &&
    field('realm') === user.realm &&
    field('response') === md5(secret, ...between, asked)
  )
}

function responseTo(request: PeerMessage, { status, headers = [] }: CarrierAnswer): string {
  const to = headerOf(request, 'to')
  return writeMessage(
    `SIP/2.0 ${String(status)} ${REASONS[status] ?? 'Answer'}`,
    [
      ...headersOf(request, 'via').map((via): [string, string] => ['Via', via]),
      ['From', headerOf(request, 'from')],
      ['To', to.includes(';tag=') ? to : `${to};tag=carrier`],
      ['Call-ID', headerOf(request, 'call-id')],
      ['CSeq', headerOf(request, 'cseq')],
      ...headers,
    ],
    '',
  )
}
