/** Looks that come closer than this are made as one: each costs a query, whatever it finds. */
const GATHER_MS = 5
/** The wall clock may be set while a timer runs. */
const MAX_SLEEP_MS = 60_000

/** Calls `look` when woken and when the time that it answered has come; never twice at once. */
export class Pump implements AsyncDisposable {
  readonly #look: () => Promise<number>
  readonly #now: () => number
  #state: 'idle' | 'wanted' | 'stopped' = 'idle'
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  /** `look` never rejects; it resolves with the next time, of `now`, at which it has something to do. */
  constructor(look: () => Promise<number>, now: () => number) {
    this.#look = look
    this.#now = now
  }

  get isStopped(): boolean {
    return this.#state === 'stopped'
  }

  wake(): void {
    if (this.isStopped) return
    this.#state = 'wanted'
    this.#running ??= this.#run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
    await this.#running
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer)
    // What is notified in one go is looked at in one go.
    await new Promise((resolve) => setImmediate(resolve))
    let nextAt = Number.POSITIVE_INFINITY
    while (this.#state === 'wanted') {
      this.#state = 'idle'
      nextAt = await this.#look()
      if (this.#isWanted()) await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
    }
    // No await from here on: a wake would be lost between the last look and the end.
    this.#running = undefined
    if (this.isStopped || nextAt === Number.POSITIVE_INFINITY) return
    const ms = Math.min(Math.max(0, nextAt - this.#now()), MAX_SLEEP_MS)
    this.#timer = setTimeout(() => {
      this.wake()
    }, ms)
  }

  /** Apart, since the state changes while `look` is awaited. */
  #isWanted(): boolean {
    return this.#state === 'wanted'
  }
}
