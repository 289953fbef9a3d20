/** After so many bytes a ping asks whether they were read: about half a second of one track. */
const ASK_EVERY_BYTES = 9_000
/** About three seconds of one track. */
const MAX_UNREAD_BYTES = 64 * 1_024

/**
 * How far the far end is behind in reading. What the kernels on the way take can be minutes of audio,
 * so it is the far end that says what it has read: each ping carries how many bytes went before it, and
 * the pong brings that back (RFC 6455 §5.5.3). One that never answered a ping is not judged by it.
 */
export class ReadPace {
  #sent = 0
  #asked: number | undefined
  #read: number | undefined

  get isBehind(): boolean {
    return this.#read !== undefined && this.#sent - this.#read > MAX_UNREAD_BYTES
  }

  /** Returns what to send in a ping now, if one is due. */
  count(bytes: number): string | undefined {
    this.#sent += bytes
    if (this.#asked !== undefined && this.#sent - this.#asked < ASK_EVERY_BYTES) return undefined
    this.#asked = this.#sent
    return String(this.#sent)
  }

  /** A pong that nobody asked for may carry anything. */
  answered(payload: string): void {
    const read = Number(payload)
    if (read > (this.#read ?? 0) && read <= this.#sent) this.#read = read
  }
}
