import { Pump } from '../../platform/async/pump.js'
import type { Core, Wakeable } from '../model/core.js'

/** The time to the next look after a failure, and when no work is scheduled. */
const LOOK_EVERY_MS = 30_000

/** Does the due work and resolves with the time of the next; undefined when there is none. */
export type DueWork = (signal: AbortSignal) => Promise<number | undefined>

/**
 * Runs due work when woken after a commit and when its time has come. It does nothing before
 * `start`.
 */
export class Runner implements Wakeable, AsyncDisposable {
  readonly #core: Pick<Core, 'clock' | 'log'>
  readonly #pump: Pump
  #work: DueWork | undefined

  constructor(core: Pick<Core, 'clock' | 'log'>) {
    this.#core = core
    this.#pump = new Pump({
      name: 'jobs of the registry',
      log: core.log,
      now: () => core.clock.now(),
      look: (signal) => this.#look(signal),
    })
  }

  start(work: DueWork): void {
    this.#work = work
    this.#pump.wake()
  }

  wake(): void {
    if (this.#work !== undefined) this.#pump.wake()
  }

  /** Resolves when no work is due. */
  async settle(): Promise<void> {
    if (this.#work !== undefined) await this.#pump.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pump[Symbol.asyncDispose]()
  }

  async #look(signal: AbortSignal): Promise<number> {
    const { clock, log } = this.#core
    try {
      const nextAt = await this.#work?.(signal)
      return nextAt ?? clock.now() + LOOK_EVERY_MS
    } catch (err) {
      // The disk may be full: a later look may succeed.
      log.error({ err }, 'could not run the due jobs of the registry')
      return clock.now() + LOOK_EVERY_MS
    }
  }
}
