import { type RawBuilder, sql } from 'kysely'

/**
 * Inlines a value into the SQL text instead of binding it, so that the planner can use a partial index. Never
 * for text from outside.
 */
export function literal<Value extends string | number>(value: Value): RawBuilder<Value> {
  return sql.lit(value)
}
