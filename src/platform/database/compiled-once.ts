import type { CompiledQuery } from 'kysely'
import type { Reader, Writer } from './database.js'
import { isDirect, isDirectWriter } from './direct-rows.js'

/** Placeholder for a value that is given when the statement runs. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Compilable<Row = unknown> {
  compile(): CompiledQuery<Row>
}

type Values = Readonly<Record<string, unknown>>

/**
 * Builds a statement once and runs it with other values each time. For the few statements that run on every
 * call, callback, request or REGISTER, since building takes longer than running. `build` gets a placeholder for
 * each name.
 */
export function compiledOnce<Given extends Values>(
  names: readonly (keyof Given & string)[],
  build: (db: Reader, values: Given) => Compilable,
): (tx: Writer, values: Given) => Promise<{ readonly changed: number }> {
  const compiled = compiling(names, build)
  return async (tx, values) => {
    const { query, parameters } = compiled(tx, values)
    if (isDirectWriter(tx)) return { changed: tx.changesOf(query.sql, parameters) }
    const { numAffectedRows = 0n } = await tx.executeQuery({ ...query, parameters })
    return { changed: Number(numAffectedRows) }
  }
}

/** As `compiledOnce`, for a query: resolves with its rows. */
export function readOnce<Given extends Values, Row>(
  names: readonly (keyof Given & string)[],
  build: (db: Reader, values: Given) => Compilable<Row>,
): (read: Reader, values: Given) => Promise<readonly Row[]> {
  const compiled = compiling(names, build)
  return async (read, values) => {
    const { query, parameters } = compiled(read, values)
    // The statement selects these columns.
    if (isDirect(read)) return read.rowsOf(query.sql, parameters) as readonly Row[]
    return (await read.executeQuery<Row>({ ...query, parameters })).rows
  }
}

interface Bound<Row> {
  readonly query: CompiledQuery<Row>
  readonly parameters: readonly unknown[]
}

function compiling<Given extends Values, Row>(
  names: readonly (keyof Given & string)[],
  build: (db: Reader, values: Given) => Compilable<Row>,
): (db: Reader, values: Given) => Bound<Row> {
  let query: CompiledQuery<Row> | undefined
  return (db, values) => {
    // The builder passes parameters through unread, so a placeholder may replace any value.
    query ??= build(db, placeholders(names) as unknown as Given).compile()
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name] : value,
    )
    return { query, parameters }
  }
}

function placeholders(names: readonly string[]): Readonly<Record<string, Placeholder>> {
  return Object.fromEntries(names.map((name) => [name, new Placeholder(name)]))
}
