import Sqlite from 'better-sqlite3'
import type { Migration } from '../migration.js'
import { pendingMigrations } from '../pending-migrations.js'
import type { SourceValue } from './cell.js'
import { MoveError } from './move-error.js'

/** A table from SQLite's own catalogue. */
export interface SourceTable {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns that order the rows and that paging uses as its cursor. */
  readonly key: readonly string[]
  readonly rows: number
}

/** Key of a row in JSON; an integer is wrapped, since it may exceed a JSON number. */
export type RowKey = readonly (string | { readonly integer: string })[]

export interface SourceRow {
  readonly key: () => RowKey
  readonly values: readonly SourceValue[]
}

/** The source database; it is opened read-only. */
export interface SqliteSource extends Disposable {
  /** Every table to move; referenced tables come first. */
  readonly tables: readonly SourceTable[]
  /** Rows after this key, in key order. */
  rowsAfter(table: SourceTable, key: RowKey | undefined): IterableIterator<SourceRow>
}

interface ListedTable {
  readonly name: string
  /** 1 for a table `without rowid`. */
  readonly wr: bigint
}

/**
 * Opens the file. Throws a `MoveError` when it is missing or lacks a migration, and a `SchemaMismatchError`
 * when other migrations made it.
 */
export function openSqliteSource(file: string, migrations: readonly Migration[]): SqliteSource {
  const connection = connected(file)
  try {
    connection.defaultSafeIntegers(true)
    checkVersion(connection, migrations)
    const tables = inOrderOfReferences(connection, tablesOf(connection))
    return {
      tables,
      rowsAfter: (table, key) => rowsAfter(connection, table, key),
      [Symbol.dispose]: () => {
        connection.close()
      },
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

function connected(file: string): Sqlite.Database {
  try {
    return new Sqlite(file, { readonly: true, fileMustExist: true })
  } catch (cause) {
    throw new MoveError(
      `there is no SQLite database ${file}: DATA_DIR names the data folder of the server`,
      { cause },
    )
  }
}

function checkVersion(connection: Sqlite.Database, migrations: readonly Migration[]): void {
  const namesIn = (query: string) => connection.prepare<[], string>(query).pluck().all()
  const tables = namesIn("select name from sqlite_master where name = 'schema_migrations'")
  const applied = tables.length === 0 ? [] : namesIn('select name from schema_migrations')
  const [pending] = pendingMigrations(migrations, new Set(applied), connection.name)
  if (pending !== undefined)
    throw new MoveError(
      `${connection.name} was written by an older trunkline (its schema lacks ${pending.name}): ` +
        'start this version on it once, which brings it up to date, stop it, and move again',
    )
}

/** Lists the tables, without those of SQLite itself, of search indexes, and of the migrations. */
function tablesOf(connection: Sqlite.Database): SourceTable[] {
  const listed = connection
    .prepare<[], ListedTable>("select name, wr from pragma_table_list where type = 'table'")
    .all()
  return listed
    .filter(({ name }) => !name.startsWith('sqlite_') && name !== 'schema_migrations')
    .map(({ name, wr }) => {
      const columns = connection
        .prepare<[string], { name: string; pk: bigint }>(
          'select name, pk from pragma_table_xinfo(?) order by cid',
        )
        .all(name)
      const primary = columns.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk))
      const rows = connection.prepare<[], bigint>(`select count(*) from "${name}"`).pluck().get()
      return {
        name,
        columns: columns.map((column) => column.name),
        key: wr === 1n ? primary.map((column) => column.name) : ['rowid'],
        rows: Number(rows),
      }
    })
}

/** Orders tables so that a referenced table comes before those that refer to it. */
function inOrderOfReferences(
  connection: Sqlite.Database,
  tables: readonly SourceTable[],
): readonly SourceTable[] {
  const references = connection
    .prepare<[string], string>('select "table" from pragma_foreign_key_list(?)')
    .pluck()
  const ordered = new Set<SourceTable>()
  const visit = (table: SourceTable, visiting: ReadonlySet<string>): void => {
    if (ordered.has(table) || visiting.has(table.name)) return
    const others = new Set(references.all(table.name))
    for (const other of tables.filter(({ name }) => others.has(name)))
      visit(other, new Set([...visiting, table.name]))
    ordered.add(table)
  }
  for (const table of tables.toSorted((a, b) => (a.name < b.name ? -1 : 1))) visit(table, new Set())
  return [...ordered]
}

function* rowsAfter(
  connection: Sqlite.Database,
  { name, columns, key }: SourceTable,
  after: RowKey | undefined,
): IterableIterator<SourceRow> {
  const keys = key.map((column) => `"${column}"`).join(', ')
  const wanted = [keys, ...columns.map((column) => `"${column}"`)].join(', ')
  const where = after === undefined ? '' : `where (${keys}) > (${key.map(() => '?').join(', ')}) `
  const rows = connection
    .prepare<SourceValue[], SourceValue[]>(
      `select ${wanted} from "${name}" ${where}order by ${keys}`,
    )
    .raw()
    .iterate(
      ...(after ?? []).map((part) => (typeof part === 'string' ? part : BigInt(part.integer))),
    )
  for (const cells of rows)
    yield {
      key: () => cells.slice(0, key.length).map((cell) => keyPart(name, cell)),
      values: cells.slice(key.length),
    }
}

function keyPart(table: string, value: SourceValue | undefined): RowKey[number] {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint') return { integer: String(value) }
  throw new MoveError(`${table} has a row whose key is neither text nor a whole number`)
}
