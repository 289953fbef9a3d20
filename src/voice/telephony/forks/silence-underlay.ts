import { pause } from '../../../platform/async/sleep.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { playCommand } from '../freeswitch/command-builder.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { LegEndedError } from '../port.js'

const SILENCE = { type: 'silence', durationMs: 3_600_000 } as const
/** The delay before the silence is played again after something else ended it. */
const AGAIN_MS = 20

/**
 * Silence beneath other playbacks on a channel. FreeSWITCH serves its media bugs only while
 * something is played: without the silence, a fork that hears both sides or speaks would stand
 * still between playbacks. Other playbacks run on top of it. A silence that began during a playback
 * would drown it, so the silence begins before or after one. During a bridge, and in a room, it is
 * suspended: their audio has the same effect.
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

  /** Lets no silence begin until the returned function is called, once. */
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
        this.#log.warn({ err }, 'silence beneath a fork not played')
      return
    }
    this.#running = false
    this.#run(endpoint) // another caller may have asked for the silence meanwhile
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
