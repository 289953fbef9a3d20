import type { ConferenceEntry } from '../markup/conference-entry.js'
import { Conference, type ConferenceDeps } from './conference.js'
import { newConferenceRecord } from './conference-record.js'

export type RoomsDeps = Omit<ConferenceDeps, 'closed' | 'ended'>

/** The conferences that are not over: by account and name while one may come in, by sid to their end. */
export class Rooms {
  readonly #deps: RoomsDeps
  readonly #open = new Map<string, Conference>()
  readonly #live = new Map<string, Conference>()

  constructor(deps: RoomsDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#live.size
  }

  live(sid: string): Conference | undefined {
    return this.#live.get(sid)
  }

  /** The one that the call is invited to. */
  expecting(callSid: string): Conference | undefined {
    return [...this.#live.values()].find(({ invited }) => invited.find(callSid) !== undefined)
  }

  /** The one of that name that one may come into, made when there is none. */
  open(accountSid: string, wanted: Pick<ConferenceEntry, 'name' | 'statusCallback'>): Conference {
    const key = `${accountSid} ${wanted.name}`
    const known = this.#open.get(key)
    if (known !== undefined) return known
    const record = newConferenceRecord(accountSid, wanted, this.#deps.clock.now())
    const conference: Conference = new Conference(record, {
      ...this.#deps,
      closed: () => {
        if (this.#open.get(key) === conference) this.#open.delete(key)
      },
      ended: () => this.#live.delete(record.sid),
    })
    this.#open.set(key, conference)
    this.#live.set(record.sid, conference)
    return conference
  }
}
