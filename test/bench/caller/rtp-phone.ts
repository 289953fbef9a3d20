import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type Heard, PCMU, RTP_HEADER_BYTES, RtpEar, SILENCE } from './rtp-ear.js'

const SAMPLES = 160
const TELEPHONE_EVENT = 101
/**
 * The number of 20 ms packets for which a key is held; its end is then sent three times (RFC 4733
 * §2.5.1.4).
 */
const KEY_PACKETS = 5
const END_PACKETS = 3

export interface PressedKey {
  /** The time at which its first packet left; undefined until then. */
  firstAt: number | undefined
  /** The time at which the first packet with the end bit left; undefined until then. */
  releasedAt: number | undefined
}

/** The audio of one caller: sends silence or a key with each `tick`, and times what it hears. */
export class RtpPhone {
  readonly #socket: Socket
  readonly #packet = Buffer.alloc(RTP_HEADER_BYTES + SAMPLES, SILENCE)
  readonly #ear = new RtpEar()
  #farPort = 0
  #stamp: ((payload: Buffer) => void) | undefined
  #sequence = 1
  #timestamp = 1_000
  #key: { pressed: PressedKey; event: number; sent: number } | undefined

  static async open(): Promise<RtpPhone> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 256 * 1024 })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new RtpPhone(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#packet.writeUInt8(0x80, 0)
    this.#packet.writeUInt32BE(0x5eed, 8)
    socket.on('message', (packet) => {
      this.#ear.take(packet, performance.now())
    })
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** The times of the first and last sound; see `RtpEar`. */
  get heardAt(): RtpEar['heardAt'] {
    return this.#ear.heardAt
  }

  talkTo(port: number): void {
    this.#farPort = port
  }

  /**
   * Sets the function that fills the payload of each packet of voice before it leaves. Without it,
   * silence is sent.
   */
  onVoice(stamp: (payload: Buffer) => void): void {
    this.#stamp = stamp
  }

  /**
   * Sets the function that gets the payload of each received packet of voice; `at` is of
   * `performance.now()`.
   */
  onHeard(hear: (payload: Buffer, at: number) => void): void {
    this.#ear.onVoice(hear)
  }

  /** Forgets the times of the first and last sound. */
  listenAnew(): void {
    this.#ear.listenAnew()
  }

  /** Returns the counts since the last call of this method. */
  takeCounts(): Heard {
    return this.#ear.takeCounts()
  }

  /** Presses a key, whose packets leave with the next ticks. */
  press(event: number): PressedKey {
    const pressed: PressedKey = { firstAt: undefined, releasedAt: undefined }
    this.#key = { pressed, event, sent: 0 }
    return pressed
  }

  /** Sends what is due; called every 20 ms. Returns true when a packet left. */
  tick(): boolean {
    if (this.#farPort === 0) return false
    if (this.#key === undefined) this.#sendVoice()
    else this.#sendKey()
    return true
  }

  close(): void {
    this.#socket.close()
  }

  #sendVoice(): void {
    this.#timestamp = (this.#timestamp + SAMPLES) >>> 0
    this.#head(this.#packet, PCMU, this.#timestamp)
    this.#stamp?.(this.#packet.subarray(RTP_HEADER_BYTES))
    this.#socket.send(this.#packet, this.#farPort, '127.0.0.1')
  }

  #sendKey(): void {
    const key = this.#key
    if (key === undefined) return
    key.pressed.firstAt ??= performance.now()
    const isEnd = key.sent >= KEY_PACKETS
    for (let copy = 0; copy < (isEnd ? END_PACKETS : 1); copy += 1) {
      const packet = Buffer.alloc(RTP_HEADER_BYTES + 4)
      this.#head(packet, TELEPHONE_EVENT | (key.sent === 0 ? 0x80 : 0), this.#timestamp)
      packet.writeUInt8(0x80, 0)
      packet.writeUInt32BE(0x5eed, 8)
      packet.writeUInt8(key.event, 12)
      packet.writeUInt8(isEnd ? 0x8a : 0x0a, 13)
      packet.writeUInt16BE(Math.min(key.sent + 1, KEY_PACKETS) * SAMPLES, 14)
      this.#socket.send(packet, this.#farPort, '127.0.0.1')
    }
    key.sent += 1
    if (!isEnd) return
    key.pressed.releasedAt = performance.now()
    this.#key = undefined
    this.#timestamp = (this.#timestamp + KEY_PACKETS * SAMPLES) >>> 0
  }

  #head(packet: Buffer, payloadType: number, timestamp: number): void {
    packet.writeUInt8(payloadType, 1)
    packet.writeUInt16BE(this.#sequence & 0xffff, 2)
    packet.writeUInt32BE(timestamp, 4)
    this.#sequence += 1
  }
}
