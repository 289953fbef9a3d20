import type { ConferenceEntry } from '../markup/conference-entry.js'
import { Conference, type ConferenceDeps, type ConferenceDirectory } from './conference.js'
import { newConferenceRecord } from './conference-record.js'

export type RoomsDeps = Omit<ConferenceDeps, 'directory'>

/** The live conferences: by account and name while they admit calls, by sid until their end. */
export class Rooms implements ConferenceDirectory {
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

  /** The conference that this call is invited to; undefined when there is none. */
  expecting(callSid: string): Conference | undefined {
    return [...this.#live.values()].find(({ invited }) => invited.find(callSid) !== undefined)
  }

  /** The conference of that name that is open here. */
  find(accountSid: string, name: string): Conference | undefined {
    return this.#open.get(keyOf(accountSid, name))
  }

  /** The open conference of that name; it is made when there is none. */
  open(accountSid: string, wanted: Pick<ConferenceEntry, 'name' | 'statusCallback'>): Conference {
    const known = this.find(accountSid, wanted.name)
    if (known !== undefined) return known
    const record = newConferenceRecord(accountSid, wanted, this.#deps.clock.now())
    const conference = new Conference(record, { ...this.#deps, directory: this })
    this.#open.set(keyOf(accountSid, wanted.name), conference)
    this.#live.set(record.sid, conference)
    return conference
  }

  closed(conference: Conference): void {
    const { accountSid, friendlyName } = conference.record
    const key = keyOf(accountSid, friendlyName)
    if (this.#open.get(key) === conference) this.#open.delete(key)
  }

  ended({ record }: Conference): void {
    this.#live.delete(record.sid)
  }
}

function keyOf(accountSid: string, name: string): string {
  return `${accountSid} ${name}`
}
