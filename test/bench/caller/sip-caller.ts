import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { RtpPhone } from './rtp-phone.js'
import { ackOf, byeOf, headerOf, inviteOf, type Names, okTo } from './sip-texts.js'

/** One answered call. Its times are of `performance.now()`. */
export interface PlacedCall {
  readonly phone: RtpPhone
  readonly invitedAt: number
  readonly answeredAt: number
  /** Sends BYE. Resolves with the answer, or after a second without one. */
  hangUp(): Promise<void>
}

interface Waiting {
  readonly names: Names
  ok: ((text: string) => void) | undefined
  failed: ((error: Error) => void) | undefined
  byeDone: (() => void) | undefined
}

const ANSWER_LIMIT_MS = 10_000
const RETRANSMIT_MS = 500
const BYE_LIMIT_MS = 1_000

/** Places calls from one UDP port, with just enough SIP to be a caller and exact times. */
export class SipCaller {
  readonly #socket: Socket
  readonly #serverPort: number
  readonly #calls = new Map<string, Waiting>()
  #count = 0

  static async open(serverPort: number): Promise<SipCaller> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1024 * 1024 })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new SipCaller(socket, serverPort)
  }

  private constructor(socket: Socket, serverPort: number) {
    this.#socket = socket
    this.#serverPort = serverPort
    socket.on('message', (packet: Buffer, _from: RemoteInfo) => {
      this.#take(packet.toString('latin1'))
    })
  }

  /** Rejects when the call is refused or not answered in time. */
  async call(number: string): Promise<PlacedCall> {
    const phone = await RtpPhone.open()
    this.#count += 1
    const names: Names = {
      callId: `bench-${process.pid}-${this.#count}`,
      number,
      serverPort: this.#serverPort,
      localPort: this.#socket.address().port,
    }
    const waiting: Waiting = { names, ok: undefined, failed: undefined, byeDone: undefined }
    this.#calls.set(names.callId, waiting)
    try {
      const invitedAt = performance.now()
      const answer = await this.#invite(waiting, phone.port)
      const answeredAt = performance.now()
      phone.talkTo(Number(/^m=audio (\d+)/m.exec(answer)?.[1]))
      return { phone, invitedAt, answeredAt, hangUp: () => this.#hangUp(waiting, answer, phone) }
    } catch (error) {
      this.#calls.delete(names.callId)
      phone.close()
      throw error
    }
  }

  close(): void {
    this.#socket.close()
  }

  async #invite(waiting: Waiting, rtpPort: number): Promise<string> {
    const invite = inviteOf(waiting.names, rtpPort)
    const again = setInterval(() => {
      this.#send(invite)
    }, RETRANSMIT_MS)
    const limit = setTimeout(() => {
      waiting.failed?.(new Error(`not answered in ${ANSWER_LIMIT_MS} ms`))
    }, ANSWER_LIMIT_MS)
    try {
      return await new Promise<string>((resolve, reject) => {
        waiting.ok = resolve
        waiting.failed = reject
        this.#send(invite)
      })
    } finally {
      clearInterval(again)
      clearTimeout(limit)
    }
  }

  async #hangUp(waiting: Waiting, answer: string, phone: RtpPhone): Promise<void> {
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, BYE_LIMIT_MS)
      waiting.byeDone = () => {
        clearTimeout(limit)
        resolve()
      }
      this.#send(byeOf(waiting.names, answer))
    })
    this.#calls.delete(waiting.names.callId)
    phone.close()
  }

  #take(text: string): void {
    const waiting = this.#calls.get(headerOf(text, 'Call-ID'))
    if (!text.startsWith('SIP/2.0')) {
      // The server's BYE; without a call it is a repeated one.
      if (!text.startsWith('ACK')) this.#send(okTo(text))
      waiting?.byeDone?.()
      return
    }
    if (waiting === undefined) return
    const status = Number(text.slice(8, 11))
    if (headerOf(text, 'CSeq').endsWith('BYE')) {
      waiting.byeDone?.()
      return
    }
    if (status < 200) return
    this.#send(ackOf(waiting.names, text, status))
    if (status === 200) waiting.ok?.(text)
    else waiting.failed?.(new Error(`refused with ${status}`))
  }

  #send(text: string): void {
    this.#socket.send(Buffer.from(text, 'latin1'), this.#serverPort, '127.0.0.1')
  }
}
