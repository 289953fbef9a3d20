import { createSocket } from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { SipPeer, SipTransportName } from '../../../src/lab/sip/model/stack-types.js'

/** A received message with parsed fields. */
export interface ProbeMessage {
  readonly text: string
  readonly startLine: string
  header(name: string): string
  readonly body: string
  reply(status: string, parts?: ReplyParts): void
}

export interface ReplyParts {
  readonly headers?: readonly string[]
  readonly body?: string
  readonly toTag?: string
}

/** A SIP peer on a bare socket, without transactions and retransmissions. */
export interface SipProbe extends AsyncDisposable {
  readonly transport: SipTransportName
  readonly port: number
  send(text: string): void
  /**
   * Takes the first message whose start line starts with `start` and that `isWanted` accepts. Retransmitted
   * requests over UDP are dropped, as in a real user agent.
   */
  receive(start: string, isWanted?: (message: ProbeMessage) => boolean): Promise<ProbeMessage>
  readonly inbox: readonly ProbeMessage[]
}

const WAIT_MS = 15_000

/**
 * Opens a probe. `to`: destination of UDP messages, or of a TCP connection; without it, TCP waits for a
 * connection.
 */
export async function openProbe(transport: SipTransportName, to?: SipPeer): Promise<SipProbe> {
  const inbox: ProbeMessage[] = []
  const requests = new Set<string>()
  const arrivals = new EventEmitter()
  const wire = transport === 'udp' ? await openUdp(to) : await openTcp(to)
  wire.onText((text, reply) => {
    const message = messageOf(text, reply)
    const isRequest = !/^(SIP\/2\.0|ACK) /.test(message.startLine)
    // On a busy machine a request may be read only after its retransmission was sent.
    if (isRequest && requests.has(text)) return
    if (isRequest) requests.add(text)
    inbox.push(message)
    arrivals.emit('message')
  })
  return {
    transport,
    port: wire.port,
    inbox,
    send: wire.send,
    receive: async (start, isWanted = () => true) => {
      const limit = AbortSignal.timeout(WAIT_MS)
      for (;;) {
        const at = inbox.findIndex(
          (message) => message.startLine.startsWith(start) && isWanted(message),
        )
        const [found] = at < 0 ? [] : inbox.splice(at, 1)
        if (found !== undefined) return found
        await once(arrivals, 'message', { signal: limit }).catch((cause: unknown) => {
          const seen = inbox.map((message) => message.text).join('\n')
          throw new Error(`no "${start}"; in the inbox:\n${seen}`, { cause })
        })
      }
    },
    [Symbol.asyncDispose]: wire.close,
  }
}

interface Wire {
  readonly port: number
  readonly send: (text: string) => void
  readonly close: () => Promise<void>
  onText(listener: (text: string, reply: (text: string) => void) => void): void
}

async function openUdp(to: SipPeer | undefined): Promise<Wire> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    send: (text) => {
      socket.send(text, to?.port ?? 0, to?.address)
    },
    onText: (listener) => {
      socket.on('message', (bytes, from) => {
        listener(bytes.toString('utf8'), (text) => {
          socket.send(text, from.port, from.address)
        })
      })
    },
    close: async () => {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

async function openTcp(to: SipPeer | undefined): Promise<Wire> {
  let listener: Parameters<Wire['onText']>[0] = () => undefined
  const sockets: Socket[] = []
  const adopt = (socket: Socket): void => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    readMessages(socket, (text) => {
      listener(text, (reply) => socket.write(reply))
    })
  }
  const server = createServer(adopt)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  if (to !== undefined) {
    const socket = connect(to.port, to.address)
    await once(socket, 'connect')
    adopt(socket)
  }
  return {
    port: (server.address() as AddressInfo).port,
    send: (text) => sockets.at(-1)?.write(text),
    onText: (added) => {
      listener = added
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function readMessages(socket: Socket, onText: (text: string) => void): void {
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = /^content-length: *(\d+)/im.exec(pending.toString('utf8', 0, headEnd))?.[1]
      const end = headEnd + 4 + Number(length ?? 0)
      if (pending.length < end) return
      onText(pending.toString('utf8', 0, end))
      pending = pending.subarray(end)
    }
  })
}

