import { linkAbort, whenAborted } from '../../platform/async/abort.js'
import { type Deferred, deferred } from '../../platform/async/deferred.js'
import type { ConferenceEntry, Waiting } from '../markup/conference-entry.js'
import type { AudioSource, RoomSeat } from '../telephony/leg-media.js'
import type { Leg } from '../telephony/port.js'
import type { ParticipantFacts } from './conference-callbacks.js'
import { initialSettings, type ParticipantSettings } from './participant-settings.js'

/**
 * The end of a stay in a room. `hung-up`: the call is over. `stepped-out`: the caller left and the
 * call continues. `redirected`: the call continues with another document. `kicked`: the API removed
 * it. `released`: the room ended.
 */
export type Departure = 'hung-up' | 'stepped-out' | 'redirected' | 'kicked' | 'released'

/** One call in a room. */
export class Participant {
  readonly callSid: string
  readonly leg: Leg
  readonly entry: ConferenceEntry
  readonly joinedAt: number
  /** The place in the media server's room; undefined while the leg is not in it. */
  seat: RoomSeat | undefined
  #settings: ParticipantSettings
  #updatedAt: number
  #departure: Departure = 'released'
  /** The announcement that plays or is about to play; it keeps every other sound back. */
  #announcement: Deferred | undefined
  /** The sound that plays; it settles when the sound is over. */
  #sound: Promise<unknown> = Promise.resolve()
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

  /** True once the participant has left or has to leave. */
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

  /** Resolves when the participant hears no sound any more. */
  get silent(): Promise<unknown> {
    return this.#sound
  }

  /** Aborts when the participant has to enter the room, to wait, or to leave. */
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

  /** Plays the waiting sound until the change. An announcement keeps it silent. */
  async wait(waiting: Waiting): Promise<void> {
    if (this.hasAnnouncement) return
    await this.#sounds(this.entry.wait(waiting, this.untilChange))
  }

  /** Resolves when the announcement is over, or the participant has left. */
  async heardOut(): Promise<void> {
    if (this.#announcement !== undefined)
      await Promise.race([this.#announcement.done, whenAborted(this.#over.signal)])
  }

  /** Ends the waiting sound and keeps it silent until `endAnnouncement`. */
  async beginAnnouncement(): Promise<void> {
    const sound = this.#sound
    this.#announcement = deferred()
    this.changed()
    await sound
  }

  endAnnouncement(): void {
    const announcement = this.#announcement
    this.#announcement = undefined
    announcement?.resolve()
  }

  /** Resolves when the source was heard, or the participant has left; rejects with the leg's error. */
  async hear(source: AudioSource, until: AbortSignal): Promise<void> {
    if (this.isOver) return
    using stop = linkAbort([until, this.#over.signal])
    try {
      await this.#sounds(this.leg.media.play(source, stop.signal))
    } catch (error) {
      until.throwIfAborted()
      if (!stop.signal.aborted && this.leg.state !== 'ended') throw error
    }
  }

  #sounds(sound: Promise<void>): Promise<void> {
    this.#sound = sound.catch(() => undefined) // the caller of this method sees the failure
    return sound
  }

  changed(): void {
    const former = this.#change
    if (!this.isOver) this.#change = new AbortController()
    former.abort(new ParticipantMovedError('the participant has to do something else'))
  }

  /** Ends the stay; the first departure counts. */
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
