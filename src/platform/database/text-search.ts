/** Searches for a part of a text. The functions hide the differences between engines. */
import { type Expression, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Reader } from './database.js'
import type { TrigramIndex } from './migration.js'

/** The least number of characters of a part that a trigram index finds. */
export const MIN_TRIGRAM_CHARS = 3

/**
 * The ids of the rows whose indexed text has this part, for `in`. The texts and the part are in lower
 * case; the part must not have a NUL.
 */
export function idsWithText(read: Reader, index: TrigramIndex, part: string): RawBuilder<number> {
  return sql<number>`(${matches(read, index, part)})`
}

/** The number of rows whose indexed text has this part; counting stops at `max`. */
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

/** A condition: the text has this part. `%` and `_` are characters like any other. */
export function hasPart(read: Reader, text: Expression<string>, part: string): RawBuilder<boolean> {
  return isPostgres(read)
    ? sql<boolean>`strpos(${text}, ${part}) > 0`
    : sql<boolean>`instr(${text}, ${part}) > 0`
}

/** A condition: the text is that name, whatever the case of either. The database folds both alike. */
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
