/**
 * One rule for a parameter that is sent several times although one is wanted, in a query as in a form: the
 * last one counts, as in most form readers.
 */

/** The value that counts of a field as `fieldsOf` reads it. */
export const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value)

/** The value that counts of a query's parameter; undefined when it is absent. */
export function lastIn(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1)
}
