import { deferred } from '../../platform/async/deferred.js'
import { SerialQueue } from '../../platform/async/serial-queue.js'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import { type ConferenceEntry, ConferenceRefusedError } from '../markup/conference-entry.js'
import type { CallStatus } from '../model/call-record.js'
import type { Recordings } from '../recordings/recordings.js'
import { Announcements } from './announcements.js'
import type { ConferenceNews, ParticipantFacts } from './conference-callbacks.js'
import { CoachedCallError, ConferenceNotFoundError } from './conference-errors.js'
import type { ConferenceRecord } from './conference-record.js'
import type { ConferenceStore } from './conference-store.js'
import { InvitedCalls } from './invited-calls.js'
import type { Participant } from './participant.js'
import { changedSettings, eventsBetween, type ParticipantChange } from './participant-settings.js'
import { RoomAudio } from './room-audio.js'
import {
  EMPTY_ROOM,
  isOpen,
  leaveReason,
  type Room,
  type RoomEffect,
  type RoomEvent,
  stepRoom,
} from './room-machine.js'

export interface ConferenceDeps extends RoomStateDeps {
  readonly recorder: Pick<Recordings, 'startOfRoom' | 'stopAll'>
  readonly directory: ConferenceDirectory
}

/** The directory of live conferences, which each conference notifies of its end. */
export interface ConferenceDirectory {
  /** Called when the conference accepts no more calls; its name becomes free. */
  closed(conference: Conference): void
  /** Called when the last participant has left. */
  ended(conference: Conference): void
}

type RoomNeed = Pick<ConferenceEntry, 'label' | 'maxParticipants'>

interface RoomStateDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly store: Pick<ConferenceStore, 'save'>
}

/** One conference: its participants, its invited calls, and its status callbacks. */
export class Conference {
  readonly invited = new InvitedCalls()
  readonly announcements: Announcements
  readonly #deps: ConferenceDeps
  readonly #state: RoomState
  readonly #audio: RoomAudio
  readonly #participants = new Map<string, Participant>()
  readonly #over = deferred()
  readonly #turns = new SerialQueue()
  #isRecorded = false

