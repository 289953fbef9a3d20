/**
 * One bound connection to a short message centre, with `enquire_link` and a window of requests (SMPP 3.4 §2.9).
 * It ends at the first malformed PDU and at a missing response; waiting requests are then rejected, and nothing
 * is resent here.
 */
import type { Socket } from 'node:net'
import { type Deferred, deferred } from '../../platform/async/deferred.js'
import { endedWithin } from '../../platform/async/limit.js'
import {
  COMMAND,
  isResponse,
  type Pdu,
  PduReader,
  responseTo,
  SmppFormatError,
  STATUS,
  writePdu,
} from './codec/pdu.js'

export interface LinkTimes {
  /** Time limit for a response, ms. */
  readonly responseMs: number
  /** Silence after which `enquire_link` is sent, ms. */
  readonly enquireMs: number
}

export interface LinkOptions extends LinkTimes {
  readonly window: number
  /** Handles a `deliver_sm`; resolves with the response status and never rejects. */
  readonly deliver: (body: Buffer) => Promise<number>
}

/** Controls whether requests may be sent; it gets the status of each response before the next request. */
export interface Gate {
  isOpen(): boolean
  hear(status: number): void
}

export class SmppLinkError extends Error {
  override readonly name = 'SmppLinkError'
}

/** Maximum deliveries handled at once; the peer waits at this limit. */
const MAX_DELIVERIES = 50
/** Maximum requests that wait for the window. */
const MAX_WAITING = 1_000
/** Maximum unread bytes towards the peer: more than the widest window of long messages. */
const MAX_UNREAD_BYTES = 1_024 * 1_024
/** Time for outstanding responses before an unbind, ms. */
const LAST_ANSWERS_MS = 3_000
/** Time for the response to an unbind, ms. */
const UNBIND_MS = 2_000
const MAX_SEQUENCE = 0x7fff_ffff

interface Outstanding {
  readonly answer: Deferred<Pdu>
  readonly timer: NodeJS.Timeout
}

export class SmppLink {
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<Error>
  readonly #end = deferred<Error>()
  readonly #socket: Socket
  readonly #options: LinkOptions
  readonly #reader = new PduReader()
  readonly #outstanding = new Map<number, Outstanding>()
  readonly #waiting: Deferred[] = []
  /** Used slots of the window, without `enquire_link`. */
  #taken = 0
  #deliveries = 0
  #sequence = 0
  #isOver = false
  #watch: NodeJS.Timeout | undefined

