import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '../log.js'

/** Time in which several wakes are combined into one look, ms: each look costs a query. */
const GATHER_MS = 5
/** Maximum sleep, ms, since the wall clock may be set while a timer runs. */
const MAX_SLEEP_MS = 30_000
/** Pause after a look that failed, ms. */
const FAILED_PAUSE_MS = 5_000

export interface PumpDeps {
  /** Name of the work for the log, such as `old events of calls`. */
  readonly name: string
  readonly log: Pick<Logger, 'error'>
  /**
   * Does the work that is due. Resolves with the time at which more work is due, on the clock of `now`;
   * Infinity when only a wake can bring some. A rejection is logged, and the next look follows after a pause.
   */
  readonly look: (signal: AbortSignal) => Promise<number>
  readonly now: () => number
}

/** Runs `look` when woken and when work is due, never two at once. */
export class Pump implements AsyncDisposable {
  readonly #deps: PumpDeps
  readonly #stopping = new AbortController()
  #isWanted = false
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(deps: PumpDeps) {
    this.#deps = deps
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Schedules a look. Has no effect once the pump is stopped. */
  wake(): void {
    if (this.isStopped) return
    this.#isWanted = true
    this.#running ??= this.#run()
  }

  /** Looks now and resolves when no work is due. */
  async settled(): Promise<void> {
    this.wake()
    while (this.#running !== undefined) await this.#running
  }

  /** Aborts the signal of a look in progress and resolves when it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer)
    // Wakes in this tick share one look.
    await nextTurn()
    let nextAt = Number.POSITIVE_INFINITY
    try {
      while (this.#isWanted && !this.isStopped) {
        this.#isWanted = false
        nextAt = await this.#look()
        if (this.#mustLookAgain()) await delay(GATHER_MS)
      }
    } finally {
      // No await from here on: a wake between the last look and the end would be lost.
      this.#running = undefined
      if (nextAt !== Number.POSITIVE_INFINITY) this.#sleepUntil(nextAt)
    }
  }

  /** Catches every failure, such as an unreachable database, so that it does not end the process. */
  async #look(): Promise<number> {
    const { look, log, name, now } = this.#deps
    try {
      return await look(this.#stopping.signal)
    } catch (err) {
      log.error({ err, work: name }, 'background work failed and is tried again')
      return now() + FAILED_PAUSE_MS
    }
  }

  #sleepUntil(nextAt: number): void {
    if (this.isStopped) return
    const ms = Math.min(Math.max(0, nextAt - this.#deps.now()), MAX_SLEEP_MS)
    this.#timer = setTimeout(() => {
      this.wake()
    }, ms).unref()
  }

  /**
   * True when another look is necessary. A method, since the state changes during `look` and the compiler would
   * not know.
   */
  #mustLookAgain(): boolean {
    return this.#isWanted && !this.isStopped
  }
}
