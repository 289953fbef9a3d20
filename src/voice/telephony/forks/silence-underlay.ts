import { pause } from '../../../platform/async/sleep.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { playCommand } from '../freeswitch/command-builder.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { LegEndedError } from '../port.js'

const SILENCE = { type: 'silence', durationMs: 3_600_000 } as const
/** Ended by something else's end, it begins again after a frame. */
const AGAIN_MS = 20

/**
 * Silence beneath whatever else plays. FreeSWITCH hands what a channel says to its media bugs, and
 * takes what they add, only while something is being played: a fork that hears both sides or speaks
 * would stand still in between. Playbacks run on top of it, but would be silenced by one that begins
 * later: it begins before them or after. Not during a bridge, whose audio will do.
 */
export class SilenceUnderlay {
  readonly #log: Logger
  #users = 0
  #bridges = 0
  #playbacks = 0
  #running = false

  constructor(log: Logger) {
    this.#log = log
  }

  /** Keeps silence playing; the returned function lets it end. */
  hold(endpoint: MediaEndpoint): () => void {
    this.#users++
    this.#run(endpoint)
    let isHeld = true
    return () => {
      if (isHeld) this.#users--
      isHeld = false
    }
  }

  /** Suspends the silence while the work lasts. */
  async without(endpoint: MediaEndpoint, work: () => Promise<void>): Promise<void> {
    this.#bridges++
    try {
      await work()
    } finally {
      this.#bridges--
      this.#run(endpoint)
    }
  }

  /** The silence does not begin while the work, a playback, lasts. */
  async beneath(endpoint: MediaEndpoint, work: () => Promise<void>): Promise<void> {
    this.#playbacks++
    try {
      await work()
    } finally {
      this.#playbacks--
      this.#run(endpoint)
    }
  }

  #run(endpoint: MediaEndpoint): void {
    if (this.#running || !this.#isWanted(endpoint)) return
    this.#running = true
    void this.#serve(endpoint)
  }

  async #serve(endpoint: MediaEndpoint): Promise<void> {
    try {
      await this.#play(endpoint)
    } catch (err) {
      this.#running = false
      if (!(err instanceof LegEndedError))
        this.#log.warn({ err }, 'silence beneath a fork not played')
      return
    }
    this.#running = false
    this.#run(endpoint) // it may be wanted again meanwhile
  }

  async #play(endpoint: MediaEndpoint): Promise<void> {
    while (this.#isWanted(endpoint)) {
      const event = await endpoint.execute(playCommand(SILENCE))
      const response = event.getHeader('Application-Response')
      if (response === 'FILE NOT FOUND') throw new AdapterError('the media server has no silence')
      await pause(AGAIN_MS, endpoint.over)
    }
  }

  #isWanted(endpoint: MediaEndpoint): boolean {
    const isFree = this.#bridges === 0 && this.#playbacks === 0
    return this.#users > 0 && isFree && !endpoint.over.aborted
  }
}