  constructor(socket: Socket, options: LinkOptions) {
    this.#socket = socket
    this.#options = options
    this.ended = this.#end.done
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#read(chunk)
    })
    socket.on('error', (error) => {
      this.close(error)
    })
    socket.on('close', () => {
      this.close(new SmppLinkError('the SMSC closed the connection'))
    })
    this.#rest()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Number of requests in progress or waiting. */
  get load(): number {
    return this.#taken + this.#waiting.length
  }

  /**
   * Sends a request within the window. Rejects with the reason when the connection ends first, or when the gate
   * is closed once the window has a slot.
   */
  async request(command: number, body: Buffer, gate?: Gate): Promise<Pdu> {
    await this.#place()
    try {
      if (gate?.isOpen() === false) throw new SmppLinkError('the SMSC is left alone')
      const answer = await this.#exchange(command, body)
      gate?.hear(answer.status)
      return answer
    } finally {
      const next = this.#waiting.shift()
      // The next one has the place without a moment in which it is free.
      if (next === undefined) this.#taken -= 1
      else next.resolve()
    }
  }

  /**
   * Unbinds, and closes after the response or its time limit. Requests in progress get their time first, since
   * they would be repeated otherwise.
   */
  async unbind(): Promise<void> {
    const answers = [...this.#outstanding.values()].map(({ answer }) => answer.done)
    await endedWithin(Promise.allSettled(answers), LAST_ANSWERS_MS)
    if (this.#isOver) return
    await endedWithin(this.#exchange(COMMAND.unbind, Buffer.alloc(0)), UNBIND_MS)
    this.close(new SmppLinkError('unbound'))
  }

  close(reason: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#watch)
    this.#socket.destroy()
    for (const { answer, timer } of this.#outstanding.values()) {
      clearTimeout(timer)
      answer.reject(reason)
    }
    this.#outstanding.clear()
    for (const waiting of this.#waiting.splice(0)) waiting.reject(reason)
    this.#end.resolve(reason)
  }

  async #place(): Promise<void> {
    if (this.#isOver) throw new SmppLinkError('the connection is over')
    if (this.#taken >= this.#options.window) {
      if (this.#waiting.length >= MAX_WAITING) throw new SmppLinkError('the window is full')
      const turn = deferred()
      this.#waiting.push(turn)
      await turn.done
    } else this.#taken += 1
  }

  #exchange(command: number, body: Buffer): Promise<Pdu> {
    if (this.#isOver) return Promise.reject(new SmppLinkError('the connection is over'))
    this.#sequence = this.#sequence >= MAX_SEQUENCE ? 1 : this.#sequence + 1
    const sequence = this.#sequence
    const answer = deferred<Pdu>()
    const timer = setTimeout(() => {
      // The answer may still come, and then to a request that was made again: it must not.
      this.close(new SmppLinkError('the SMSC did not answer in time'))
    }, this.#options.responseMs)
    this.#outstanding.set(sequence, { answer, timer })
    this.#write({ command, status: 0, sequence, body })
    return answer.done
  }

  #read(chunk: Buffer): void {
    try {
      for (const unit of this.#reader.push(chunk)) {
        this.#take(unit)
        // Bytes that make no unit are no sign of life.
        if (!this.#isOver) this.#rest()
      }
    } catch (error) {
      if (!(error instanceof SmppFormatError)) throw error
      this.close(error)
    }
  }

  #take(unit: Pdu): void {
    if (this.#isOver) return
    if (isResponse(unit)) this.#settle(unit)
    else if (unit.command === COMMAND.deliverSm) void this.#deliver(unit)
    else if (unit.command === COMMAND.enquireLink) this.#respond(unit, STATUS.ok)
    else if (unit.command === COMMAND.unbind) {
      this.#respond(unit, STATUS.ok)
      this.close(new SmppLinkError('the SMSC has unbound'))
    } else
      this.#write({
        command: COMMAND.genericNack,
        status: STATUS.invalidCommand,
        sequence: unit.sequence,
        body: Buffer.alloc(0),
      })
  }

  /** Ignores a response to no request, or to one already answered. */
  #settle(unit: Pdu): void {
    const found = this.#outstanding.get(unit.sequence)
    if (found === undefined) return
    this.#outstanding.delete(unit.sequence)
    clearTimeout(found.timer)
    found.answer.resolve(unit)
  }

  async #deliver(unit: Pdu): Promise<void> {
    this.#deliveries += 1
    if (this.#deliveries >= MAX_DELIVERIES) this.#socket.pause()
    const status = await this.#options.deliver(unit.body)
    this.#deliveries -= 1
    if (this.#deliveries < MAX_DELIVERIES) this.#socket.resume()
    // Its body is an empty message id (§4.6.2).
    this.#respond(unit, status, Buffer.alloc(1))
  }

  #respond({ command, sequence }: Pdu, status: number, body = Buffer.alloc(0)): void {
    this.#write({ command: responseTo(command), status, sequence, body })
  }

  #write(unit: Pdu): void {
    if (this.#isOver) return
    this.#socket.write(writePdu(unit))
    if (this.#socket.writableLength > MAX_UNREAD_BYTES)
      this.close(new SmppLinkError('the SMSC reads nothing of what it is sent'))
  }

  /** Sends `enquire_link` after a silence. */
  #rest(): void {
    clearTimeout(this.#watch)
    this.#watch = setTimeout(() => {
      // Without a response in time the link is closed and its owner gets the reason.
      this.#exchange(COMMAND.enquireLink, Buffer.alloc(0)).catch(() => undefined)
    }, this.#options.enquireMs)
  }
}
