import Sqlite from 'better-sqlite3'

/** A value as SQLite stores it. */
export type Value = string | bigint | number | Buffer | null

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  /** Position of the column in the primary key, from 1; 0 if it is not part of it. */
  readonly pk: number
}

interface Reference {
  readonly from: string
  readonly table: string
  readonly to: string
}

/** Tables with their own rows, from SQLite's catalogue; excludes the parts of a search index. */
export function tablesOf(db: Sqlite.Database): readonly string[] {
  return db
    .prepare<[], string>(
      `select name from pragma_table_list where type = 'table' and name not like 'sqlite_%'
       and name <> 'schema_migrations' order by name`,
    )
    .pluck()
    .all()
}

/**
 * Stores rows in every table of the file. Texts contain the characters that tab-separated files must escape;
 * integers exceed the precision of a double.
 */
export function fillTables(file: string, rowsEach: number): void {
  const db = new Sqlite(file)
  try {
    db.pragma('foreign_keys = OFF')
    db.transaction(() => {
      for (const table of tablesOf(db)) fillTable(db, table, rowsEach)
    })()
    const orphans = db.pragma('foreign_key_check') as readonly unknown[]
    if (orphans.length > 0) throw new Error(`rows refer to none: ${JSON.stringify(orphans[0])}`)
  } finally {
    db.close()
  }
}

function fillTable(db: Sqlite.Database, table: string, rowsEach: number): void {
  const columns = db
    .prepare<[string], Column>('select name, type, "notnull", pk from pragma_table_xinfo(?)')
    .all(table)
  const references = db
    .prepare<[string], Reference>('select "from", "table", "to" from pragma_foreign_key_list(?)')
    .all(table)
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const insert = db.prepare(
    `insert or ignore into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`,
  )
  for (let row = 1; row <= rowsEach; row += 1)
    insert.run(
      columns.map((column) => {
        const reference = references.find(({ from }) => from === column.name)
        return reference === undefined
          ? valueOf(table, column, row)
          : valueOf(reference.table, { ...column, name: reference.to }, row)
      }),
    )
}

const FRACTIONS = [1 / 3, 0.0000001, 1e21, 2]

function valueOf(table: string, { name, type, notnull, pk }: Column, row: number): Value {
  if (name === 'id') return BigInt(row)
  if (/bigint/i.test(type)) return 9_007_199_254_740_993n + BigInt(row)
  if (/int/i.test(type)) return BigInt(row)
  // A nullable column is null in every third row.
  if (notnull === 0 && pk === 0 && row % 3 === 0) return null
  // The engines print such numbers differently: 1e-7 and 1e+21 in one, decimals in the other.
  if (/double/i.test(type)) return row * (FRACTIONS[row % FRACTIONS.length] ?? 0)
  return `${table}.${name} ${row} \t\n\r\\N \\. "'é漢😀`
}
