/** Notices whether the channels of a media server connect back to us, by those that are made. */
export class CallbackWatch {
  readonly #address: () => string
  readonly #onChange: () => void
  #connections = 0
  #isMissed = false

  /** `address` is what channels are told to connect to; `onChange` is called when the fault changes. */
  constructor(address: () => string, onChange: () => void) {
    this.#address = address
    this.#onChange = onChange
  }

  /** Why no call works; undefined while channels connect back, and before the first one. */
  get fault(): string | undefined {
    return this.#isMissed
      ? `FreeSWITCH takes calls and does not connect back to ${this.#address()}: check MEDIA_CALLBACK_HOST, MEDIA_CALLBACK_ADDRESS and the firewall`
      : undefined
  }

  /** A channel connected. */
  connected(): void {
    this.#connections += 1
    this.#set(false)
  }

  /** Begins to watch for the connection of one channel. */
  begin(): { missed(): void } {
    const before = this.#connections
    return {
      // Another channel that connected meanwhile shows that the address is right.
      missed: () => {
        if (this.#connections === before) this.#set(true)
      },
    }
  }

  #set(isMissed: boolean): void {
    if (isMissed === this.#isMissed) return
    this.#isMissed = isMissed
    this.#onChange()
  }
}
