/** The packets of one stream that came already (RFC 3711 §3.3.2). */

/** The width of the window; 64 is the least (RFC 3711 §3.3.2). */
const WINDOW = 128

export class ReplayWindow {
  /** The highest index received; undefined before the first packet. */
  #highest: number | undefined
  /** For each index of the window, modulo its width: 1 when that packet came. */
  readonly #seen = new Uint8Array(WINDOW)

  get highest(): number | undefined {
    return this.#highest
  }

  /** True when the packet is new: neither received before nor too old to tell. */
  isNew(index: number): boolean {
    if (this.#highest === undefined || index > this.#highest) return true
    return this.#highest - index < WINDOW && this.#seen[index % WINDOW] === 0
  }

  /** Marks a packet as received. It must be authentic, else a stranger could shut the window. */
  accept(index: number): void {
    const before = this.#highest ?? index
    if (index - before >= WINDOW) this.#seen.fill(0)
    else for (let at = before + 1; at < index; at++) this.#seen[at % WINDOW] = 0
    this.#seen[index % WINDOW] = 1
    this.#highest = Math.max(before, index)
  }
}
