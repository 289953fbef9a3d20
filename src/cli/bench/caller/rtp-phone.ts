import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

const SAMPLES = 160
const HEADER_BYTES = 12
const PCMU = 0
const TELEPHONE_EVENT = 101
/** µ-law code of zero. */
const SILENCE = 0xff
/** Magnitude bits of a µ-law code above which a frame is no silence: about −30 dB of full scale. */
const LOUD = 0x30
/** A key is held for this many packets of 20 ms, then its end is sent three times (RFC 4733 §2.5.1.4). */
const KEY_PACKETS = 5
const END_PACKETS = 3
const LATE_MS = 40

export interface PressedKey {
  /** When its first packet left; undefined until then. */
  firstAt: number | undefined
  /** When the first packet that says "released" left; undefined until then. */
  releasedAt: number | undefined
}

export interface Heard {
  readonly packets: number
  readonly lost: number
  /** Packets more than 40 ms after the one before. */
  readonly late: number
}

/** The audio of one caller: sends silence or a key with each `tick`, and times what it hears. */
export class RtpPhone {
  readonly #socket: Socket
  readonly #packet = Buffer.alloc(HEADER_BYTES + SAMPLES, SILENCE)
  readonly #listening = { firstLoudAt: 0, lastLoudAt: 0, lastAt: 0, sequence: -1 }
  readonly #counts = { packets: 0, lost: 0, late: 0 }
  readonly #talk: {
    port: number
    stamp: ((payload: Buffer) => void) | undefined
    hear: ((payload: Buffer, at: number) => void) | undefined
  } = { port: 0, stamp: undefined, hear: undefined }
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
      this.#take(packet)
    })
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** When the first and the last packet that is not silence came; 0: none yet. */
  get heardAt(): { readonly firstLoud: number; readonly lastLoud: number } {
    return { firstLoud: this.#listening.firstLoudAt, lastLoud: this.#listening.lastLoudAt }
  }

  talkTo(port: number): void {
    this.#talk.port = port
  }

  /** Before each packet of voice leaves, what it carries can be changed; silence without. */
  onVoice(stamp: (payload: Buffer) => void): void {
    this.#talk.stamp = stamp
  }

  /** Gets what each packet of voice brings; `at` of `performance.now()`. */
  onHeard(hear: (payload: Buffer, at: number) => void): void {
    this.#talk.hear = hear
  }

  /** Forgets the times of the first and last sound. */
  listenAnew(): void {
    this.#listening.firstLoudAt = 0
    this.#listening.lastLoudAt = 0
  }

  /** Packets since the last call of this method. */
  takeCounts(): Heard {
    const counts = { ...this.#counts }
    Object.assign(this.#counts, { packets: 0, lost: 0, late: 0 })
    return counts
  }

  /** Its packets leave with the next ticks. */
  press(event: number): PressedKey {
    const pressed: PressedKey = { firstAt: undefined, releasedAt: undefined }
    this.#key = { pressed, event, sent: 0 }
    return pressed
  }

  /** Every 20 ms; true when a packet left. */
  tick(): boolean {
    if (this.#talk.port === 0) return false
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
    this.#talk.stamp?.(this.#packet.subarray(HEADER_BYTES))
    this.#socket.send(this.#packet, this.#talk.port, '127.0.0.1')
  }

  #sendKey(): void {
    const key = this.#key
    if (key === undefined) return
    key.pressed.firstAt ??= performance.now()
    const isEnd = key.sent >= KEY_PACKETS
    for (let copy = 0; copy < (isEnd ? END_PACKETS : 1); copy += 1) {
      const packet = Buffer.alloc(HEADER_BYTES + 4)
      this.#head(packet, TELEPHONE_EVENT | (key.sent === 0 ? 0x80 : 0), this.#timestamp)
      packet.writeUInt8(0x80, 0)
      packet.writeUInt32BE(0x5eed, 8)
      packet.writeUInt8(key.event, 12)
      packet.writeUInt8(isEnd ? 0x8a : 0x0a, 13)
      packet.writeUInt16BE(Math.min(key.sent + 1, KEY_PACKETS) * SAMPLES, 14)
      this.#socket.send(packet, this.#talk.port, '127.0.0.1')
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

  #take(packet: Buffer): void {
    if (packet.length < HEADER_BYTES || (packet.readUInt8(1) & 0x7f) !== PCMU) return
    const now = performance.now()
    const listening = this.#listening
    const sequence = packet.readUInt16BE(2)
    if (listening.sequence >= 0) {
      const step = (sequence - listening.sequence) & 0xffff
      if (step > 1 && step < 0x8000) this.#counts.lost += step - 1
      if (now - listening.lastAt > LATE_MS) this.#counts.late += 1
    }
    listening.sequence = sequence
    listening.lastAt = now
    this.#counts.packets += 1
    this.#talk.hear?.(packet.subarray(HEADER_BYTES), now)
    if (!isLoud(packet)) return
    if (listening.firstLoudAt === 0) listening.firstLoudAt = now
    listening.lastLoudAt = now
  }
}

function isLoud(packet: Buffer): boolean {
  for (let index = HEADER_BYTES; index < packet.length; index += 1)
    if ((~(packet[index] ?? SILENCE) & 0x7f) > LOUD) return true
  return false
}
