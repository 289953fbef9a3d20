import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { cellText, copyCell } from './cell.js'
import { MoveError } from './move-error.js'
import type { MovedTable } from './postgres-catalogue.js'
import type { PostgresTarget, TableMark } from './postgres-target.js'
import type { SourceRow, SqliteSource } from './sqlite-source.js'
import { RowSums, type TableSums } from './table-sums.js'

/** Maximum rows and maximum text of one transaction, whichever is reached first. */
const MAX_ROWS = 5_000
const MAX_TEXT = 4 * 1024 * 1024
/** Number of rows after which the event loop handles the server's answers. */
const ROWS_PER_TURN = 250

interface Batch {
  /** Rows in the text format of COPY. */
  readonly text: string
  readonly mark: TableMark
}

/**
 * Moves the rows of a table that the target lacks. The next batch is read while the server stores one. `onRows`
 * receives the number of rows in the target.
 */
export async function copyTable(
  source: SqliteSource,
  target: PostgresTarget,
  moved: MovedTable,
  onRows: (rows: number) => void,
): Promise<void> {
  let mark = target.markOf(moved.source.name)
  const rows = source.rowsAfter(moved.source, mark.after)
  let storing: Promise<void> = Promise.resolve()
  try {
    for (;;) {
      const [batch] = await Promise.all([nextBatch(rows, moved, mark), storing])
      onRows(mark.rows)
      if (batch === undefined) return
      storing = target.store(moved, batch.text, batch.mark)
      mark = batch.mark
    }
  } catch (error) {
    throw explained(error, moved.source.name)
  } finally {
    rows.return?.()
  }
}

/** Checksums the rows of the source's table. */
export async function sumTable(
  source: SqliteSource,
  { source: table, columns }: MovedTable,
  onRows: (rows: number) => void,
): Promise<TableSums> {
  const sums = new RowSums(columns)
  let rows = 0
  for (const row of source.rowsAfter(table, undefined)) {
    sums.add(cellsOf(row, columns, table.name))
    rows += 1
    if (rows % ROWS_PER_TURN !== 0) continue
    onRows(rows)
    await nextTurn()
  }
  return sums.sums
}

async function nextBatch(
  rows: Iterator<SourceRow>,
  { source, columns }: MovedTable,
  before: TableMark,
): Promise<Batch | undefined> {
  let text = ''
  let count = 0
  let last: SourceRow | undefined
  while (count < MAX_ROWS && text.length < MAX_TEXT) {
    const next = rows.next()
    if (next.done === true) break
    last = next.value
    const cells = cellsOf(last, columns, source.name)
    text += `${cells.map((cell, at) => copyCell(cell, columns[at]?.kind ?? 'text')).join('\t')}\n`
    count += 1
    if (count % ROWS_PER_TURN === 0) await nextTurn()
  }
  if (last === undefined) return undefined
  return { text, mark: { after: last.key(), rows: before.rows + count } }
}

function cellsOf(
  row: SourceRow,
  columns: MovedTable['columns'],
  table: string,
): readonly (string | null)[] {
  return row.values.map((value, at) => {
    const { name, kind } = columns[at] ?? { name: '', kind: 'text' }
    try {
      return cellText(value, kind)
    } catch (error) {
      if (!(error instanceof MoveError)) throw error
      throw new MoveError(
        `${table}.${name} ${error.message}, in the row ${JSON.stringify(row.key())}`,
      )
    }
  })
}

/**
 * Names the table and column in which the server refused a row, without the row's content; failures of the
 * connection are returned unchanged.
 */
function explained(error: unknown, table: string): unknown {
  if (!(error instanceof pg.DatabaseError) || !/^2[23]/.test(error.code ?? '')) return error
  const column = /, column (\w+)/.exec(error.where ?? '')?.[1] ?? error.column
  const place = column === undefined ? table : `${table}.${column}`
  return new MoveError(`PostgreSQL refused a row of ${place}: ${error.message}`, { cause: error })
}