function messageOf(text: string, send: (text: string) => void): ProbeMessage {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [startLine = '', ...lines] = head.split('\r\n')
  const headers = (name: string): string[] =>
    lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
  const header = (name: string): string =>
    headers(name)[0]
      ?.slice(name.length + 1)
      .trim() ?? ''
  return {
    text,
    startLine,
    header,
    body: rest.join('\r\n\r\n'),
    reply: (status, { headers: extra = [], body = '', toTag = 'probe' } = {}) => {
      const isTagged = header('To').includes(';tag=') || toTag === ''
      const to = isTagged ? header('To') : `${header('To')};tag=${toTag}`
      const copied = [...headers('Via'), ...headers('Record-Route'), ...headers('From')]
      send(
        sipText(
          `SIP/2.0 ${status}`,
          [...copied, `To: ${to}`, ...headers('Call-ID'), ...headers('CSeq'), ...extra],
          body,
        ),
      )
    },
  }
}

export function sipText(startLine: string, headers: readonly string[], body = ''): string {
  const all = [...headers, `Content-Length: ${String(Buffer.byteLength(body))}`]
  return `${[startLine, ...all].join('\r\n')}\r\n\r\n${body}`
}

/** One call of a probe: requests of one dialog, with their CSeq numbers. */
export class ProbeCall {
  readonly callId: string
  localTag = 'probe1'
  remoteTag = ''
  /** CSeq number of the last request; a test may skip some. */
  sequence = 0
  readonly #probe: SipProbe
  readonly #target: SipPeer
  readonly #user: string

  constructor(probe: SipProbe, target: SipPeer, user = 'trunk') {
    this.#probe = probe
    this.#target = target
    this.#user = user
    this.callId = `${String(probe.port)}-${String(Math.random()).slice(2)}@127.0.0.1`
  }

  /** Creates a request. ACK and CANCEL repeat the CSeq number of the INVITE, as in a real user agent. */
  request(method: string, extra: readonly string[] = [], body = ''): string {
    const isOfInvite = method === 'ACK' || method === 'CANCEL'
    if (!isOfInvite) this.sequence += 1
    const { address, port } = this.#target
    const tag = this.remoteTag === '' ? '' : `;tag=${this.remoteTag}`
    const number = String(this.sequence)
    const branch = method === 'CANCEL' ? `${number}INVITE` : `${number}${method}`
    const text = sipText(
      `${method} sip:${this.#user}@${address}:${String(port)} SIP/2.0`,
      [
        `Via: SIP/2.0/${this.#probe.transport.toUpperCase()} 127.0.0.1:${String(this.#probe.port)};rport;branch=z9hG4bK${this.callId.replace('@', '-')}${branch}${this.localTag === 'probe1' ? '' : this.localTag}`,
        `From: "Probe" <sip:+15551230000@127.0.0.1:${String(this.#probe.port)}>;tag=${this.localTag}`,
        `To: <sip:${this.#user}@${address}:${String(port)}>${tag}`,
        `Call-ID: ${this.callId}`,
        `CSeq: ${number} ${method}`,
        `Contact: <sip:probe@127.0.0.1:${String(this.#probe.port)}${this.#probe.transport === 'tcp' ? ';transport=tcp' : ''}>`,
        'Max-Forwards: 70',
        ...extra,
      ],
      body,
    )
    this.#probe.send(text)
    return text
  }

  /**
   * Waits for a response to the last request, or to that with CSeq `number`, and stores its tag. A 200 to an
   * earlier INVITE may be retransmitted until its ACK has arrived.
   */
  async answered(status: string, number = this.sequence): Promise<ProbeMessage> {
    const response = await this.#probe.receive(`SIP/2.0 ${status}`, (message) =>
      message.header('CSeq').startsWith(`${String(number)} `),
    )
    this.remoteTag = /;tag=([^;\r\n]+)/.exec(response.header('To'))?.[1] ?? this.remoteTag
    return response
  }
}

export const PROBE_SDP =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n' +
  'm=audio 40000 RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\na=sendrecv\r\n'
export const SDP_TYPE_LINE = 'Content-Type: application/sdp'
