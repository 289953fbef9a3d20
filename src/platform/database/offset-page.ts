import type { SelectQueryBuilder } from 'kysely'
import type { Tables } from './tables.js'

/** A page of a list: `limit` rows after the first `offset`. */
export interface OffsetPage {
  readonly offset: number
  readonly limit: number
}

/**
 * Reads one page of a list and counts all rows. `list` must be ordered, with a unique last column: rows that
 * compare equal would move between pages.
 */
export async function readPage<Table extends keyof Tables, Row>(
  list: SelectQueryBuilder<Tables, Table, Row>,
  { offset, limit }: OffsetPage,
): Promise<{ rows: Row[]; total: number }> {
  const rows = await list.offset(offset).limit(limit).execute()
  const { total } = await list
    .clearSelect()
    .clearOrderBy()
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}
