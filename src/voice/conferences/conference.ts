import { deferred, whenAborted } from '../../platform/async/deferred.js'
import { InTurn } from '../../platform/async/serial-queue.js'
import type { Clock } from '../../platform/clock.js'
import { AdapterError } from '../../platform/errors.js'
import type { Logger } from '../../platform/log.js'
import { type ConferenceEntry, ConferenceRefusedError } from '../markup/conference-entry.js'
import type { Recordings } from '../recordings/recordings.js'
import type { AudioSource } from '../telephony/leg-media.js'
import { Announcements } from './announcements.js'
import type { ConferenceNews } from './conference-callbacks.js'
import { CoachedCallError, ConferenceNotFoundError } from './conference-errors.js'
import type { ConferenceRecord } from './conference-record.js'
import type { ConferenceStore } from './conference-store.js'
import { InvitedCalls } from './invited-calls.js'
import type { Participant, ParticipantChange } from './participant.js'
import { EMPTY_ROOM, type Room, type RoomEffect, type RoomEvent, stepRoom } from './room-machine.js'

export interface ConferenceDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly store: Pick<ConferenceStore, 'save'>
  readonly recorder: Pick<Recordings, 'startOfRoom' | 'stopAll'>
  /** Nobody comes in any more; the name is free. */
  readonly closed: () => void
  /** Nobody is left. */
  readonly ended: () => void
}

type RoomNeed = Pick<ConferenceEntry, 'label' | 'maxParticipants'>

const BEEP: AudioSource = { type: 'tone', frequencies: [440], onMs: 200, offMs: 0, repeat: 1 }

/** One room: who is in it, in what state, and what is told of it. */
export class Conference {
  /** Those who are being called to come in. */
  readonly invited = new InvitedCalls()
  readonly announcements: Announcements
  readonly #participants = new Map<string, Participant>()
  readonly #deps: ConferenceDeps
  readonly #over = deferred()
  readonly #now: { record: ConferenceRecord; room: Room; isStored: boolean; isRecorded: boolean }
  readonly #turns = new InTurn()

  constructor(record: ConferenceRecord, deps: ConferenceDeps) {
    this.#now = { record, room: EMPTY_ROOM, isStored: false, isRecorded: false }
    this.#deps = deps
    this.announcements = new Announcements({
      log: deps.log,
      audience: () => this.participants.filter(({ state }) => state.hold === undefined),
      tell: (news) => this.#step({ type: 'told' }, () => [news]),
    })
  }

  get record(): ConferenceRecord {
    return this.#now.record
  }

  /** Whether one may still come in. */
  get isOpen(): boolean {
    return this.#now.room.state === 'init' || this.#now.room.state === 'in-progress'
  }

  /** Who is in, in the order of their coming. */
  get participants(): readonly Participant[] {
    return [...this.#participants.values()].filter(({ isOver }) => !isOver)
  }

  /** By its call's sid, or its label; rejects with ConferenceNotFoundError. */
  participant(name: string): Participant {
    const found = this.participants.find(
      ({ callSid, entry }) => callSid === name || entry.label === name,
    )
    if (found === undefined) throw new ConferenceNotFoundError(`nobody is ${name} in there`)
    return found
  }

  /** Rejects with ConferenceRefusedError before anything has happened. */
  checkRoomFor({ label, maxParticipants }: RoomNeed): void {
    const others = [...this.#participants.values()].map(({ entry }) => entry)
    const labels = [...others.map((other) => other.label), ...this.invited.labels]
    if (labels.length >= maxParticipants)
      throw new ConferenceRefusedError(16020, 'the conference is full')
    if (label !== undefined && labels.includes(label))
      throw new ConferenceRefusedError(16025, 'the participant label is in use')
  }

  /** It is there from now on, however long it takes them to come. */
  await(): Promise<void> {
    return this.#step({ type: 'awaited' })
  }

  awaitNobody(): Promise<void> {
    return this.#step({ type: 'nobody-comes' })
  }

  /** Resolves when the participant has left; rejects with what its leg or its waiting met. */
  async stay(participant: Participant): Promise<void> {
    this.#participants.set(participant.callSid, participant)
    const { startOnEnter, endOnExit } = participant.facts
    await this.#step({
      type: 'entered',
      member: { callSid: participant.callSid, startOnEnter, endOnExit },
    })
    try {
      while (!participant.isOver) await this.#present(participant)
    } finally {
      const { callSid, state } = participant
      participant.end()
      await state.sound
      await this.#step({ type: 'left', callSid, how: state.how })
      if (state.beepsOnExit) await this.#beep()
    }
  }

