/**
 * One step of a feature's schema. The text is SQL that SQLite and PostgreSQL both understand (times
 * are `bigint`); the `Ddl` supplies what differs. A released migration never changes: the next one
 * mends it.
 */
export interface Migration {
  /** The name, `feature/number-subject`, which the database remembers for ever. */
  readonly name: string
  /** Migrations that must come before this one. */
  readonly after?: readonly Migration[]
  readonly statements: (ddl: Ddl) => string
}

/** Data definition in the words of one engine. */
export interface Ddl {
  /** The type of a primary key that the database counts up. */
  readonly serial: string
  /** The end of a table whose rows are found by their primary key alone. */
  readonly byKey: string
  /**
   * Keeps the number of a table's rows in another table, in the database itself so that no code can
   * forget it.
   */
  readonly countRows: (counted: CountedRows) => string
  /** An expression: the text at a path of names in a column that holds JSON as text; null without one. */
  readonly jsonText: (column: string, ...path: readonly string[]) => string
  /** Makes the texts of one column searchable by any part; see `idsWithText`. */
  readonly trigramIndex: (index: TrigramIndex) => string
  /** Renames each column of words with underscores, in every table, to the name of a field. */
  readonly namesAsFields: () => string
}

/** A column in SQL. PostgreSQL folds a name without quotes to lower case. */
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
  /** The table of counts; its primary key is the columns of `groups`. */
  readonly counts: string
  /** The column of `counts` that holds the number. */
  readonly column: string
  /** The columns of `counts`, each with the expression that it has for a row of the table. */
  readonly groups: Readonly<Record<string, (row: 'new' | 'old') => string>>
  /** A column of the table whose update moves a row to another group. */
  readonly movedBy?: string
}

export interface TrigramIndex {
  readonly name: string
  /** The table whose texts are searched; it has an `id`. */
  readonly table: string
  readonly column: string
}
