/** Sends copies of SIP messages to Homer, or to another server that takes HEP3, by UDP. */
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { repeat } from '../../platform/async/repeat.js'
import type { Logger } from '../../platform/log.js'
import type { HepOptions } from '../lab-protocol.js'
import { type CapturedMessage, hepPacket } from './hep-packet.js'

/** Maximum number of packets that the system has not taken yet; more are dropped. */
const MAX_PENDING = 1_000
/** The time after which the address of the name is looked up again, ms. */
const LOOKUP_EVERY_MS = 60_000

export class HepSender implements AsyncDisposable {
  readonly #options: HepOptions
  readonly #log: Logger
  readonly #lookups: AsyncDisposable
  #target: { readonly socket: Socket; readonly address: string } | undefined
  #pending = 0
  /** True from a failure, which was logged, until a packet leaves again. */
  #hasFailed = false
  #isClosed = false

  constructor(options: HepOptions, log: Logger) {
    this.#options = options
    this.#log = log
    this.#lookups = repeat({
      name: 'address of HEP_ADDRESS',
      log,
      everyMs: LOOKUP_EVERY_MS,
      work: () => this.#lookUp(),
    })
    void this.#lookUp()
  }

  /** Sends a copy; Homer's absence never delays a call. */
  readonly copy = (message: Omit<CapturedMessage, 'at'>): void => {
    if (this.#target === undefined || this.#pending >= MAX_PENDING) return
    const packet = hepPacket({ ...message, at: Date.now() }, this.#options.captureId)
    if (packet === undefined) return
    const { socket, address } = this.#target
    this.#pending += 1
    socket.send(packet, this.#options.port, address, (err) => {
      this.#pending -= 1
      if (err === null) this.#hasFailed = false
      else this.#fail(err)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#target?.socket.close()
    this.#target = undefined
    await this.#lookups[Symbol.asyncDispose]()
  }

  async #lookUp(): Promise<void> {
    try {
      const { address, family } = await lookup(this.#options.host)
      if (this.#isClosed || address === this.#target?.address) return
      const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
      socket.on('error', (err) => {
        this.#fail(err)
      })
      socket.unref()
      this.#target?.socket.close()
      this.#target = { socket, address }
    } catch (err) {
      this.#fail(err)
    }
  }

  #fail(err: unknown): void {
    if (!this.#hasFailed) this.#log.warn({ err }, 'SIP messages are not copied to HEP_ADDRESS')
    this.#hasFailed = true
  }
}
