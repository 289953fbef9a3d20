import type { ConferenceEntry } from '../markup/host.js'
import type { Leg, RoomSeat } from '../media/port.js'
import type { ParticipantFacts } from './conference-callbacks.js'

/** One call in a room: what was asked for it, and what may change while it is in. */
export class Participant {
  readonly callSid: string
  readonly leg: Leg
  readonly entry: ConferenceEntry
  readonly state: {
    isMuted: boolean
    /** Undefined: in the room, when that has started. */
    hold: 'held' | undefined
    endOnExit: boolean
    coach: string | undefined
    /** Undefined while it is not heard and hears nobody. */
    seat: RoomSeat | undefined
    how: 'left' | 'kicked'
  }
  readonly #over = new AbortController()
  #change = new AbortController()

  constructor(callSid: string, leg: Leg, entry: ConferenceEntry) {
    this.callSid = callSid
    this.leg = leg
    this.entry = entry
    this.state = {
      isMuted: entry.isMuted,
      hold: undefined,
      endOnExit: entry.endOnExit,
      coach: entry.coach,
      seat: undefined,
      how: 'left',
    }
  }

  /** It has left, or has to. */
  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  /** Aborts when it has to do something else than now: to come into the room, to wait, or to leave. */
  get untilChange(): AbortSignal {
    return this.#change.signal
  }

  get facts(): ParticipantFacts {
    const { isMuted, hold, coach, endOnExit } = this.state
    const { label, startOnEnter } = this.entry
    const isHeld = hold !== undefined
    return { callSid: this.callSid, label, isMuted, isHeld, coach, endOnExit, startOnEnter }
  }

  changed(): void {
    const former = this.#change
    if (!this.isOver) this.#change = new AbortController()
    former.abort(new ParticipantMovedError('the participant is elsewhere now'))
  }

  end(): void {
    if (this.isOver) return
    this.#over.abort()
    this.changed()
  }
}

class ParticipantMovedError extends Error {
  override readonly name = 'ParticipantMovedError'
}
