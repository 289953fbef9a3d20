/**
 * A short message centre for tests, written from SMPP 3.4 without the product's code. It accepts binds and
 * messages, and misbehaves on demand.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { waitUntil } from '../time/wait-until.js'

export interface SmscUnit {
  readonly command: number
  readonly status: number
  readonly sequence: number
  readonly body: Buffer
}

export interface TakenMessage {
  readonly id: string
  readonly from: string
  readonly to: string
  /** Type of number (TON) of the destination. */
  readonly toType: number
  readonly esmClass: number
  readonly coding: number
  readonly data: Buffer
  /** Optional parameters by tag. */
  readonly parameters: ReadonlyMap<number, Buffer>
}

/** The reaction to a `submit_sm`: a status, or a fault. */
export type SubmitAnswer = number | 'close' | 'silence' | 'hold'

const HEAD = 16
const RESPONSE = 0x8000_0000

export class TestSmsc implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Connections on which a `submit_sm` arrived. */
  readonly #used = new WeakSet<Socket>()
  /** Bound connections that receive deliveries. */
  readonly #receivers: Socket[] = []
  readonly #deliveries = new Map<number, (status: number) => void>()
  readonly #held: (() => void)[] = []
  #sequence = 0
  #dialled = 0
  /** All binds so far: command and system id. */
  readonly binds: { readonly command: number; readonly systemId: string; password: string }[] = []
  /** Messages that were answered with an id. */
  readonly taken: TakenMessage[] = []
  /** Number of received `submit_sm`. */
  submits = 0
  enquiries = 0
  /** Maximum number of `submit_sm` that were pending at once. */
  mostHeld = 0
  bindStatus = 0
  answersEnquiries = true
  onSubmit: (message: TakenMessage, count: number) => SubmitAnswer = () => 0
  /** Body of the response to an accepted message. */
  answerOf: (id: string) => Buffer = (id) => Buffer.from(`${id}\0`)

  /** With a certificate, only TLS is accepted. */
  static async open(secure?: { readonly cert: string; readonly key: string }): Promise<TestSmsc> {
    const smsc = new TestSmsc(secure)
    smsc.#server.listen(0, '127.0.0.1')
    await once(smsc.#server, 'listening')
    return smsc
  }

  private constructor(secure: { readonly cert: string; readonly key: string } | undefined) {
    const serve = (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => undefined) // the peer may disconnect at any time
      socket.on('close', () => {
        this.#sockets.delete(socket)
        const at = this.#receivers.indexOf(socket)
        if (at !== -1) this.#receivers.splice(at, 1)
      })
      let unread = Buffer.alloc(0)
      socket.on('data', (chunk: Buffer) => {
        unread = Buffer.concat([unread, chunk])
        while (
          !socket.writableEnded &&
          unread.length >= 4 &&
          unread.length >= unread.readUInt32BE(0)
        ) {
          const length = unread.readUInt32BE(0)
          this.#take(socket, unread.subarray(0, length))
          unread = unread.subarray(length)
        }
      })
    }
    this.#server = secure === undefined ? createServer(serve) : createSecureServer(secure, serve)
    this.#server.on('connection', () => {
      this.#dialled += 1
    })
  }

  /** Resolves after `count` connections in total, open or closed. */
  async dialled(count: number): Promise<void> {
    await waitUntil(`${String(count)} connections`, () => this.#dialled >= count)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port // a listening TCP server has one
  }

  get connections(): number {
    return this.#sockets.size
  }

  /** Number of open connections on which a `submit_sm` arrived. */
  get used(): number {
    return [...this.#sockets].filter((socket) => this.#used.has(socket)).length
  }

  /** Resolves after `count` answered binds. The peer learns of it slightly later. */
  async bound(count = 1): Promise<void> {
    await waitUntil(`${String(count)} binds`, () => this.binds.length >= count)
  }

  /** Closes all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Writes bytes to all connections. */
  raw(bytes: Buffer): void {
    for (const socket of this.#sockets) socket.write(bytes)
  }

  /** Answers the held requests, the last one first. */
  release(): void {
    for (const answer of this.#held.splice(0).reverse()) answer()
  }

  get held(): number {
    return this.#held.length
  }

  /** Delivers a body; resolves with the status of the response. */
  async deliver(body: Buffer): Promise<number> {
    const [socket] = this.#receivers
    if (socket === undefined) throw new Error('nobody is bound to receive')
    const sequence = ++this.#sequence
    const answered = new Promise<number>((resolve) => this.#deliveries.set(sequence, resolve))
    socket.write(unit(0x05, 0, sequence, body))
    return await answered
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #take(socket: Socket, bytes: Buffer): void {
    const [command, status] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)]
    const sequence = bytes.readUInt32BE(12)
    const body = bytes.subarray(HEAD)
    const answer = (outcome: number, payload: Buffer = Buffer.alloc(0)) =>
      socket.write(unit((command | RESPONSE) >>> 0, outcome, sequence, payload))
    if (command >= RESPONSE) {
      this.#deliveries.get(sequence)?.(status)
      this.#deliveries.delete(sequence)
    } else if ([1, 2, 9].includes(command)) this.#bind(socket, command, body, answer)
    else if (command === 0x15) {
      this.enquiries += 1
      if (this.answersEnquiries) answer(0)
    } else if (command === 0x06) {
      answer(0)
      socket.end()
    } else if (command === 0x04) this.#submit(socket, body, answer)
  }

  #bind(
    socket: Socket,
    command: number,
    body: Buffer,
    answer: (status: number, body: Buffer) => void,
  ) {
    const [systemId = '', password = ''] = body.toString('latin1').split('\0')
    this.binds.push({ command, systemId, password })
    if (command !== 2 && this.bindStatus === 0) this.#receivers.push(socket)
    answer(this.bindStatus, Buffer.from('smsc\0'))
  }

  #submit(socket: Socket, body: Buffer, answer: (status: number, body?: Buffer) => void): void {
    this.submits += 1
    this.#used.add(socket)
    const message = messageOf(body, `m${String(this.submits)}`)
    const outcome = this.onSubmit(message, this.submits)
    // Responses already sent still arrive; pending messages are not accepted.
    if (outcome === 'close') socket.end()
    if (outcome === 'close' || outcome === 'silence') return
    const settle = () => {
      if (socket.writableEnded) return
      if (outcome !== 'hold' && outcome !== 0) {
        answer(outcome)
        return
      }
      this.taken.push(message)
      answer(0, this.answerOf(message.id))
    }
    if (outcome !== 'hold') settle()
    else this.mostHeld = Math.max(this.mostHeld, this.#held.push(settle))
  }
}

export function unit(command: number, status: number, sequence: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD)
  head.writeUInt32BE(HEAD + body.length, 0)
  head.writeUInt32BE(command, 4)
  head.writeUInt32BE(status, 8)
  head.writeUInt32BE(sequence, 12)
  return Buffer.concat([head, body])
}

