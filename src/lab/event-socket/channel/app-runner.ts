import { AppFrame, type DigitTaker, type Interrupt } from './app-frame.js'

export interface ExecuteRequest {
  readonly app: string
  readonly arg: string
  /** Comes back as Application-UUID. */
  readonly uuid: string
  /** `event-lock`: what follows waits until this one is done. */
  readonly isLocked: boolean
}

/** Says how an application shares the channel with commands that arrive while it runs. */
export interface AppTraits {
  /** Runs long and lets other commands run on top of it. */
  readonly isPollable: boolean
  /** The application plays or records, which suspends the application below. */
  readonly holdsAudio: boolean
}

export interface AppRunnerDeps {
  /** Undefined for an application that does not exist. */
  traits(request: ExecuteRequest): AppTraits | undefined
  run(request: ExecuteRequest, frame: AppFrame): Promise<void>
  refuse(request: ExecuteRequest): void
  onDigitsWanted(): void
}

interface Running {
  readonly frame: AppFrame
  readonly traits: AppTraits
}

/** Commands that a client sent ahead; more are refused. */
const MAX_WAITING = 1_000

/** Runs the applications of one channel: each on top of those that still run, as the server does. */
export class AppRunner {
  readonly #deps: AppRunnerDeps
  readonly #stack: Running[] = []
  #waiting: ExecuteRequest[] = []
  #locks = 0

  constructor(deps: AppRunnerDeps) {
    this.#deps = deps
  }

  /** False when too many wait already. */
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

  /** Forgets what waits. */
  flush(): void {
    this.#waiting = []
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#stack[0] !== undefined) await this.#stack[0].frame.done
  }

  /** The taker of digits: nobody yet, or undefined when the channel is parked and drops them. */
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

  /** Waits for what was started on top of the application: it returns first. */
  async whenOnTop(frame: AppFrame): Promise<void> {
    for (;;) {
      const top = this.#stack.at(-1)
      if (top === undefined || top.frame === frame) return
      await top.frame.done
    }
  }
}
