/**
 * Lets callers go on together. The first one of a round waits for its whole time, and those that come
 * meanwhile go on with it: what they write then shares a commit.
 */
export class Gathering implements Disposable {
  readonly #ms: number
  #round: Promise<void> | undefined
  #release: (() => void) | undefined
  #isClosed = false

  constructor(ms: number) {
    this.#ms = ms
  }

  /** Resolves at the end of the present round; at once after the disposal. */
  join(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#round ??= new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#round = undefined
        this.#release = undefined
        resolve()
      }
      const timer = setTimeout(end, this.#ms)
      this.#release = end
    })
    return this.#round
  }

  /** Ends the present round. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#release?.()
  }
}
