import type { CompiledQuery } from 'kysely'
import type { Reader, Writer } from './database.js'

/** A placeholder for a value that is given when the statement runs. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Compilable {
  compile(): CompiledQuery
}

/**
 * Builds a statement once and runs it with other values each time. It is for the few statements
 * that run for every callback, since building one takes longer than running it. `build` gets a
 * placeholder for each of the names.
 */
export function compiledOnce<Values extends Readonly<Record<string, unknown>>>(
  names: readonly (keyof Values & string)[],
  build: (db: Reader, values: Values) => Compilable,
): (tx: Writer, values: Values) => Promise<{ readonly changed: number }> {
  let compiled: CompiledQuery | undefined
  return async (tx, values) => {
    // The builder passes parameters through unread, so a placeholder may take the place of any value.
    compiled ??= build(tx, placeholders(names) as unknown as Values).compile()
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name] : value,
    )
    const { numAffectedRows = 0n } = await tx.executeQuery({ ...compiled, parameters })
    return { changed: Number(numAffectedRows) }
  }
}

function placeholders(names: readonly string[]): Readonly<Record<string, Placeholder>> {
  return Object.fromEntries(names.map((name) => [name, new Placeholder(name)]))
}
