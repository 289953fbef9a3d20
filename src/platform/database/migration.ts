/**
 * One step of a feature's schema. The SQL runs on SQLite and PostgreSQL (times are `bigint`); the `Ddl`
 * supplies what differs. A released migration never changes; later ones correct it.
 */
export interface Migration {
  /** Unique name, `feature/number-subject`, stored in the database. */
  readonly name: string
  /** Migrations that must run before this one. */
  readonly after?: readonly Migration[]
  readonly statements: (ddl: Ddl) => string
}

/** Data definition for one engine. */
export interface Ddl {
  /** Type of an auto-increment primary key. */
  readonly serial: string
  /** Table suffix for rows that are found by primary key only. */
  readonly byKey: string
  /** Maintains the row count of a table in another table by triggers, so that no code can forget it. */
  readonly countRows: (counted: CountedRows) => string
  /** SQL expression: the text at a path in a column of JSON text; null without one. */
  readonly jsonText: (column: string, ...path: readonly string[]) => string
  /** Makes one text column searchable by substring; see `idsWithText`. */
  readonly trigramIndex: (index: TrigramIndex) => string
  /** Renames each column with underscores, in every table, to its field's name. */
  readonly namesAsFields: () => string
}

/** Quotes a column for SQL; PostgreSQL folds an unquoted name to lower case. */
export function quoted(column: string): string {
  return `"${column}"`
}

/** Databases of former builds have columns such as `account_sid`. A new one has no table yet. */
export const columnsNamedAsFields: Migration = {
  name: 'database/1-columns-named-as-fields',
  statements: ({ namesAsFields }) => namesAsFields(),
}

export interface CountedRows {
  readonly table: string
  /** Table of counts; its primary key is the columns of `groups`. */
  readonly counts: string
  /** Column of `counts` that holds the number. */
  readonly column: string
  /** Columns of `counts`, each with its SQL expression over a row of the table. */
  readonly groups: Readonly<Record<string, (row: 'new' | 'old') => string>>
  /** Column of the table whose update moves a row to another group. */
  readonly movedBy?: string
}

export interface TrigramIndex {
  readonly name: string
  /** Table that is searched; it has an `id`. */
  readonly table: string
  readonly column: string
}
