/** Detects the peer's first packet and a silence beyond the timeout. */
import type { RtpReceiver } from '../rtp/rtp-receiver.js'

export interface PeerListener {
  onFirstPacket(): void
  onMediaTimeout(): void
}

export class PeerWatch {
  readonly #listener: PeerListener
  #hasHeardAny = false
  #timeoutMs = 0
  /** Time of the last packet, or of the start of the watch. */
  #sinceMs = 0
  #isReported = false

  constructor(listener: PeerListener) {
    this.#listener = listener
  }

  /** Reports each silence of this length once; 0 ends the watch. */
  start(timeoutMs: number, nowMs: number): void {
    this.#timeoutMs = timeoutMs
    this.#sinceMs = nowMs
    this.#isReported = false
  }

  onTime(receiver: RtpReceiver, nowMs: number): void {
    const { lastPacketMs, isListening } = receiver
    if (lastPacketMs !== undefined && !this.#hasHeardAny) {
      this.#hasHeardAny = true
      this.#listener.onFirstPacket()
    }
    if (this.#timeoutMs <= 0) return
    // On hold, silence is expected.
    if (!isListening) this.#sinceMs = nowMs
    else if (lastPacketMs !== undefined && lastPacketMs > this.#sinceMs) {
      this.#sinceMs = lastPacketMs
      this.#isReported = false
    }
    if (this.#isReported || nowMs - this.#sinceMs < this.#timeoutMs) return
    this.#isReported = true
    this.#listener.onMediaTimeout()
  }
}
