import type { Reader, Writer } from '../../../platform/database/database.js'
import { columnsOf, fieldsOf } from '../../../platform/database/fields.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../../platform/database/newest-first.js'
import type { Transcription, TranscriptionsTable } from '../tables.js'

export interface TranscriptionFilter {
  readonly recordingSid?: string | undefined
  /** Start of the range of creation times, inclusive; the end is exclusive. Epoch milliseconds. */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
}

export async function insertTranscription(tx: Writer, made: Transcription): Promise<void> {
  await tx.insertInto('transcriptions').values(columnsOf(made)).execute()
}

/**
 * Stores the result and resolves with the transcription; with undefined, unchanged, when it was deleted or
 * already has a result.
 */
export async function settleTranscription(
  tx: Writer,
  sid: string,
  change: Pick<TranscriptionsTable, 'status' | 'text' | 'durationMs' | 'updatedAt'>,
): Promise<Transcription | undefined> {
  const row = await tx
    .updateTable('transcriptions')
    .set(change)
    .where('sid', '=', sid)
    .where('status', '=', 'in-progress')
    .returningAll()
    .executeTakeFirst()
  return row && fieldsOf(row)
}

export async function setTranscriptionPrice(tx: Writer, sid: string, price: number): Promise<void> {
  await tx.updateTable('transcriptions').set({ price }).where('sid', '=', sid).execute()
}

export async function findTranscription(
  read: Reader,
  accountSid: string,
  sid: string,
): Promise<Transcription | undefined> {
  const row = await read
    .selectFrom('transcriptions')
    .selectAll()
    .where('sid', '=', sid)
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  return row && fieldsOf(row)
}

/** False when the account has no such transcription. */
export async function deleteTranscription(
  tx: Writer,
  accountSid: string,
  sid: string,
): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('transcriptions')
    .where('sid', '=', sid)
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

export async function listTranscriptions(
  read: Reader,
  accountSid: string,
  { recordingSid, createdFrom, createdBefore }: TranscriptionFilter,
  request: PageRequest,
): Promise<Page<Transcription>> {
  let matching = read.selectFrom('transcriptions').selectAll().where('accountSid', '=', accountSid)
  if (recordingSid !== undefined) matching = matching.where('recordingSid', '=', recordingSid)
  if (createdFrom !== undefined) matching = matching.where('createdAt', '>=', createdFrom)
  if (createdBefore !== undefined) matching = matching.where('createdAt', '<', createdBefore)
  const page = await listNewestFirst({ read, matching }, request)
  return { ...page, items: page.items.map((row) => fieldsOf(row)) }
}
