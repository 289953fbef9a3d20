/** The bytes after which a ping asks whether they were read: about half a second of one track. */
const ASK_EVERY_BYTES = 9_000
/** The most unread bytes: about three seconds of one track. */
const MAX_UNREAD_BYTES = 64 * 1_024

/**
 * Measures how far the far end is behind in reading. The kernels on the way can hold minutes of
 * audio, so a ping asks the far end: it carries how many bytes went before it, and the pong brings
 * that number back (RFC 6455 §5.5.3). A far end that never answers a ping is not judged.
 */
export class ReadPace {
  #sent = 0
  #asked: number | undefined
  #read: number | undefined

  get isBehind(): boolean {
    return this.#read !== undefined && this.#sent - this.#read > MAX_UNREAD_BYTES
  }

  /** Counts sent bytes; returns the payload of a ping when one is due. */
  count(bytes: number): string | undefined {
    this.#sent += bytes
    if (this.#asked !== undefined && this.#sent - this.#asked < ASK_EVERY_BYTES) return undefined
    this.#asked = this.#sent
    return String(this.#sent)
  }

  /** Takes a pong. A pong that was not asked for may carry anything. */
  answered(payload: string): void {
    const read = Number(payload)
    if (read > (this.#read ?? 0) && read <= this.#sent) this.#read = read
  }
}
