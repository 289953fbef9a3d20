/**
 * Releases callers together, in rounds at least `ms` apart, so that their writes share a commit. A caller after
 * a longer pause is released at once.
 */
export class Rounds implements Disposable {
  readonly #ms: number
  #waiting: (() => void)[] = []
  /** Runs while the last round is less than `ms` old. */
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(ms: number) {
    this.#ms = ms
  }

  /** Resolves in the next round; at once after disposal. */
  async join(): Promise<void> {
    if (this.#isClosed) return
    if (this.#timer === undefined) {
      this.#pause()
      return
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  /** Releases all waiting callers. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#release()
  }

  #pause(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#waiting.length === 0) return
      this.#pause()
      this.#release()
    }, this.#ms)
  }

  #release(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
