import { LONGEST_TIMER_MS } from '../../../platform/async/limit.js'

/** One-shot timers by name. Arming a name again replaces its timer. */
export class Timers<Name extends string> {
  readonly #running = new Map<Name, NodeJS.Timeout>()

  arm(name: Name, ms: number, act: () => void): void {
    clearTimeout(this.#running.get(name))
    this.#running.set(name, setTimeout(act, Math.min(ms, LONGEST_TIMER_MS)))
  }

  clear(name: Name): void {
    clearTimeout(this.#running.get(name))
    this.#running.delete(name)
  }

  clearAll(): void {
    for (const timer of this.#running.values()) clearTimeout(timer)
    this.#running.clear()
  }
}
