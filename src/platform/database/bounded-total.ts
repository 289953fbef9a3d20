/** The total of a list whose rows are counted only so far. Pure. */

/** The number of rows that a count looks at: a count of a million takes longer than any page. */
export const MAX_COUNTED = 1_000
/** The limit of the query that counts: one row more shows that the count has stopped. */
export const COUNT_LIMIT = MAX_COUNTED + 1

export interface Count {
  readonly rows: number
  /** False when the count has stopped before the last row. */
  readonly isWhole: boolean
}

export interface Total {
  /** The number of rows on all pages. */
  readonly total: number
  /** `lower-bound`: there are this many rows, and there may be more. */
  readonly totalIs: 'exact' | 'lower-bound'
}

/** What a page shows of the list beside its count. */
export interface CountedPage {
  readonly offset: number
  readonly cursor?: object | undefined
  readonly shown: number
  readonly hasMore: boolean
}

/** The count that a query with `COUNT_LIMIT` has made. */
export function countOf(found: number): Count {
  return { rows: Math.min(found, MAX_COUNTED), isWhole: found <= MAX_COUNTED }
}

/** The total that is known from the count, and from the rows that the page has seen. */
export function boundedTotal(count: Count, { offset, cursor, shown, hasMore }: CountedPage): Total {
  const more = hasMore ? 1 : 0
  const seen = shown === 0 ? more : offset + shown + more
  // Behind a cursor the number of the page is what the client says.
  const isLast = cursor === undefined && !hasMore && (shown > 0 || offset === 0)
  const totalIs = count.isWhole || isLast ? 'exact' : 'lower-bound'
  return { total: Math.max(count.rows, seen), totalIs }
}
