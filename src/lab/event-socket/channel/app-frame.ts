/** The reason why an application must stop. */
export type Interrupt = 'break' | 'hangup' | 'remote-hangup' | 'redirect'

export interface Digit {
  readonly digit: string
  readonly durationMs: number
  readonly source: 'rfc4733' | 'in-band'
}

/** A running application's use of digits. Without a taker the digits wait. */
export interface DigitTaker {
  take(digit: Digit): void
}

/**
 * One application at work on a channel. Commands that arrive meanwhile run on top of it, as the
 * server's one thread per channel does it, and suspend it when they need the audio.
 */
export class AppFrame {
  readonly done: Promise<void>
  #finish: () => void = () => undefined
  #ended: Interrupt | undefined
  readonly #stops = new Set<(why: Interrupt) => void>()
  #suspension: { readonly suspend: () => void; readonly resume: () => void } | undefined
  #digits: DigitTaker | undefined
  readonly #onDigitsWanted: () => void

  /** Makes a frame; `onDigitsWanted` is called when digits that waited can be taken. */
  constructor(onDigitsWanted: () => void) {
    this.#onDigitsWanted = onDigitsWanted
    this.done = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  get digits(): DigitTaker | undefined {
    return this.#digits
  }

  /**
   * The reason why nothing more may be started: the channel is going away or elsewhere. Undefined
   * until then.
   */
  get ended(): Interrupt | undefined {
    return this.#ended
  }

  finish(): void {
    this.#stops.clear()
    this.#finish()
  }

  /** Takes digits from now on, beginning with those that waited; undefined takes none. */
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
   * Interrupts the application. A break ends the present step, anything else every step from now
   * on.
   */
  interrupt(why: Interrupt): void {
    if (why !== 'break') this.#ended ??= why
    for (const stop of [...this.#stops]) stop(why)
  }

  /**
   * Calls `stop` when the step must end, at once when it may not begin. Returns the function that
   * unsubscribes.
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

  /**
   * Waits. Resolves with undefined when the time is over, with the reason when it was cut short.
   */
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
