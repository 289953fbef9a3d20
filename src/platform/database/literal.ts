import { type RawBuilder, sql } from 'kysely'

/**
 * A value that is part of the statement's text instead of a parameter. Only then does the planner
 * know that a partial index holds every row that is asked for. Never for text from outside.
 */
export function literal<Value extends string | number>(value: Value): RawBuilder<Value> {
  return sql.lit(value)
}
