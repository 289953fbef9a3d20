/** Searches for a part of a text. The functions hide the differences between engines. */
import { type Expression, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Reader } from './database.js'
import type { TrigramIndex } from './migration.js'

/** Minimum length of a substring that a trigram index finds, characters. */
export const MIN_TRIGRAM_CHARS = 3

/**
 * Selects the ids of rows whose indexed text contains `part`, for `in`. Texts and part are in lower case; the
 * part must not contain NUL.
 */
export function idsWithText(read: Reader, index: TrigramIndex, part: string): RawBuilder<number> {
  return sql<number>`(${matches(read, index, part)})`
}

/** Counts rows whose indexed text contains the part, up to `max`. */
export async function countWithText(
  read: Reader,
  index: TrigramIndex,
  part: string,
  max: number,
): Promise<number> {
  const found = sql<{ id: number }>`(${matches(read, index, part)} limit ${max})`
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from ${found} as found`.execute(read)
  return rows[0]?.count ?? 0
}

/** SQL condition: the text contains the part. `%` and `_` are literal. */
export function hasPart(read: Reader, text: Expression<string>, part: string): RawBuilder<boolean> {
  return isPostgres(read)
    ? sql<boolean>`strpos(${text}, ${part}) > 0`
    : sql<boolean>`instr(${text}, ${part}) > 0`
}

/** SQL condition: the text equals the name, ignoring case as the database folds it. */
export function isSameName(text: Expression<string | null>, name: string): RawBuilder<boolean> {
  return sql<boolean>`lower(${text}) = lower(${name})`
}

function matches(
  read: Reader,
  { name, table, column }: TrigramIndex,
  part: string,
): RawBuilder<{ id: number }> {
  if (isPostgres(read)) {
    const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`
    return sql`select id from ${sql.table(table)} where ${sql.ref(column)} like ${pattern}`
  }
  const phrase = `"${part.replaceAll('"', '""')}"`
  return sql`select rowid as id from ${sql.table(name)} where ${sql.ref(name)} match ${phrase}`
}

function isPostgres(read: Reader): boolean {
  return read.getExecutor().adapter instanceof PostgresAdapter
}
