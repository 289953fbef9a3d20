export const RTP_HEADER_BYTES = 12
/** Static RTP payload type of µ-law (RFC 3551 §6). */
export const PCMU = 0
/** The µ-law code of linear zero. */
export const SILENCE = 0xff
/**
 * The magnitude bits of a µ-law code above which a frame is no silence: about −30 dB of full scale.
 */
const LOUD = 0x30
const LATE_MS = 40

export interface Heard {
  readonly packets: number
  readonly lost: number
  /** The number of packets that came more than 40 ms after the one before. */
  readonly late: number
}

/** The receiving side of a phone: counts the packets of voice and times the sound in them. */
export class RtpEar {
  #firstLoudAt = 0
  #lastLoudAt = 0
  #lastAt = 0
  #sequence = -1
  #packets = 0
  #lost = 0
  #late = 0
  #onVoice: ((payload: Buffer, at: number) => void) | undefined

  /** The times of the first and the last packet that is not silence; 0 while there is none. */
  get heardAt(): { readonly firstLoud: number; readonly lastLoud: number } {
    return { firstLoud: this.#firstLoudAt, lastLoud: this.#lastLoudAt }
  }

  onVoice(listener: (payload: Buffer, at: number) => void): void {
    this.#onVoice = listener
  }

  /** Forgets the times of the first and last sound. */
  listenAnew(): void {
    this.#firstLoudAt = 0
    this.#lastLoudAt = 0
  }

  /** Returns the counts since the last call of this method. */
  takeCounts(): Heard {
    const counts = { packets: this.#packets, lost: this.#lost, late: this.#late }
    this.#packets = 0
    this.#lost = 0
    this.#late = 0
    return counts
  }

  take(packet: Buffer, now: number): void {
    if (packet.length < RTP_HEADER_BYTES || (packet.readUInt8(1) & 0x7f) !== PCMU) return
    const sequence = packet.readUInt16BE(2)
    if (this.#sequence >= 0) {
      const step = (sequence - this.#sequence) & 0xffff
      if (step > 1 && step < 0x8000) this.#lost += step - 1
      if (now - this.#lastAt > LATE_MS) this.#late += 1
    }
    this.#sequence = sequence
    this.#lastAt = now
    this.#packets += 1
    this.#onVoice?.(packet.subarray(RTP_HEADER_BYTES), now)
    if (!isLoud(packet)) return
    if (this.#firstLoudAt === 0) this.#firstLoudAt = now
    this.#lastLoudAt = now
  }
}

function isLoud(packet: Buffer): boolean {
  for (let index = RTP_HEADER_BYTES; index < packet.length; index += 1)
    if ((~(packet[index] ?? SILENCE) & 0x7f) > LOUD) return true
  return false
}
