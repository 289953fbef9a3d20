/** The times at which a channel is to end by itself (`sched_hangup`). */
export class ScheduledEnds {
  readonly #timers = new Set<NodeJS.Timeout>()

  add(afterMs: number, end: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      end()
    }, afterMs)
    this.#timers.add(timer)
  }

  /** Takes them all back; returns their number. */
  clear(): number {
    const count = this.#timers.size
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    return count
  }
}
