import { AppFrame, type DigitTaker, type Interrupt } from './app-frame.js'

export interface ExecuteRequest {
  readonly app: string
  readonly arg: string
  /** The id that comes back as Application-UUID. */
  readonly uuid: string
  /** True under `event-lock`: later requests wait until this one is done. */
  readonly isLocked: boolean
}

/** The way in which an application shares the channel with commands that arrive while it runs. */
export interface AppTraits {
  /** True when the application runs long and lets other commands run on top of it. */
  readonly isPollable: boolean
  /** True when the application plays or records, which suspends the application below. */
  readonly holdsAudio: boolean
}

export interface AppRunnerDeps {
  /** Returns the traits of an application; undefined for one that does not exist. */
  traits(request: ExecuteRequest): AppTraits | undefined
  run(request: ExecuteRequest, frame: AppFrame): Promise<void>
  refuse(request: ExecuteRequest): void
  onDigitsWanted(): void
}

interface Running {
  readonly frame: AppFrame
  readonly traits: AppTraits
}

/** The number of commands that a client may send ahead; more are refused. */
const MAX_WAITING = 1_000

/**
 * Runs the applications of one channel, each on top of those that still run, as the server does.
 */
export class AppRunner {
  readonly #deps: AppRunnerDeps
  readonly #stack: Running[] = []
  #waiting: ExecuteRequest[] = []
  #locks = 0

  constructor(deps: AppRunnerDeps) {
    this.#deps = deps
  }

  /** Runs an application, now or in its turn; false when too many wait already. */
  execute(request: ExecuteRequest): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false
    this.#waiting.push(request)
    this.#pump()
    return true
  }

  /** Ends the present step of the innermost application that runs long. */
  break(): void {
    this.#stack.findLast((running) => running.traits.isPollable)?.frame.interrupt('break')
  }

  /** Ends all applications, the innermost first; forgets those that wait when the channel is gone. */
  end(why: Exclude<Interrupt, 'break'>): void {
    if (why !== 'redirect') this.flush()
    for (const { frame } of this.#stack.toReversed()) frame.interrupt(why)
  }

  /** Forgets the applications that wait. */
  flush(): void {
    this.#waiting = []
  }

  /** Resolves when no application runs. */
  async idle(): Promise<void> {
    while (this.#stack[0] !== undefined) await this.#stack[0].frame.done
  }

  /** The taker of digits: `nobody` while none takes them, undefined when the channel drops them. */
  get digitTaker(): DigitTaker | 'nobody' | undefined {
    const top = this.#stack.at(-1)
    return top === undefined ? undefined : (top.frame.digits ?? 'nobody')
  }

  #pump(): void {
    while (this.#locks === 0 && this.#stack.at(-1)?.traits.isPollable !== false) {
      const request = this.#waiting.shift()
      if (request === undefined) return
      const traits = this.#deps.traits(request)
      if (traits === undefined) this.#deps.refuse(request)
      else void this.#run(request, traits)
    }
  }

  async #run(request: ExecuteRequest, traits: AppTraits): Promise<void> {
    const frame = new AppFrame(() => {
      this.#deps.onDigitsWanted()
    })
    const below = traits.holdsAudio ? this.#stack.findLast((r) => r.traits.holdsAudio) : undefined
    below?.frame.suspend()
    this.#stack.push({ frame, traits })
    if (request.isLocked) this.#locks++
    await this.#deps.run(request, frame)
    if (request.isLocked) this.#locks--
    this.#stack.splice(
      this.#stack.findIndex((running) => running.frame === frame),
      1,
    )
    frame.finish()
    below?.frame.resume()
    this.#deps.onDigitsWanted()
    this.#pump()
  }

  /** Waits for the applications that were started on top of this one, which return first. */
  async whenOnTop(frame: AppFrame): Promise<void> {
    for (;;) {
      const top = this.#stack.at(-1)
      if (top === undefined || top.frame === frame) return
      await top.frame.done
    }
  }
}
