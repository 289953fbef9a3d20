/** Accepted parts of messages that are not complete yet, and parts of inbound messages. */
import type { Database, Reader, Writer } from '../../platform/database/database.js'
import type { SmppFragmentsTable } from '../tables.js'

/** Time for which repeated submissions are detected, ms; messages are valid for less. */
const KEPT_MS = 2 * 86_400_000
/** Time that the parts of an inbound message wait for each other, ms. */
const FRAGMENTS_KEPT_MS = 3_600_000

/** The ids of the parts that were taken, by their index. */
export async function takenParts(read: Reader, sid: string): Promise<ReadonlyMap<number, string>> {
  const rows = await read
    .selectFrom('smpp_parts')
    .select(['part', 'carrierId'])
    .where('sid', '=', sid)
    .execute()
  return new Map(rows.map(({ part, carrierId: id }) => [part, id]))
}

export async function storeTakenParts(
  db: Database,
  sid: string,
  ids: ReadonlyMap<number, string>,
  now: number,
): Promise<void> {
  const rows = [...ids].map(([part, id]) => ({ sid, part, carrierId: id, createdAt: now }))
  await db.write(async (tx) => {
    await tx
      .insertInto('smpp_parts')
      .values(rows)
      .onConflict((known) => known.columns(['sid', 'part']).doNothing())
      .execute()
    await tx
      .deleteFrom('smpp_parts')
      .where('createdAt', '<', now - KEPT_MS)
      .execute()
  })
}

export interface Fragment {
  /** The same for all parts of a message. */
  readonly message: string
  /** From 1. */
  readonly number: number
  readonly total: number
  readonly body: string
}

export interface JoinedMessage {
  /** The same each time, until the parts are removed. */
  readonly id: string
  /** The texts of the parts, in their order. */
  readonly parts: readonly string[]
}

/**
 * Stores a part; resolves with the whole message once all parts have arrived. A repeated part with other text
 * belongs to a later message with the same reference; the parts of the earlier one are dropped.
 */
export async function joinFragment(
  db: Database,
  { message, number, total, body }: Fragment,
  now: number,
): Promise<JoinedMessage | undefined> {
  return await db.write(async (tx) => {
    await tx
      .deleteFrom('smpp_fragments')
      .where('createdAt', '<', now - FRAGMENTS_KEPT_MS)
      .execute()
    const row = { message, part: number, body: storedText(body), createdAt: now }
    const earlier = await insertFragment(tx, row)
    if (earlier !== undefined && textOf(earlier) !== body) {
      await deleteFragments(tx, message)
      await insertFragment(tx, row)
    }
    const parts = await tx
      .selectFrom('smpp_fragments')
      .select(['part', 'body', 'createdAt'])
      .where('message', '=', message)
      .where('part', '<=', total)
      .orderBy('part')
      .execute()
    if (parts.length < total) return undefined
    const first = Math.min(...parts.map((part) => part.createdAt))
    return { id: `${message}/${first}`, parts: parts.map((part) => textOf(part.body)) }
  })
}

/** Resolves with the text of the part if it is already stored. */
async function insertFragment(tx: Writer, row: SmppFragmentsTable): Promise<string | undefined> {
  const { numInsertedOrUpdatedRows: inserted } = await tx
    .insertInto('smpp_fragments')
    .values(row)
    .onConflict((known) => known.columns(['message', 'part']).doNothing())
    .executeTakeFirstOrThrow()
  if (inserted === 1n) return undefined
  const known = await tx
    .selectFrom('smpp_fragments')
    .select('body')
    .where('message', '=', row.message)
    .where('part', '=', row.part)
    .executeTakeFirst()
  return known?.body
}

async function deleteFragments(tx: Writer, message: string): Promise<void> {
  await tx.deleteFrom('smpp_fragments').where('message', '=', message).execute()
}

/** As JSON, which keeps NUL and the halves of a surrogate pair that two parts share. */
function storedText(body: string): string {
  return JSON.stringify(body)
}

/** Parts that an earlier version has stored are plain text. */
function textOf(stored: string): string {
  try {
    const text: unknown = JSON.parse(stored)
    return typeof text === 'string' ? text : stored
  } catch {
    return stored
  }
}

/** Removes the parts of a message that was taken whole. */
export async function removeFragments(db: Database, message: string): Promise<void> {
  await db.write((tx) => deleteFragments(tx, message))
}
