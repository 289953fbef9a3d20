import type { Clock } from '../../platform/clock.js'
import type { Database, Writer } from '../../platform/database/database.js'
import type { NewOutboxRow } from '../../platform/webhooks/outbox-row.js'
import { rfc2822 } from '../calls/callback-params.js'
import type { ConferenceEntry } from '../markup/host.js'
import { type ConferenceNews, newsParams, subscriptionOf } from './conference-callbacks.js'
import type { RoomEnd } from './room-machine.js'

export interface ConferenceRecord {
  readonly sid: string
  readonly accountSid: string
  readonly friendlyName: string
  readonly status: 'init' | 'in-progress' | 'completed'
  readonly end: RoomEnd | undefined
  /** Of the first participant who brought one. */
  readonly statusCallback: ConferenceEntry['statusCallback']
  /** Events so far; the next one's SequenceNumber is one more. */
  readonly sequence: number
  readonly createdAt: number
  readonly updatedAt: number
}

export interface ConferenceStoreDeps {
  readonly db: Database
  readonly clock: Clock
  readonly enqueueCallbacks: (tx: Writer, rows: readonly NewOutboxRow[]) => Promise<void>
  readonly callbacksCommitted: (accountSid: string) => void
}

export interface ConferenceStore {
  /** With the callbacks of the news in one commit. */
  save(record: ConferenceRecord, news: readonly ConferenceNews[]): Promise<ConferenceRecord>
  /** Rooms that a killed process left are over. */
  finishOrphans(): Promise<void>
}

export function createConferenceStore(deps: ConferenceStoreDeps): ConferenceStore {
  const { db, clock } = deps
  return {
    save: async (record, news) => {
      const rows = callbacksOf(record, news, clock.now())
      await db.write(async (tx) => {
        const row = toRow(record)
        await tx
          .insertInto('conferences')
          .values(row)
          .onConflict((conflict) => conflict.column('sid').doUpdateSet(row))
          .execute()
        if (rows.length > 0) await deps.enqueueCallbacks(tx, rows)
      })
      if (rows.length > 0) deps.callbacksCommitted(record.accountSid)
      return { ...record, sequence: record.sequence + news.length }
    },
    finishOrphans: () =>
      db.write(async (tx) => {
        await tx
          .updateTable('conferences')
          .set({ status: 'completed', updated_at: clock.now() })
          .where('status', '<>', 'completed')
          .execute()
      }),
  }
}

function callbacksOf(
  record: ConferenceRecord,
  news: readonly ConferenceNews[],
  now: number,
): readonly NewOutboxRow[] {
  const { statusCallback, sid, accountSid, friendlyName, sequence } = record
  if (statusCallback === undefined) return []
  const wanted: readonly string[] = statusCallback.events
  return news.flatMap((one, index) =>
    wanted.includes(subscriptionOf(one))
      ? [
          {
            stream: sid,
            accountSid,
            kind: 'conference',
            url: statusCallback.url,
            method: statusCallback.method,
            params: [
              ['ConferenceSid', sid],
              ['AccountSid', accountSid],
              ['FriendlyName', friendlyName],
              ['Timestamp', rfc2822(new Date(now))],
              ['SequenceNumber', String(sequence + index + 1)],
              ...newsParams(one),
            ],
          },
        ]
      : [],
  )
}

function toRow(record: ConferenceRecord) {
  return {
    sid: record.sid,
    account_sid: record.accountSid,
    friendly_name: record.friendlyName,
    status: record.status,
    reason_ended: record.status === 'completed' ? (record.end?.reason ?? null) : null,
    ended_by: record.status === 'completed' ? (record.end?.callSid ?? null) : null,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  }
}
