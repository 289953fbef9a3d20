import type { Clock } from '../../platform/clock.js'
import type { Database, Writer } from '../../platform/database/database.js'
import type { Page, PageRequest } from '../../platform/database/newest-first.js'
import type { CallbackOutbox, NewCallback } from '../../platform/outbox/callback.js'
import type { Enqueue } from '../../platform/outbox/transactional-outbox.js'
import { rfc2822 } from '../model/callback-params.js'
import { type ConferenceNews, newsParams, subscriptionOf } from './conference-callbacks.js'
import { type ConferenceRecord, toConferenceRecord, toConferenceRow } from './conference-record.js'
import { type ConferenceFilter, listConferences } from './list-conferences.js'

export interface ConferenceStoreDeps {
  readonly db: Database
  readonly clock: Clock
  readonly outbox: CallbackOutbox
}

export interface ConferenceStore {
  /** Stores the record and the callbacks of the news in one commit; resolves with the stored record. */
  save(record: ConferenceRecord, news: readonly ConferenceNews[]): Promise<ConferenceRecord>
  find(accountSid: string, sid: string): Promise<ConferenceRecord | undefined>
  /** Lists an account's conferences, newest first. */
  list(
    accountSid: string,
    filter: ConferenceFilter,
    page: PageRequest,
  ): Promise<Page<ConferenceRecord>>
  /**
   * Resolves with the name of the other node that runs the conference, found by sid or name; undefined for
   * one that has ended, that runs on this node, or that does not exist.
   */
  otherNodeOf(
    accountSid: string,
    conference: { readonly sid: string } | { readonly name: string },
  ): Promise<string | undefined>
  /**
   * Ends the conferences that a killed process of this node, or of the given one, left, and reports their
   * end; resolves with their number.
   */
  recover(node?: string): Promise<number>
}

export function createConferenceStore(deps: ConferenceStoreDeps): ConferenceStore {
  const { db, clock, outbox } = deps

  const put = async (
    tx: Writer,
    enqueue: Enqueue<NewCallback>,
    record: ConferenceRecord,
    news: readonly ConferenceNews[],
    node = db.node,
  ): Promise<ConferenceRecord> => {
    const rows = callbacksOf(record, news, clock.now())
    const stored = { ...record, sequence: record.sequence + news.length }
    const row = toConferenceRow(stored)
    const saved = await tx
      .insertInto('conferences')
      .values({ ...row, node })
      .onConflict((conflict) =>
        conflict.column('sid').doUpdateSet(row).where('conferences.node', '=', node),
      )
      .executeTakeFirst()
    // The callbacks of a room that moved to another node are sent by that node.
    if ((saved.numInsertedOrUpdatedRows ?? 0n) > 0n) await enqueue(rows)
    return stored
  }

  return {
    save: (record, news) => outbox.commit((tx, enqueue) => put(tx, enqueue, record, news)),
    find: async (accountSid, sid) => {
      const row = await db.read
        .selectFrom('conferences')
        .selectAll()
        .where('sid', '=', sid)
        .where('accountSid', '=', accountSid)
        .executeTakeFirst()
      return row === undefined ? undefined : toConferenceRecord(row)
    },
    list: (...asked) => listConferences(db.read, ...asked),
    otherNodeOf: (...asked) => otherNodeOf(db, ...asked),
    recover: (node = db.node) =>
      outbox.commit(async (tx, enqueue) => {
        const left = await tx
          .selectFrom('conferences')
          .selectAll()
          .where('node', '=', node)
          .where('status', '<>', 'completed')
          .execute()
        for (const row of left) {
          const end = {
            reason: 'last-participant-left',
            callSid: undefined,
            label: undefined,
          } as const
          const record = { ...toConferenceRecord(row), end, updatedAt: clock.now() }
          await put(tx, enqueue, { ...record, status: 'completed' }, [{ type: 'end', end }], node)
        }
        return left.length
      }),
  }
}

async function otherNodeOf(
  { engine, node, read }: Pick<Database, 'engine' | 'node' | 'read'>,
  ...[accountSid, conference]: Parameters<ConferenceStore['otherNodeOf']>
): Promise<string | undefined> {
  if (engine === 'sqlite') return undefined
  const open = read
    .selectFrom('conferences')
    .select('node')
    .where('accountSid', '=', accountSid)
    .where('status', '<>', 'completed')
    .where('node', '<>', node)
  const named =
    'sid' in conference
      ? open.where('sid', '=', conference.sid)
      : open.where('friendlyName', '=', conference.name)
  const row = await named.orderBy('createdAt', 'desc').limit(1).executeTakeFirst()
  return row?.node
}

function callbacksOf(
  record: ConferenceRecord,
  news: readonly ConferenceNews[],
  now: number,
): readonly NewCallback[] {
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

/** Moves a node's unfinished rooms to another node. */
export async function handOverConferences(tx: Writer, from: string, to: string): Promise<void> {
  await tx
    .updateTable('conferences')
    .set({ node: to })
    .where('node', '=', from)
    .where('status', '<>', 'completed')
    .execute()
}
