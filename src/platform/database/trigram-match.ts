import { type RawBuilder, sql } from 'kysely'

/** What a trigram index can find: texts of so many characters. */
export const MIN_TRIGRAM_CHARS = 3

/** The condition that a row of a trigram table has this very text in it. */
export function trigramMatch(table: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(table)} match ${`"${text.replaceAll('"', '""')}"`}`
}
