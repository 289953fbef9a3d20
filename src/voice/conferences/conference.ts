import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import { ConferenceRefusedError } from '../markup/host.js'
import { whenAborted } from '../media/deferred.js'
import type { AudioSource } from '../media/port.js'
import type { ConferenceNews } from './conference-callbacks.js'
import type { ConferenceRecord, ConferenceStore } from './conference-store.js'
import type { Participant } from './participant.js'
import { EMPTY_ROOM, type Room, type RoomEffect, type RoomEvent, stepRoom } from './room-machine.js'

export interface ConferenceDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly store: ConferenceStore
  /** Nobody comes in any more; the name is free. */
  readonly closed: () => void
}

const BEEP: AudioSource = { type: 'tone', frequencies: [440], onMs: 200, offMs: 0, repeat: 1 }

/** One room: who is in it, in what state, and what is told of it. */
export class Conference {
  readonly participants = new Map<string, Participant>()
  readonly #deps: ConferenceDeps
  #record: ConferenceRecord
  #room: Room = EMPTY_ROOM
  #tail: Promise<void> = Promise.resolve()

  constructor(record: ConferenceRecord, deps: ConferenceDeps) {
    this.#record = record
    this.#deps = deps
  }

  get record(): ConferenceRecord {
    return this.#record
  }

  /** Rejects with ConferenceRefusedError before anything has happened. */
  checkRoomFor({ entry }: Participant): void {
    if (this.participants.size >= entry.maxParticipants)
      throw new ConferenceRefusedError(16020, 'the conference is full')
    const isTaken = [...this.participants.values()].some(
      (other) => entry.label !== undefined && other.entry.label === entry.label,
    )
    if (isTaken) throw new ConferenceRefusedError(16025, 'the participant label is in use')
  }

  /** Resolves when the participant has left; rejects with what its leg or its waiting met. */
  async stay(participant: Participant): Promise<void> {
    this.participants.set(participant.callSid, participant)
    const { startOnEnter, endOnExit } = participant.facts
    await this.step({
      type: 'entered',
      member: { callSid: participant.callSid, startOnEnter, endOnExit },
    })
    try {
      while (!participant.isOver) await this.#present(participant)
    } finally {
      const { callSid, state } = participant
      participant.end()
      await this.step({ type: 'left', callSid, how: state.how })
      if (beepsAt(participant, 'onExit')) await this.#beep()
    }
  }

  end(): Promise<void> {
    return this.step({ type: 'end-requested' })
  }

  /** One event at a time: stored with its callbacks, then carried out. */
  step(event: RoomEvent): Promise<void> {
    const step = this.#tail.then(() => this.#step(event))
    this.#tail = step.catch(() => undefined) // whoever asked sees the failure
    return step
  }

  async #step(event: RoomEvent): Promise<void> {
    const { room, effects } = stepRoom(this.#room, event)
    this.#room = room
    if (room.status === 'ending' || room.status === 'completed') this.#deps.closed()
    const { clock, log } = this.#deps
    this.#record = {
      ...this.#record,
      status: room.status === 'ending' ? 'in-progress' : room.status,
      end: room.end,
      updatedAt: clock.now(),
    }
    try {
      await this.tell(effects.flatMap((effect) => this.#newsOf(effect)))
    } catch (err) {
      // A full disk must not keep anybody in a room.
      log.error({ err, conferenceSid: this.#record.sid }, 'a room could not be stored')
    }
    for (const effect of effects) this.#perform(effect)
  }

  /** Stores the room, and its callbacks in the same commit. */
  async tell(news: readonly ConferenceNews[]): Promise<void> {
    this.#record = await this.#deps.store.save(this.#record, news)
  }

  #newsOf(effect: RoomEffect): readonly ConferenceNews[] {
    if (effect.type === 'started') return [{ type: 'start' }]
    if (effect.type === 'ended') return [{ type: 'end', end: effect.end }]
    if (effect.type === 'release') return []
    const participant = this.participants.get(effect.callSid)?.facts
    if (participant === undefined) return []
    return [{ type: effect.type === 'joined' ? 'join' : 'leave', participant }]
  }

  #perform(effect: RoomEffect): void {
    if (effect.type === 'gone') this.participants.delete(effect.callSid)
    if (effect.type === 'started')
      for (const participant of this.participants.values()) participant.changed()
    if (effect.type === 'release')
      for (const participant of this.participants.values()) participant.end()
  }

  async #present(participant: Participant): Promise<void> {
    const { untilChange, state, entry } = participant
    if (this.#room.status === 'init' || state.hold !== undefined) await entry.wait(untilChange)
    else await this.#mix(participant, untilChange)
  }

  async #mix(participant: Participant, untilChange: AbortSignal): Promise<void> {
    const { leg, state } = participant
    // Whom only one may hear speaks when all others are deaf to it.
    const speaks = state.isMuted || state.coach !== undefined ? 'no' : 'yes'
    const seat = await leg.joinRoom(this.#record.sid, { speaks })
    state.seat = seat
    try {
      await this.relate()
      if (state.coach !== undefined && !state.isMuted) await seat.setSpeaks('yes')
      if (beepsAt(participant, 'onEnter')) await this.#beep()
      await Promise.race([seat.left, whenAborted(untilChange)])
      if (!untilChange.aborted) participant.end()
    } finally {
      state.seat = undefined
      await seat.leave()
    }
  }

  /** Who coaches is heard by the coached one alone. */
  async relate(): Promise<void> {
    const seated = [...this.participants.values()].filter(({ state }) => state.seat !== undefined)
    const coaches = seated.filter(({ state }) => state.coach !== undefined)
    for (const { state, callSid } of coaches)
      for (const other of seated) {
        if (other.callSid === callSid || other.state.seat === undefined) continue
        const hears = other.callSid === state.coach ? 'yes' : 'no'
        await this.#quietly(state.seat?.setHeardBy(other.state.seat, hears))
      }
  }

  async #beep(): Promise<void> {
    if (this.#room.status !== 'in-progress') return
    const someone = [...this.participants.values()].find(({ state }) => state.seat !== undefined)
    await this.#quietly(someone?.state.seat?.play(BEEP))
  }

  /** One may leave while it is told something: that is no failure of the others. */
  async #quietly(work: Promise<void> | undefined): Promise<void> {
    try {
      await work
    } catch (err) {
      this.#deps.log.debug({ err, conferenceSid: this.#record.sid }, 'a participant has just left')
    }
  }
}

function beepsAt({ entry }: Participant, when: 'onEnter' | 'onExit'): boolean {
  return entry.beep === 'true' || entry.beep === when
}
