import { linkAbort, whenAborted } from '../../platform/async/abort.js'
import { type Deferred, deferred } from '../../platform/async/deferred.js'
import type { ConferenceEntry, Waiting } from '../markup/conference-entry.js'
import type { AudioSource, RoomSeat } from '../telephony/leg-media.js'
import type { Leg } from '../telephony/port.js'
import type { ParticipantFacts } from './conference-callbacks.js'
import { initialSettings, type ParticipantSettings } from './participant-settings.js'

/**
 * How a stay in a room ended. `hung-up`: the call ended. `stepped-out`: the caller left and the call
 * continues. `redirected`: the call continues with another document. `kicked`: the API removed it.
 * `released`: the room ended.
 */
export type Departure = 'hung-up' | 'stepped-out' | 'redirected' | 'kicked' | 'released'

/** One call in a room. */
export class Participant {
  readonly callSid: string
  readonly leg: Leg
  readonly entry: ConferenceEntry
  readonly joinedAt: number
  /** The seat in the media server's room; undefined while the leg is not in it. */
  seat: RoomSeat | undefined
  #settings: ParticipantSettings
  #updatedAt: number
  #departure: Departure = 'released'
  /** The current or next announcement; it prevents all other audio. */
  #announcement: Deferred | undefined
  /** The current audio; settles when it has ended. */
  #audio: Promise<unknown> = Promise.resolve()
  readonly #over = new AbortController()
  #change = new AbortController()

  constructor(callSid: string, leg: Leg, entry: ConferenceEntry, now: number) {
    this.callSid = callSid
    this.leg = leg
    this.entry = entry
    this.joinedAt = now
    this.#settings = initialSettings(entry)
    this.#updatedAt = now
  }

  get settings(): ParticipantSettings {
    return this.#settings
  }

  get updatedAt(): number {
    return this.#updatedAt
  }

  /** True once the participant has left or must leave. */
  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  get departure(): Departure {
    return this.#departure
  }

  get isCallOver(): boolean {
    return this.#departure === 'hung-up' || this.leg.state === 'ended'
  }

  get hasAnnouncement(): boolean {
    return this.#announcement !== undefined
  }

  /** Resolves when no audio plays to the participant. */
  get silent(): Promise<unknown> {
    return this.#audio
  }

  /** Aborts when the participant must enter the room, wait, or leave. */
  get untilChange(): AbortSignal {
    return this.#change.signal
  }

  get facts(): ParticipantFacts {
    const { isMuted, hold, coach, endOnExit } = this.#settings
    const { label, startOnEnter } = this.entry
    const isHeld = hold !== undefined
    return { callSid: this.callSid, label, isMuted, isHeld, coach, endOnExit, startOnEnter }
  }

  update(settings: ParticipantSettings, now: number): void {
    this.#settings = settings
    this.#updatedAt = now
  }

  /** Plays the waiting audio until the next change; does nothing during an announcement. */
  async wait(waiting: Waiting): Promise<void> {
    if (this.hasAnnouncement) return
    await this.#track(this.entry.wait(waiting, this.untilChange))
  }

  /** Resolves when the announcement has ended, or the participant has left. */
  async afterAnnouncement(): Promise<void> {
    if (this.#announcement !== undefined)
      await Promise.race([this.#announcement.done, whenAborted(this.#over.signal)])
  }

  /** Stops the waiting audio and prevents it until `endAnnouncement`. */
  async beginAnnouncement(): Promise<void> {
    const audio = this.#audio
    this.#announcement = deferred()
    this.changed()
    await audio
  }

  endAnnouncement(): void {
    const announcement = this.#announcement
    this.#announcement = undefined
    announcement?.resolve()
  }

  /** Resolves when the source was played, or the participant has left; rejects with the leg's error. */
  async play(source: AudioSource, until: AbortSignal): Promise<void> {
    if (this.isOver) return
    using stop = linkAbort([until, this.#over.signal])
    try {
      await this.#track(this.leg.media.play(source, stop.signal))
    } catch (error) {
      until.throwIfAborted()
      if (!stop.signal.aborted && this.leg.state !== 'ended') throw error
    }
  }

  #track(audio: Promise<void>): Promise<void> {
    this.#audio = audio.catch(() => undefined) // the caller of this method handles the failure
    return audio
  }

  changed(): void {
    const former = this.#change
    if (!this.isOver) this.#change = new AbortController()
    former.abort(new ParticipantMovedError('the state of the participant changed'))
  }

  /** Ends the stay; only the first departure counts. */
  end(departure: Departure): void {
    if (this.isOver) return
    this.#departure = departure
    this.#over.abort()
    this.changed()
  }
}

class ParticipantMovedError extends Error {
  override readonly name = 'ParticipantMovedError'
}
