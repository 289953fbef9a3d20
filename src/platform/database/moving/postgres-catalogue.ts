import type pg from 'pg'
import { InvariantError } from '../../errors.js'
import { slotsName } from '../postgres/postgres-ddl.js'
import { MOVE_PROGRESS } from '../postgres/unfinished-move.js'
import { cellKindOf } from './cell.js'
import type { SourceTable } from './sqlite-source.js'
import type { SummedColumn } from './table-sums.js'

/** A source table with its target relations for writing and reading. */
export interface MovedTable {
  readonly source: SourceTable
  /** Columns in the order of the source, with the kinds of the target. */
  readonly columns: readonly SummedColumn[]
  /** Table to write to; a table of counts is a view over slots. */
  readonly target: string
}

interface ColumnRow {
  readonly table_name: string
  readonly table_type: 'BASE TABLE' | 'VIEW'
  readonly column_name: string
  readonly data_type: string
}

const COLUMNS = `select c.table_name, t.table_type, c.column_name, c.data_type
from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
where table_schema = current_schema()`

/** Tables of the target that no source table maps to. */
const OWN_TABLES = ['schema_migrations', MOVE_PROGRESS]

/**
 * Matches every source table with the target's catalogue. Throws when one is missing on either side, since the
 * same migrations made both.
 */
export async function matchTables(
  client: pg.Client,
  sources: readonly SourceTable[],
): Promise<readonly MovedTable[]> {
  const { rows } = await client.query<ColumnRow>(COLUMNS)
  const relations = new Map<string, ColumnRow[]>()
  for (const row of rows)
    relations.set(row.table_name, [...(relations.get(row.table_name) ?? []), row])
  const moved = sources.map((source) => {
    const found = relations.get(source.name)
    const isView = found?.[0]?.table_type === 'VIEW'
    return {
      source,
      columns: source.columns.map((name) => columnOf(source.name, name, found ?? [])),
      target: isView ? slotsName(source.name) : source.name,
    }
  })
  const targets = new Set([...OWN_TABLES, ...moved.map(({ target }) => target)])
  for (const [name, [column]] of relations)
    if (column?.table_type === 'BASE TABLE' && !targets.has(name))
      throw new InvariantError(`no table of the source goes to ${name}`)
  return moved
}

function columnOf(table: string, name: string, found: readonly ColumnRow[]): SummedColumn {
  const type = found.find((column) => column.column_name === name)?.data_type
  if (type === undefined) throw new InvariantError(`${table}.${name} has no place in the target`)
  const kind = cellKindOf(type)
  if (kind === undefined) throw new InvariantError(`${table}.${name} has the type ${type}`)
  return { name, kind }
}

/** Returns a table that has a row; undefined when all are empty. */
export async function filledTable(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables
where table_schema = current_schema() and table_type = 'BASE TABLE'
and table_name <> 'schema_migrations' order by table_name`,
  )
  for (const { name } of rows) {
    const found = await client.query(`select 1 from "${name}" limit 1`)
    if (found.rows.length > 0) return name
  }
  return undefined
}

/** Lists the tables with triggers, except the server's own for foreign keys. */
export async function tablesWithTriggers(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by name`,
  )
  return rows.map(({ name }) => name)
}

/** Advances each id sequence past the greatest id. */
export async function setCounters(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
where table_schema = current_schema() and is_identity = 'YES'`,
  )
  for (const { table, column } of rows)
    await client.query(
      `select setval(pg_get_serial_sequence('"${table}"', '${column}'), coalesce(max("${column}"), 1),
max("${column}") is not null) from "${table}"`,
    )
}
