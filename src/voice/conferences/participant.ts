import { linkAbort } from '../../platform/async/abort.js'
import { type Deferred, deferred, whenAborted } from '../../platform/async/deferred.js'
import type { ConferenceEntry, Waiting } from '../markup/conference-entry.js'
import type { AudioSource, RoomSeat } from '../telephony/leg-media.js'
import type { Leg } from '../telephony/port.js'
import type { ConferenceNews, ParticipantFacts } from './conference-callbacks.js'

type ParticipantNews = Exclude<
  Extract<ConferenceNews, { readonly participant: ParticipantFacts }>['type'],
  'join' | 'leave' | 'speech-start' | 'speech-stop'
>

/** Only what is present changes. */
export interface ParticipantChange {
  readonly isMuted?: boolean
  /** What it hears while it is out of the conversation; `none`: it is in it. */
  readonly hold?: Waiting | 'none'
  /** What it hears until the conference starts. */
  readonly waiting?: Waiting
  readonly beepsOnExit?: boolean
  readonly endOnExit?: boolean
  /** The sid of the call that alone hears it; undefined: all do. */
  readonly coach?: { readonly callSid: string | undefined }
}

/** One call in a room: what was asked for it, and what may change while it is in. */
export class Participant {
  readonly callSid: string
  readonly leg: Leg
  readonly entry: ConferenceEntry
  readonly state: {
    isMuted: boolean
    hold: Waiting | undefined
    waiting: Waiting
    beepsOnExit: boolean
    endOnExit: boolean
    coach: string | undefined
    /** Undefined while it is not in the media server's room. */
    seat: RoomSeat | undefined
    how: 'left' | 'kicked'
    updatedAt: number
    /** While it hears an announcement, or is about to: nothing else is played to it then. */
    announcement: Deferred | undefined
    /** Settles when nothing that was played to it here plays any more. */
    sound: Promise<unknown>
  }
  readonly joinedAt: number
  readonly #over = new AbortController()
  #change = new AbortController()

  constructor(callSid: string, leg: Leg, entry: ConferenceEntry, now: number) {
    this.callSid = callSid
    this.leg = leg
    this.entry = entry
    this.joinedAt = now
    this.state = {
      isMuted: entry.isMuted,
      hold: undefined,
      waiting: entry.waiting,
      beepsOnExit: entry.beep === 'true' || entry.beep === 'onExit',
      endOnExit: entry.endOnExit,
      coach: entry.coach,
      seat: undefined,
      how: 'left',
      updatedAt: now,
      announcement: undefined,
      sound: Promise.resolve(),
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

  /** Plays what it hears while it waits, until the change; nothing while it hears an announcement. */
  async wait(waiting: Waiting): Promise<void> {
    if (this.state.announcement !== undefined) return
    await this.#sounds(this.entry.wait(waiting, this.untilChange))
  }

  /** Resolves when the announcement that it hears is over, or it has left. */
  async heardOut(): Promise<void> {
    const { announcement } = this.state
    if (announcement !== undefined)
      await Promise.race([announcement.done, whenAborted(this.#over.signal)])
  }

  /** Ends what is played to it while it waits; until `endAnnouncement`, nothing else is. */
  async beginAnnouncement(): Promise<void> {
    const { sound } = this.state
    this.state.announcement = deferred()
    this.changed()
    await sound
  }

  endAnnouncement(): void {
    const { announcement } = this.state
    this.state.announcement = undefined
    announcement?.resolve()
  }

  /** Resolves when it has heard that, or has left; rejects with what the leg met. */
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
    this.state.sound = sound.catch(() => undefined) // whoever asked sees the failure
    return sound
  }

  /** What is to be told of it: nothing of what was so before. */
  apply(change: ParticipantChange, now: number): readonly ParticipantNews[] {
    const { state } = this
    const before = { ...state }
    const { hold, coach } = change
    state.isMuted = change.isMuted ?? state.isMuted
    state.waiting = change.waiting ?? state.waiting
    state.endOnExit = change.endOnExit ?? state.endOnExit
    state.beepsOnExit = change.beepsOnExit ?? state.beepsOnExit
    if (hold !== undefined) state.hold = hold === 'none' ? undefined : hold
    if (coach !== undefined) state.coach = coach.callSid
    state.updatedAt = now
    return newsBetween(before, state)
  }

  changed(): void {
    const former = this.#change
    if (!this.isOver) this.#change = new AbortController()
    former.abort(new ParticipantMovedError('the participant is elsewhere now'))
  }

  kick(): void {
    this.state.how = 'kicked'
    this.end()
  }

  end(): void {
    if (this.isOver) return
    this.#over.abort()
    this.changed()
  }
}

type State = Participant['state']

function newsBetween(before: State, after: State): readonly ParticipantNews[] {
  const news: ParticipantNews[] = []
  if (before.isMuted !== after.isMuted) news.push(after.isMuted ? 'mute' : 'unmute')
  const isHeld = after.hold !== undefined
  if ((before.hold !== undefined) !== isHeld) news.push(isHeld ? 'hold' : 'unhold')
  const isModified = (['coach', 'endOnExit', 'beepsOnExit'] as const).some(
    (name) => before[name] !== after[name],
  )
  if (isModified) news.push('modify')
  return news
}

class ParticipantMovedError extends Error {
  override readonly name = 'ParticipantMovedError'
}
