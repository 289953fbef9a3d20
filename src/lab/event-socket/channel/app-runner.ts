import { AppFrame, type DigitTaker, type Interrupt } from './app-frame.js'

export interface ExecuteRequest {
  readonly app: string
  readonly arg: string
  /** The id of this execution, reported as Application-UUID. */
  readonly uuid: string
  /** True under `event-lock`: later requests wait until this one has ended. */
  readonly isLocked: boolean
}

/** How an application shares the channel with commands that arrive while it runs. */
export interface AppTraits {
  /** True when other commands may run on top of the application while it runs. */
  readonly isPollable: boolean
  /** True when the application plays or records; it then suspends the application below. */
  readonly holdsAudio: boolean
}

export interface AppRunnerDeps {
  /** Returns the traits of an application; undefined for an unknown one. */
  traits(request: ExecuteRequest): AppTraits | undefined
  run(request: ExecuteRequest, frame: AppFrame): Promise<void>
  refuse(request: ExecuteRequest): void
  onDigitsWanted(): void
}

interface Running {
  readonly frame: AppFrame
  readonly traits: AppTraits
}

/** Maximum number of queued applications per channel; more are refused. */
const MAX_WAITING = 1_000

/** Runs the applications of one channel; a later one runs on top of those still running, as in FreeSWITCH. */
export class AppRunner {
  readonly #deps: AppRunnerDeps
  readonly #stack: Running[] = []
  #waiting: ExecuteRequest[] = []
  #locks = 0

  constructor(deps: AppRunnerDeps) {
    this.#deps = deps
  }

  /** Runs or queues an application. Returns false when the queue is full. */
  execute(request: ExecuteRequest): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false
    this.#waiting.push(request)
    this.#pump()
    return true
  }

  /** Interrupts the current step of the innermost pollable application. */
  break(): void {
    this.#stack.findLast((running) => running.traits.isPollable)?.frame.interrupt('break')
  }

  /**
   * Ends all running applications, innermost first; unless the reason is a redirect, also drops the queue.
   */
  end(why: Exclude<Interrupt, 'break'>): void {
    if (why !== 'redirect') this.flush()
    for (const { frame } of this.#stack.toReversed()) frame.interrupt(why)
  }

  /** Drops the queued applications. */
  flush(): void {
    this.#waiting = []
  }

  /** Resolves when no application is running. */
  async idle(): Promise<void> {
    while (this.#stack[0] !== undefined) await this.#stack[0].frame.done
  }

  /**
   * The receiver of digits: `nobody` when they must be queued, undefined when no application runs and digits
   * are dropped.
   */
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

  /** Waits for the applications that were started on top of this one. */
  async whenOnTop(frame: AppFrame): Promise<void> {
    for (;;) {
      const top = this.#stack.at(-1)
      if (top === undefined || top.frame === frame) return
      await top.frame.done
    }
  }
}
