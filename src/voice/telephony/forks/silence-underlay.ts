import { pause } from '../../../platform/async/sleep.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { playCommand } from '../freeswitch/command-builder.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { LegEndedError } from '../port.js'

const SILENCE = { type: 'silence', durationMs: 3_600_000 } as const
/** Delay before silence restarts after another playback ended it, ms. */
const AGAIN_MS = 20

/**
 * Plays silence beneath other playbacks on a channel. FreeSWITCH serves media bugs only during playback:
 * without the silence, a fork that hears both sides or speaks would stop between playbacks. Other playbacks
 * run on top of it. A silence that started during a playback would mute it, so the silence starts before or
 * after one. Bridges and rooms have the same effect as a playback, so the silence is suspended in them.
 */
export class SilenceUnderlay {
  readonly #log: Logger
  #users = 0
  #suspended = 0
  #playbacks = 0
  #running = false

  constructor(log: Logger) {
    this.#log = log
  }

  /** Keeps silence playing until the returned function is called. */
  hold(endpoint: MediaEndpoint): () => void {
    this.#users++
    this.#run(endpoint)
    let isHeld = true
    return () => {
      if (isHeld) this.#users--
      isHeld = false
    }
  }

  /** Prevents new silence until the returned function is called, once. */
  suspend(endpoint: MediaEndpoint): () => void {
    this.#suspended++
    return () => {
      this.#suspended--
      this.#run(endpoint)
    }
  }

  /** Suspends the silence while the work lasts. */
  async without(endpoint: MediaEndpoint, work: () => Promise<void>): Promise<void> {
    const resume = this.suspend(endpoint)
    try {
      await work()
    } finally {
      resume()
    }
  }

  /** Runs a playback. The silence does not begin while the playback lasts. */
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
        this.#log.warn({ err }, 'could not play silence beneath a fork')
      return
    }
    this.#running = false
    this.#run(endpoint) // another caller may have requested silence meanwhile
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
    const isFree = this.#suspended === 0 && this.#playbacks === 0
    return this.#users > 0 && isFree && !endpoint.over.aborted
  }
}
