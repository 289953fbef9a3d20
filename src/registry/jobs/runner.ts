import type { Core, Wakeable } from '../model/core.js'

/** At least this often it looks, however far away the next work is: clocks are set. */
const MAX_SLEEP_MS = 30_000

/** Does what is due and resolves with when there is more, if ever. */
export type DueWork = (signal: AbortSignal) => Promise<number | undefined>

/** Runs due work when woken after a commit and when its time has come; does nothing before `start`. */
export class Runner implements Wakeable, AsyncDisposable {
  readonly #core: Pick<Core, 'clock' | 'log'>
  readonly #closing = new AbortController()
  #work: DueWork | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isWoken = false

  constructor(core: Pick<Core, 'clock' | 'log'>) {
    this.#core = core
  }

  start(work: DueWork): void {
    this.#work = work
    this.wake()
  }

  wake(): void {
    if (this.#work === undefined || this.#closing.signal.aborted) return
    this.#isWoken = true
    this.#running ??= this.#loop(this.#work)
  }

  /** Resolves when nothing is due any more. */
  async settle(): Promise<void> {
    this.wake()
    while (this.#running !== undefined) await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    while (this.#running !== undefined) await this.#running
  }

  async #loop(work: DueWork): Promise<void> {
    clearTimeout(this.#timer)
    let nextAt: number | undefined
    while (this.#isWoken && !this.#closing.signal.aborted) {
      this.#isWoken = false
      try {
        nextAt = await work(this.#closing.signal)
      } catch (error) {
        // The disk may be full, say: a later look may do better.
        this.#core.log.error({ err: error }, 'the registry could not do what is due')
        nextAt = undefined
      }
    }
    this.#running = undefined
    if (!this.#closing.signal.aborted) this.#sleepUntil(nextAt)
  }

  #sleepUntil(at: number | undefined): void {
    const wait = at === undefined ? MAX_SLEEP_MS : at - this.#core.clock.now()
    this.#timer = setTimeout(
      () => {
        this.wake()
      },
      Math.min(Math.max(wait, 0), MAX_SLEEP_MS),
    )
    this.#timer.unref()
  }
}
