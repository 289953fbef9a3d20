/**
 * A parameter that is sent several times, in a query or a form, counts by its last value, as in most form
 * readers.
 */

/** Returns the last value of a field from `fieldsOf`. */
export const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value)

/** Returns the last value of a query parameter; undefined when absent. */
export function lastIn(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1)
}
