import type { Clock } from '../../platform/clock.js'
import { newSid } from '../../platform/ids.js'
import type { Logger } from '../../platform/log.js'
import type { ConferenceEntry } from '../markup/host.js'
import type { Leg } from '../media/port.js'
import { Conference } from './conference.js'
import type { ConferenceRecord, ConferenceStore } from './conference-store.js'
import { Participant } from './participant.js'

export interface ConferencesDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly store: ConferenceStore
}

/** The rooms of this process, one for each account and name while somebody is in it. */
export interface Conferences {
  /**
   * Brings a call into the room of that name. Resolves when it has left: by the signal, because the
   * room ended, or because it was taken out. Rejects with ConferenceRefusedError.
   */
  enter(
    call: { readonly sid: string; readonly accountSid: string },
    leg: Leg,
    entry: ConferenceEntry,
    signal: AbortSignal,
  ): Promise<void>
  liveCount(): number
}

export function createConferences(deps: ConferencesDeps): Conferences {
  const open = new Map<string, Conference>()

  const find = (accountSid: string, entry: ConferenceEntry): Conference => {
    const key = `${accountSid} ${entry.name}`
    const known = open.get(key)
    if (known !== undefined) return known
    const conference: Conference = new Conference(newRecord(accountSid, entry, deps.clock.now()), {
      ...deps,
      closed: () => {
        if (open.get(key) === conference) open.delete(key)
      },
    })
    open.set(key, conference)
    return conference
  }

  return {
    enter: async ({ sid, accountSid }, leg, entry, signal) => {
      const participant = new Participant(sid, leg, entry)
      const conference = find(accountSid, entry)
      conference.checkRoomFor(participant)
      const leave = () => {
        participant.end()
      }
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      try {
        await conference.stay(participant)
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
    liveCount: () => open.size,
  }
}

function newRecord(accountSid: string, entry: ConferenceEntry, now: number): ConferenceRecord {
  return {
    sid: newSid('CF'),
    accountSid,
    friendlyName: entry.name,
    status: 'init',
    end: undefined,
    statusCallback: entry.statusCallback,
    sequence: 0,
    createdAt: now,
    updatedAt: now,
  }
}