  /** Lets everybody go; resolves when nobody is left. */
  async end(): Promise<void> {
    await this.#step({ type: 'end-requested' })
    await this.#over.done
  }

  /** Told by then, and heard or not heard. Rejects with CoachedCallError, and nothing has changed. */
  async change(participant: Participant, change: ParticipantChange): Promise<void> {
    const { callSid, state } = participant
    const coach = change.coach?.callSid
    if (coach !== undefined && (coach === callSid || !this.#isIn(coach)))
      throw new CoachedCallError(`${coach} is not in the conference`)
    const former = { ...state }
    const news = participant.apply(change, this.#deps.clock.now())
    const { facts } = participant
    await this.#step({ type: 'changed', callSid, endOnExit: facts.endOnExit }, () =>
      news.map((type) => ({ type, participant: facts })),
    )
    await this.#quietly(this.#giveVoice(participant))
    if (former.coach !== state.coach) await this.#recoach(participant)
    if (former.hold !== state.hold || former.waiting !== state.waiting) participant.changed()
  }

  #isIn(callSid: string): boolean {
    return this.participants.some((participant) => participant.callSid === callSid)
  }

  /** One event at a time: stored with its callbacks, then carried out. */
  #step(event: RoomEvent, more: () => readonly ConferenceNews[] = () => []): Promise<void> {
    return this.#turns.run(() => this.#take(event, more))
  }

  async #take(event: RoomEvent, more: () => readonly ConferenceNews[]): Promise<void> {
    // Its end is the last that is told of it.
    if (this.#now.room.state === 'completed' && event.type === 'told') return
    const { state: room, effects } = stepRoom(this.#now.room, event)
    this.#now.room = room
    if (!this.isOpen) this.#deps.closed()
    this.#now.record = {
      ...this.#now.record,
      status: room.state === 'ending' ? 'in-progress' : room.state,
      end: room.end,
      updatedAt: this.#deps.clock.now(),
    }
    await this.#store([...effects.flatMap((effect) => this.#newsOf(effect)), ...more()])
    for (const effect of effects) this.#perform(effect)
    if (!this.isOpen) {
      this.invited.hangUpAll()
      this.announcements.close()
    }
    if (room.state !== 'completed') return
    this.#deps.ended()
    // Beside the end: its file may take a while.
    if (this.#now.isRecorded) void this.#deps.recorder.stopAll(this.#now.record.sid)
    this.#over.resolve()
  }

  async #store(news: readonly ConferenceNews[]): Promise<void> {
    const { log, store } = this.#deps
    const { record, isStored } = this.#now
    // What nobody has heard of needs no end.
    if (record.status === 'completed' && !isStored) return
    this.#now.isStored = true
    try {
      this.#now.record = await store.save(record, news)
    } catch (err) {
      // A full disk must not keep anybody in a room.
      log.error({ err, conferenceSid: record.sid }, 'a room could not be stored')
    }
  }