  constructor(record: ConferenceRecord, deps: ConferenceDeps) {
    const { log } = deps
    this.#deps = deps
    this.#state = new RoomState(record, deps)
    this.#audio = new RoomAudio({
      log,
      conferenceSid: record.sid,
      listener: {
        seated: (participant) => {
          this.#record(participant)
        },
        talking: (participant, talking) => {
          this.#reportTalking(participant, talking)
        },
      },
    })
    this.announcements = new Announcements({
      log,
      audience: () => this.participants.filter(({ settings }) => settings.hold === undefined),
      report: (news) => this.#step({ type: 'reported' }, () => [news]),
    })
  }

  get record(): ConferenceRecord {
    return this.#state.record
  }

  /** True while calls may join. */
  get isOpen(): boolean {
    return this.#state.isOpen
  }

  /** The participants, in the order in which they joined. */
  get participants(): readonly Participant[] {
    return [...this.#participants.values()].filter(({ isOver }) => !isOver)
  }

  /** True when that call is in the conference. */
  has(callSid: string): boolean {
    return this.participants.some((participant) => participant.callSid === callSid)
  }

  /** Returns a participant; `name` is the sid of a call or a label. Throws ConferenceNotFoundError. */
  participant(name: string): Participant {
    const found = this.participants.find(
      ({ callSid, entry }) => callSid === name || entry.label === name,
    )
    if (found === undefined)
      throw new ConferenceNotFoundError(`no participant ${name} is in the conference`)
    return found
  }

  /** Throws ConferenceRefusedError when the conference is full or the label is in use. */
  checkRoomFor({ label, maxParticipants }: RoomNeed): void {
    const others = [...this.#participants.values()].map(({ entry }) => entry)
    const labels = [...others.map((other) => other.label), ...this.invited.labels]
    if (labels.length >= maxParticipants)
      throw new ConferenceRefusedError(16020, 'the conference is full')
    if (label !== undefined && labels.includes(label))
      throw new ConferenceRefusedError(16025, 'the participant label is in use')
  }

  /** Stores the conference, since a call will join it. */
  expectCall(): Promise<void> {
    return this.#step({ type: 'call-expected' })
  }

  expectNobody(): Promise<void> {
    return this.#step({ type: 'nobody-expected' })
  }

  /** Reports an invited call that ended before it joined. */
  notReached(participant: ParticipantFacts, callStatus: CallStatus): Promise<void> {
    return this.#step({ type: 'reported' }, () => {
      const reason = leaveReason(this.#state.room, undefined)
      return [{ type: 'leave', participant, reason, callStatus }]
    })
  }

  /** Resolves when the participant has left; rejects with the error of its leg or its waiting markup. */
  async stay(participant: Participant): Promise<void> {
    const { callSid } = participant
    this.#participants.set(callSid, participant)
    const { label, startOnEnter, endOnExit } = participant.facts
    const member = { callSid, label, startOnEnter, endOnExit }
    await this.#step({ type: 'entered', member })
    try {
      while (!participant.isOver) await this.#present(participant)
    } finally {
      participant.end(participant.leg.state === 'ended' ? 'hung-up' : 'released')
      await participant.silent
      await this.#step({ type: 'left', callSid, how: mannerOf(participant) })
      if (participant.settings.beepsOnExit) await this.#beep()
    }
  }

  /** Ends every participant's stay; resolves when the room is empty. */
  async end(): Promise<void> {
    await this.#step({ type: 'end-requested' })
    await this.#over.done
  }

  /** Resolves when the change is stored and applied. Rejects with CoachedCallError, without any change. */
  async change(participant: Participant, change: ParticipantChange): Promise<void> {
    const { callSid, settings: before } = participant
    const coach = change.coach?.callSid
    if (coach !== undefined && (coach === callSid || !this.has(coach)))
      throw new CoachedCallError(`${coach} is not in the conference`)
    const after = changedSettings(before, change)
    participant.update(after, this.#deps.clock.now())
    const { facts } = participant
    await this.#step({ type: 'changed', callSid, endOnExit: after.endOnExit }, () =>
      eventsBetween(before, after).map((type) => ({ type, participant: facts })),
    )
    await this.#audio.voiceChanged(participant)
    if (before.coach !== after.coach) await this.#audio.coachChanged(participant)
    if (before.hold !== after.hold || before.waiting !== after.waiting) participant.changed()
  }

  /** Handles one event at a time: stores it with its callbacks, then performs its effects. */
  #step(event: RoomEvent, more: () => readonly ConferenceNews[] = () => []): Promise<void> {
    return this.#turns.run(async () => {
      // A conference must not report anything after its end.
      if (this.#state.room.state === 'completed' && event.type === 'reported') return
      const effects = this.#state.take(event)
      if (!this.isOpen) this.#deps.directory.closed(this)
      await this.#state.store([...effects.flatMap((effect) => this.#newsOf(effect)), ...more()])
      for (const effect of effects) this.#perform(effect)
      if (!this.isOpen) this.#close()
    })
  }

  #newsOf(effect: RoomEffect): readonly ConferenceNews[] {
    if (effect.type === 'started') return [{ type: 'start' }]
    if (effect.type === 'ended') return [{ type: 'end', end: effect.end }]
    if (effect.type === 'release') return []
    const participant = this.#participants.get(effect.callSid)
    if (participant === undefined) return []
    const { facts, isCallOver } = participant
    if (effect.type === 'joined') return [{ type: 'join', participant: facts }]
    const callStatus = isCallOver ? 'completed' : 'in-progress'
    return [{ type: 'leave', participant: facts, reason: effect.reason, callStatus }]
  }

  #perform(effect: RoomEffect): void {
    if (effect.type === 'gone') this.#participants.delete(effect.callSid)
    if (effect.type === 'started')
      for (const participant of this.#participants.values()) participant.changed()
    if (effect.type === 'release')
      for (const participant of this.#participants.values()) participant.end('released')
  }

  #close(): void {
    this.invited.hangUpAll()
    this.announcements.close()
    if (this.#state.room.state !== 'completed') return
    this.#deps.directory.ended(this)
    // The room does not wait for the recording's file, which may take a while.
    if (this.#isRecorded) void this.#deps.recorder.stopAll(this.record.sid)
    this.#over.resolve()
  }

  async #present(participant: Participant): Promise<void> {
    await participant.afterAnnouncement()
    if (participant.isOver || participant.hasAnnouncement) return
    const { hold, waiting } = participant.settings
    if (this.#state.room.state === 'init') await participant.wait(hold ?? waiting)
    else await this.#audio.mix(participant)
  }

  async #beep(): Promise<void> {
    if (this.#state.room.state === 'in-progress') await this.#audio.beep()
  }

  /** Reports talking only when the application has subscribed to it, because it is frequent. */
  #reportTalking({ facts }: Participant, talking: 'started' | 'stopped'): void {
    if (this.record.statusCallback?.events.includes('speaker') !== true) return
    const type = talking === 'started' ? 'speech-start' : 'speech-stop'
    this.#step({ type: 'reported' }, () => [{ type, participant: facts }]).catch((err: unknown) => {
      this.#deps.log.error({ err, callSid: facts.callSid }, 'could not report a speaker event')
    })
  }

  /** Starts the recording with the first participant that requests it. */
  #record({ entry, callSid }: Participant): void {
    const { recorder, log } = this.#deps
    const { sid: conferenceSid, accountSid } = this.record
    if (entry.recording === undefined || this.#isRecorded) return
    this.#isRecorded = true
    recorder
      .startOfRoom({ sid: callSid, accountSid, conferenceSid }, this.#audio, entry.recording)
      .catch((err: unknown) => {
        log.error({ err, conferenceSid }, 'could not record a conference')
      })
  }
}

