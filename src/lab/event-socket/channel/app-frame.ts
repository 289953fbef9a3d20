/** Why an application is to stop what it does. */
export type Interrupt = 'break' | 'hangup' | 'remote-hangup' | 'redirect'

export interface Digit {
  readonly digit: string
  readonly durationMs: number
  readonly source: 'rfc4733' | 'in-band'
}

/** A running application's use of digits; without one they wait. */
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

  /** `onDigitsWanted` is called when digits that waited can be taken. */
  constructor(onDigitsWanted: () => void) {
    this.#onDigitsWanted = onDigitsWanted
    this.done = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  get digits(): DigitTaker | undefined {
    return this.#digits
  }

  /** The channel is going away or elsewhere: nothing more may be started. */
  get ended(): Interrupt | undefined {
    return this.#ended
  }

  finish(): void {
    this.#stops.clear()
    this.#finish()
  }

  /** Takes digits from now on, beginning with those that waited. */
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

  /** A break ends the present step, anything else every step from now on. */
  interrupt(why: Interrupt): void {
    if (why !== 'break') this.#ended ??= why
    for (const stop of [...this.#stops]) stop(why)
  }

  /** Calls `stop` when the step is to end, at once when it may not begin; returns how to forget it. */
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

  /** Resolves with undefined when the time is over, with the reason when it was cut short. */
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