  #newsOf(effect: RoomEffect): readonly ConferenceNews[] {
    if (effect.type === 'started') return [{ type: 'start' }]
    if (effect.type === 'ended') return [{ type: 'end', end: effect.end }]
    if (effect.type === 'release') return []
    const participant = this.#participants.get(effect.callSid)?.facts
    if (participant === undefined) return []
    return [{ type: effect.type === 'joined' ? 'join' : 'leave', participant }]
  }

  #perform(effect: RoomEffect): void {
    if (effect.type === 'gone') this.#participants.delete(effect.callSid)
    if (effect.type === 'started')
      for (const participant of this.#participants.values()) participant.changed()
    if (effect.type === 'release')
      for (const participant of this.#participants.values()) participant.end()
  }

  async #present(participant: Participant): Promise<void> {
    const { state } = participant
    await participant.heardOut()
    if (participant.isOver || state.announcement !== undefined) return
    if (this.#now.room.state === 'init') await participant.wait(state.hold ?? state.waiting)
    else await this.#mix(participant)
  }

  /** Who is on hold stays in, deaf and unheard: so the room goes on even when all are. */
  async #mix(participant: Participant): Promise<void> {
    const { leg, state, entry } = participant
    // Whom only one may hear speaks when all others are deaf to it.
    const speaks = state.coach === undefined ? speaksNow(participant) : 'no'
    const seat = await leg.media.joinRoom(this.#now.record.sid, { speaks })
    state.seat = seat
    void seat.left.then(() => {
      participant.end()
    })
    const forget = seat.onTalking((talking) => {
      this.#tellSpeaker(participant, talking)
    })
    try {
      this.#record(participant)
      await this.#relate()
      if (state.coach !== undefined || state.hold !== undefined) await this.#giveVoice(participant)
      if (entry.beep === 'true' || entry.beep === 'onEnter') await this.#beep()
      while (!participant.isOver) {
        await participant.heardOut()
        const { untilChange } = participant
        if (state.hold === undefined) await whenAborted(untilChange)
        else await participant.wait(state.hold)
      }
    } finally {
      forget()
      state.seat = undefined
      await seat.leave()
    }
  }

  /** Nothing is stored of it unless somebody wants to be told: people talk often. */
  #tellSpeaker({ facts }: Participant, talking: 'started' | 'stopped'): void {
    if (this.#now.record.statusCallback?.events.includes('speaker') !== true) return
    const type = talking === 'started' ? 'speech-start' : 'speech-stop'
    this.#step({ type: 'told' }, () => [{ type, participant: facts }]).catch((err: unknown) => {
      this.#deps.log.error({ err, callSid: facts.callSid }, 'a speaker could not be told of')
    })
  }

  /** From the start on, for the first who wishes it. */
  #record({ entry, callSid }: Participant): void {
    const { recorder, log } = this.#deps
    const { sid: conferenceSid, accountSid } = this.#now.record
    if (entry.recording === undefined || this.#now.isRecorded) return
    this.#now.isRecorded = true
    const room = {
      record: (path: string) => {
        const seat = this.#seated()[0]?.state.seat
        return seat === undefined
          ? Promise.reject(new AdapterError('nobody is in the room'))
          : seat.record(path)
      },
    }
    const wanted = {
      ...entry.recording,
      source: 'Conference',
      channels: 'mono',
      track: 'both',
    } as const
    recorder
      .startOfRoom({ sid: callSid, accountSid, conferenceSid }, room, wanted)
      .catch((err: unknown) => {
        log.error({ err, conferenceSid }, 'a conference could not be recorded')
      })
  }

  async #giveVoice(participant: Participant): Promise<void> {
    const { seat, hold } = participant.state
    await seat?.setSpeaks(speaksNow(participant))
    await seat?.setHears(hold === undefined ? 'yes' : 'no')
  }

  /** Who coaches is heard by the coached one alone. */
  async #relate(): Promise<void> {
    const seated = this.#seated()
    for (const { state, callSid } of seated.filter((one) => one.state.coach !== undefined))
      for (const other of seated) {
        if (other.callSid === callSid || other.state.seat === undefined) continue
        const hears = other.callSid === state.coach ? 'yes' : 'no'
        await this.#quietly(state.seat?.setHeardBy(other.state.seat, hears))
      }
  }

  async #recoach({ callSid, state }: Participant): Promise<void> {
    if (state.coach === undefined)
      for (const other of this.#seated())
        if (other.callSid !== callSid && other.state.seat !== undefined)
          await this.#quietly(state.seat?.setHeardBy(other.state.seat, 'yes'))
    await this.#relate()
  }

  #seated(): readonly Participant[] {
    return [...this.#participants.values()].filter(({ state }) => state.seat !== undefined)
  }

  async #beep(): Promise<void> {
    if (this.#now.room.state !== 'in-progress') return
    await this.#quietly(this.#seated()[0]?.state.seat?.play(BEEP))
  }

  /** One may leave while it is told something: that is no failure of the others. */
  async #quietly(work: Promise<void> | undefined): Promise<void> {
    try {
      await work
    } catch (err) {
      this.#deps.log.debug(
        { err, conferenceSid: this.#now.record.sid },
        'a participant has just left',
      )
    }
  }
}

function speaksNow({ state }: Participant): 'yes' | 'no' {
  return state.isMuted || state.hold !== undefined ? 'no' : 'yes'
}
