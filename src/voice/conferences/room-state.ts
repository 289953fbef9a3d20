import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import type { ConferenceNews } from './conference-callbacks.js'
import type { ConferenceRecord } from './conference-record.js'
import type { ConferenceStore } from './conference-store.js'
import {
  EMPTY_ROOM,
  isOpen,
  type Room,
  type RoomEffect,
  type RoomEvent,
  stepRoom,
} from './room-machine.js'

export interface RoomStateDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly store: Pick<ConferenceStore, 'save'>
}

/** The state of one room and its record. */
export class RoomState {
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

  /** Moves the room; the caller performs the effects once the room is stored. */
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
   * Stores the record with the callbacks of the news. A failure is logged: it keeps no participant
   * in a room.
   */
  async store(news: readonly ConferenceNews[]): Promise<void> {
    const { log, store } = this.#deps
    // A room that was never stored was never visible, so its end is not stored either.
    if (this.#record.status === 'completed' && !this.#isStored) return
    this.#isStored = true
    try {
      this.#record = await store.save(this.#record, news)
    } catch (err) {
      log.error({ err, conferenceSid: this.#record.sid }, 'a conference could not be stored')
    }
  }
}
