import type { Reader, Writer } from '../../platform/database/database.js'
import {
  type RecordingRecord,
  SILENT,
  TOO_SHORT,
  toRecordingRecord,
  toRecordingRow,
  UNFINISHED_RECORDING,
} from './recording-record.js'

export async function insertRecording(tx: Writer, recording: RecordingRecord): Promise<void> {
  await tx.insertInto('recordings').values(toRecordingRow(recording)).execute()
}

/**
 * Stores the recording, unless it was deleted meanwhile, or ended by another node that declared
 * this one dead.
 */
export async function saveRecording(
  tx: Writer,
  recording: RecordingRecord,
): Promise<'stored' | 'ended' | 'deleted'> {
  const { status, durationMs, errorCode, updatedAt } = toRecordingRow(recording)
  const { numUpdatedRows } = await tx
    .updateTable('recordings')
    .set({ status, durationMs, errorCode, updatedAt })
    .where('sid', '=', recording.sid)
    .where('status', 'in', UNFINISHED_RECORDING)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return 'stored'
  const known = await findRecording(tx, recording.accountSid, recording.sid)
  return known === undefined ? 'deleted' : 'ended'
}

export async function setRecordingPrice(tx: Writer, sid: string, price: number): Promise<void> {
  await tx.updateTable('recordings').set({ price }).where('sid', '=', sid).execute()
}

export async function findRecording(
  read: Reader,
  accountSid: string,
  sid: string,
): Promise<RecordingRecord | undefined> {
  const row = await read
    .selectFrom('recordings')
    .selectAll()
    .where('sid', '=', sid)
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  return row === undefined ? undefined : toRecordingRecord(row)
}

/** Finds the recording in any account. */
export async function findAnyRecording(
  read: Reader,
  sid: string,
): Promise<RecordingRecord | undefined> {
  const row = await read
    .selectFrom('recordings')
    .selectAll()
    .where('sid', '=', sid)
    .executeTakeFirst()
  return row === undefined ? undefined : toRecordingRecord(row)
}

/** Finds the recording that was requested when the call was created. */
export async function findWholeRecording(
  read: Reader,
  callSid: string,
): Promise<RecordingRecord | undefined> {
  const row = await read
    .selectFrom('recordings')
    .selectAll()
    .where('callSid', '=', callSid)
    .where('source', '=', 'OutboundAPI')
    .executeTakeFirst()
  return row === undefined ? undefined : toRecordingRecord(row)
}

export async function deleteRecording(tx: Writer, sid: string): Promise<void> {
  await tx.deleteFrom('recordings').where('sid', '=', sid).execute()
}

/** Returns the sids of recordings that may have files; silent ones have none. */
export async function sidsWithFiles(
  read: Reader,
  sids: readonly string[],
): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('recordings')
    .select('sid')
    .where('sid', 'in', [...sids])
    .where((is) =>
      is.or([is('errorCode', 'is', null), is('errorCode', 'not in', [TOO_SHORT, SILENT])]),
    )
    .execute()
  return rows.map(({ sid }) => sid)
}

/** Returns the sids of the unfinished recordings of a call or conference. */
export async function unfinishedRecordingsOf(
  read: Reader,
  { accountSid, ownerSid }: { readonly accountSid: string; readonly ownerSid: string },
): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('recordings')
    .select('sid')
    .where('accountSid', '=', accountSid)
    .where((is) =>
      is.or([
        is('conferenceSid', '=', ownerSid),
        is.and([is('callSid', '=', ownerSid), is('conferenceSid', 'is', null)]),
      ]),
    )
    .where('status', 'in', UNFINISHED_RECORDING)
    .execute()
  return rows.map(({ sid }) => sid)
}

/** Returns the unfinished recordings, except those of other nodes' calls. */
export async function unfinishedRecordings(
  read: Reader,
  node: string,
): Promise<readonly RecordingRecord[]> {
  const rows = await read
    .selectFrom('recordings')
    .selectAll()
    .where('status', 'in', UNFINISHED_RECORDING)
    .where((each) =>
      each.not(
        each.exists(
          each
            .selectFrom('calls')
            .select('calls.sid')
            .whereRef('calls.sid', '=', 'recordings.callSid')
            .where('calls.node', '<>', node),
        ),
      ),
    )
    .execute()
  return rows.map(toRecordingRecord)
}
