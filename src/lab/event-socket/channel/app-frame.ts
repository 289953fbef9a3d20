/** The reason for which an application must stop. */
export type Interrupt = 'break' | 'hangup' | 'remote-hangup' | 'redirect'

export interface Digit {
  readonly digit: string
  readonly durationMs: number
  readonly source: 'rfc4733' | 'in-band'
}

/** Receives the digits for a running application. Without one, digits stay queued. */
export interface DigitTaker {
  take(digit: Digit): void
}

/**
 * One running application of a channel. Commands that arrive meanwhile run on top of it, like in FreeSWITCH's
 * single thread per channel, and suspend it when they need the audio.
 */
export class AppFrame {
  readonly done: Promise<void>
  #finish: () => void = () => undefined
  #ended: Interrupt | undefined
  readonly #stops = new Set<(why: Interrupt) => void>()
  #suspension: { readonly suspend: () => void; readonly resume: () => void } | undefined
  #digits: DigitTaker | undefined
  readonly #onDigitsWanted: () => void

  /** Creates a frame; `onDigitsWanted` is called when queued digits can be delivered. */
  constructor(onDigitsWanted: () => void) {
    this.#onDigitsWanted = onDigitsWanted
    this.done = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  get digits(): DigitTaker | undefined {
    return this.#digits
  }

  /** The reason for which no further step may start: hangup or redirect. Undefined while steps may start. */
  get ended(): Interrupt | undefined {
    return this.#ended
  }

  finish(): void {
    this.#stops.clear()
    this.#finish()
  }

  /** Delivers digits to the taker, queued ones first; undefined stops the delivery. */
  takeDigits(taker: DigitTaker | undefined): void {
    this.#digits = taker
    if (taker !== undefined) this.#onDigitsWanted()
  }

  onSuspend(suspension: { readonly suspend: () => void; readonly resume: () => void } | undefined) {
    this.#suspension = suspension
  }

  suspend(): void {
    this.#suspension?.suspend()
  }

  resume(): void {
    this.#suspension?.resume()
  }

  /**
   * Interrupts the application. A break ends the current step; any other reason also prevents further steps.
   */
  interrupt(why: Interrupt): void {
    if (why !== 'break') this.#ended ??= why
    for (const stop of [...this.#stops]) stop(why)
  }

  /**
   * Calls `stop` when the step must end, at once if no step may start. Returns a function that unsubscribes.
   */
  onInterrupt(stop: (why: Interrupt) => void): () => void {
    if (this.#ended !== undefined) {
      stop(this.#ended)
      return () => undefined
    }
    this.#stops.add(stop)
    return () => {
      this.#stops.delete(stop)
    }
  }

  /** Waits. Resolves with undefined after `ms`, or with the reason when interrupted earlier. */
  async delay(ms: number): Promise<Interrupt | undefined> {
    let timer: NodeJS.Timeout | undefined
    let forget: () => void = () => undefined
    const why = await new Promise<Interrupt | undefined>((resolve) => {
      timer = setTimeout(resolve, ms, undefined)
      forget = this.onInterrupt(resolve)
    })
    clearTimeout(timer)
    forget()
    return why
  }
}