function messageOf(body: Buffer, id: string): TakenMessage {
  let at = 0
  const text = () => {
    const end = body.indexOf(0, at)
    const found = body.toString('latin1', at, end)
    at = end + 1
    return found
  }
  const byte = () => body[at++] ?? 0
  text()
  at += 2
  const from = text()
  const toType = byte()
  at += 1
  const to = text()
  const esmClass = byte()
  at += 2
  text()
  text()
  at += 2
  const coding = byte()
  at += 1
  const length = byte()
  const data = body.subarray(at, at + length)
  at += length
  const parameters = new Map<number, Buffer>()
  while (at < body.length) {
    const size = body.readUInt16BE(at + 2)
    parameters.set(body.readUInt16BE(at), body.subarray(at + 4, at + 4 + size))
    at += 4 + size
  }
  return { id, from, to, toType, esmClass, coding, data, parameters }
}

export interface DeliveredFields {
  readonly from?: string
  readonly to?: string
  /** Types of both numbers (§5.2.5). */
  readonly fromType?: number
  readonly toType?: number
  readonly esmClass?: number
  readonly coding?: number
  readonly data: Buffer | string
  readonly parameters?: readonly (readonly [tag: number, value: Buffer])[]
}

/** Body of a `deliver_sm` (§4.6.1). */
export function deliverBody(fields: DeliveredFields): Buffer {
  const { from = '13035550142', to = '12025550111', esmClass = 0, coding = 0 } = fields
  const { fromType = 1, toType = 1 } = fields
  const data = Buffer.from(fields.data as string)
  const parameters = (fields.parameters ?? []).map(([tag, value]) => {
    const head = Buffer.alloc(4)
    head.writeUInt16BE(tag, 0)
    head.writeUInt16BE(value.length, 2)
    return Buffer.concat([head, value])
  })
  return Buffer.concat([
    Buffer.from([0, fromType, 1]),
    Buffer.from(`${from}\0`, 'latin1'),
    Buffer.from([toType, 1]),
    Buffer.from(`${to}\0`, 'latin1'),
    Buffer.from([esmClass, 0, 0, 0, 0, 0, 0, coding, 0, data.length]),
    data,
    ...parameters,
  ])
}
