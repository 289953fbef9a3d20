import { jsonAtRest } from '../../platform/database/at-rest.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import { newSid } from '../../platform/ids.js'
import type { ConferenceEntry } from '../markup/conference-entry.js'
import type { EndReason, RoomEnd } from './room-machine.js'
import type { ConferencesTable } from './tables.js'

/** A conference as it is stored and shown; times are epoch milliseconds. */
export interface ConferenceRecord {
  readonly sid: string
  readonly accountSid: string
  readonly friendlyName: string
  readonly status: 'init' | 'in-progress' | 'completed'
  readonly end: RoomEnd | undefined
  /** The status callback of the first participant. */
  readonly statusCallback: ConferenceEntry['statusCallback']
  /** The number of events so far; the next SequenceNumber is one higher. */
  readonly sequence: number
  readonly createdAt: number
  readonly updatedAt: number
}

export function newConferenceRecord(
  accountSid: string,
  { name, statusCallback }: Pick<ConferenceEntry, 'name' | 'statusCallback'>,
  now: number,
): ConferenceRecord {
  return {
    sid: newSid('CF'),
    accountSid,
    friendlyName: name,
    status: 'init',
    end: undefined,
    statusCallback,
    sequence: 0,
    createdAt: now,
    updatedAt: now,
  }
}

export function toConferenceRecord(row: Selectable<ConferencesTable>): ConferenceRecord {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    friendlyName: row.friendlyName,
    status: row.status,
    end:
      row.reasonEnded === null
        ? undefined
        : // Only values that `toConferenceRow` wrote are ever read, here and below.
          {
            reason: row.reasonEnded as EndReason,
            callSid: row.endedBy ?? undefined,
            label: undefined,
          },
    statusCallback:
      row.callback === null
        ? undefined
        : (JSON.parse(row.callback) as ConferenceRecord['statusCallback']),
    sequence: row.sequence,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** Returns the columns of a conference, except the node, which its record does not have. */
export function toConferenceRow(record: ConferenceRecord): Omit<Written<ConferencesTable>, 'node'> {
  const { statusCallback, status, end } = record
  return {
    sid: record.sid,
    accountSid: record.accountSid,
    friendlyName: record.friendlyName,
    status,
    reasonEnded: status === 'completed' ? (end?.reason ?? null) : null,
    endedBy: status === 'completed' ? (end?.callSid ?? null) : null,
    callback: statusCallback === undefined ? null : jsonAtRest(statusCallback),
    sequence: record.sequence,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  }
}
