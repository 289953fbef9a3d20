import type pg from 'pg'
import { InvariantError } from '../../errors.js'
import { slotsName } from '../postgres/postgres-ddl.js'
import { MOVE_PROGRESS } from '../postgres/unfinished-move.js'
import { cellKindOf } from './cell.js'
import type { SourceTable } from './sqlite-source.js'
import type { SummedColumn } from './table-sums.js'

/** A table of the source with the relations of the target that its rows go to and are read from. */
export interface MovedTable {
  readonly source: SourceTable
  /** The columns in the order of the source, with the kinds that the target gives them. */
  readonly columns: readonly SummedColumn[]
  /** The table that is written: a table of counts is a view over slots. */
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

/** The tables that a database of PostgreSQL has beside those whose rows are moved. */
const OWN_TABLES = ['schema_migrations', MOVE_PROGRESS]

/**
 * Finds the place of every table of the source in the target's catalogue. Throws when one has none,
 * or when the target has a table that none goes to: the same migrations have made both.
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

/** The name of a table that has a row; undefined when all of them are empty. */
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

/** The tables with triggers of their own; those of foreign keys are the server's. */
export async function tablesWithTriggers(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by name`,
  )
  return rows.map(({ name }) => name)
}

/** Sets each counter of ids behind the greatest id, for the next row. */
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