/** The state of one room and its record. */
class RoomState {
  readonly #deps: RoomStateDeps
  #record: ConferenceRecord
  #room: Room = EMPTY_ROOM
  #isStored = false

  constructor(record: ConferenceRecord, deps: RoomStateDeps) {
    this.#record = record
    this.#deps = deps
  }

  get record(): ConferenceRecord {
    return this.#record
  }

  get room(): Room {
    return this.#room
  }

  get isOpen(): boolean {
    return isOpen(this.#room)
  }

  /** Applies an event; the caller performs the effects once the room is stored. */
  take(event: RoomEvent): readonly RoomEffect[] {
    const { state: room, effects } = stepRoom(this.#room, event)
    this.#room = room
    this.#record = {
      ...this.#record,
      status: room.state === 'ending' ? 'in-progress' : room.state,
      end: 'end' in room ? room.end : undefined,
      updatedAt: this.#deps.clock.now(),
    }
    return effects
  }

  /**
   * Stores the record with the callbacks of the news. A failure is only logged, so that participants can
   * still leave.
   */
  async store(news: readonly ConferenceNews[]): Promise<void> {
    const { log, store } = this.#deps
    // A room that was never stored was never visible, so its end is not stored either.
    if (this.#record.status === 'completed' && !this.#isStored) return
    this.#isStored = true
    try {
      this.#record = await store.save(this.#record, news)
    } catch (err) {
      log.error({ err, conferenceSid: this.#record.sid }, 'could not store a conference')
    }
  }
}

function mannerOf({ departure }: Participant): 'left' | 'kicked' | 'redirected' {
  return departure === 'kicked' || departure === 'redirected' ? departure : 'left'
}
