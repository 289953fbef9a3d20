/** What `fillAtOnce` stores. */
export type CellValue = string | number | null

export interface Filling {
  readonly table: string
  readonly rows: Iterable<Readonly<Record<string, CellValue>>>
  /** The tables of counts that the triggers of the table keep. */
  readonly counts: readonly FilledCounts[]
}

/** A table of counts, filled at once. */
export interface FilledCounts {
  readonly table: string
  readonly columns: readonly string[]
  /** The query of its rows. */
  readonly rows: string
}

/** Fills a table of counts anew; `table` is its name on the engine. */
export function countsFilled(table: string, { columns, rows }: FilledCounts): string {
  return `delete from ${table}; insert into ${table} (${columns.join(', ')}) ${rows}`
}
