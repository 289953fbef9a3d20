import type { Reader, Writer } from '../../platform/database/database.js'
import { type StreamRecord, toStreamRecord, toStreamRow } from './stream-record.js'

export async function insertStream(tx: Writer, stream: StreamRecord): Promise<void> {
  await tx.insertInto('streams').values(toStreamRow(stream)).execute()
}

/** Stores that a stream's audio has started; false when another node has already ended the stream. */
export async function markStreamStarted(tx: Writer, sid: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('streams')
    .set({ startedAt: at })
    .where('sid', '=', sid)
    .where('status', '=', 'in-progress')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Stores the end of a stream; resolves with undefined when another node has already ended it. */
export async function markStreamStopped(
  tx: Writer,
  sid: string,
  at: number,
): Promise<{ readonly hadStarted: boolean } | undefined> {
  const row = await tx
    .updateTable('streams')
    .set({ status: 'stopped', updatedAt: at })
    .where('sid', '=', sid)
    .where('status', '=', 'in-progress')
    .returning('startedAt')
    .executeTakeFirst()
  return row && { hadStarted: row.startedAt !== null }
}

/** Finds a stream by its sid or its name; the newest if several have that name. */
export async function findStream(
  read: Reader,
  of: { readonly accountSid: string; readonly callSid: string },
  sidOrName: string,
): Promise<StreamRecord | undefined> {
  const row = await read
    .selectFrom('streams')
    .selectAll()
    .where('accountSid', '=', of.accountSid)
    .where('callSid', '=', of.callSid)
    .where((where) => where.or([where('sid', '=', sidOrName), where('name', '=', sidOrName)]))
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toStreamRecord(row)
}

export async function latestStream(
  read: Reader,
  of: { readonly accountSid: string; readonly callSid: string },
): Promise<StreamRecord | undefined> {
  const row = await read
    .selectFrom('streams')
    .selectAll()
    .where('accountSid', '=', of.accountSid)
    .where('callSid', '=', of.callSid)
    .orderBy('status')
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toStreamRecord(row)
}

/** Unfinished streams, except those of calls on other nodes. */
export async function unfinishedStreams(
  read: Reader,
  node: string,
  limit: number,
): Promise<readonly StreamRecord[]> {
  const rows = await read
    .selectFrom('streams')
    .selectAll()
    .where('status', '=', 'in-progress')
    .where((each) =>
      each.not(
        each.exists(
          each
            .selectFrom('calls')
            .select('calls.sid')
            .whereRef('calls.sid', '=', 'streams.callSid')
            .where('calls.node', '<>', node),
        ),
      ),
    )
    .limit(limit)
    .execute()
  return rows.map(toStreamRecord)
}
