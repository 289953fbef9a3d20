/** Stores media of messages, from request to file. */
import type { Reader, Writer } from '../../platform/database/database.js'
import { lockRows } from '../../platform/database/lock-rows.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { MessageMediaTable } from '../media-tables.js'
import type { MessageMedia } from '../message-media.js'

export type MediaRow = Selectable<MessageMediaTable>
export type NewMediaRow = Written<MessageMediaTable>

export interface StoredFile {
  readonly file: string
  readonly contentType: string
  readonly bytes: number
}

export async function insertMedia(tx: Writer, rows: readonly NewMediaRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('message_media').values(rows).execute()
}

/** Resolves with the media of a message in order, including those not stored yet. */
export async function mediaRows(read: Reader, messageSid: string): Promise<readonly MediaRow[]> {
  return await read
    .selectFrom('message_media')
    .selectAll()
    .where('messageSid', '=', messageSid)
    .orderBy('position')
    .execute()
}

/** Stores the file of a media; false when the media was deleted meanwhile. */
export async function storeMediaFile(
  tx: Writer,
  sid: string,
  { file, contentType, bytes }: StoredFile,
  now: number,
): Promise<boolean> {
  const stored = await tx
    .updateTable('message_media')
    .set({ file, contentType, bytes, updatedAt: now })
    .where('sid', '=', sid)
    .executeTakeFirst()
  return stored.numUpdatedRows > 0n
}

/** Counts a failed attempt; resolves with the number so far. */
export async function countMediaFailure(tx: Writer, sid: string): Promise<number> {
  const row = await tx
    .updateTable('message_media')
    .set((set) => ({ attempts: set('attempts', '+', 1) }))
    .where('sid', '=', sid)
    .returning('attempts')
    .executeTakeFirst()
  return row?.attempts ?? 0
}

/** Deletes the media of a message, or one of them; resolves with the deleted rows. */
export async function deleteMedia(
  tx: Writer,
  messageSid: string,
  sid?: string,
): Promise<readonly MediaRow[]> {
  let doomed = tx.deleteFrom('message_media').where('messageSid', '=', messageSid)
  if (sid !== undefined) doomed = doomed.where('sid', '=', sid)
  return await doomed.returningAll().execute()
}

/** Deletes the rows of media that could not be fetched and updates the message's count. */
export async function dropMedia(
  tx: Writer,
  messageSid: string,
  sids: readonly string[],
): Promise<void> {
  await tx.deleteFrom('message_media').where('sid', 'in', sids).execute()
  await countMedia(tx, messageSid)
}

/** Updates the media count of a message. */
export async function countMedia(tx: Writer, messageSid: string): Promise<void> {
  const { count } = await tx
    .selectFrom('message_media')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('messageSid', '=', messageSid)
    .executeTakeFirstOrThrow()
  await tx.updateTable('messages').set({ numMedia: count }).where('sid', '=', messageSid).execute()
}

export async function findMedia(read: Reader, sid: string): Promise<MessageMedia | undefined> {
  const row = await read
    .selectFrom('message_media')
    .selectAll()
    .where('sid', '=', sid)
    .executeTakeFirst()
  return row && toMedia(row)
}

/** Resolves with the files in the list that some media uses, and locks them until the transaction ends. */
export async function knownFiles(
  tx: Writer,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set()
  const rows = await lockRows(
    tx,
    tx.selectFrom('message_media').select('file').where('file', 'in', files),
  ).execute()
  return new Set(rows.flatMap(({ file }) => file ?? []))
}

export async function isFileUsed(read: Reader, file: string): Promise<boolean> {
  const row = await read
    .selectFrom('message_media')
    .select('sid')
    .where('file', '=', file)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The media of a row; undefined until it is stored. */
export function toMedia(row: MediaRow): MessageMedia | undefined {
  const { file, contentType, bytes } = row
  if (file === null || contentType === null || bytes === null) return undefined
  return {
    sid: row.sid,
    messageSid: row.messageSid,
    accountSid: row.accountSid,
    file,
    contentType,
    bytes,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
