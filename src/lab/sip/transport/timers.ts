export type Timer = ReturnType<typeof setTimeout>

/** Owns every timer of a stack, so that none outlives it and tests can see that none is left. */
export class Timers {
  readonly #live = new Set<Timer>()
  #isDisposed = false

  get size(): number {
    return this.#live.size
  }

  /** Arms a timer; undefined when everything is over and nothing will be run. */
  arm(ms: number, run: () => void): Timer | undefined {
    if (this.#isDisposed) return undefined
    const timer = setTimeout(() => {
      this.#live.delete(timer)
      run()
    }, ms)
    this.#live.add(timer)
    return timer
  }

  disarm(timer: Timer | undefined): void {
    if (timer === undefined) return
    clearTimeout(timer)
    this.#live.delete(timer)
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    for (const timer of this.#live) clearTimeout(timer)
    this.#live.clear()
  }
}
