/** Totals of lists whose rows are counted only up to a limit. Pure. */

/** Maximum number of rows counted: counting a million takes longer than any page. */
export const MAX_COUNTED = 1_000
/** Limit of the counting query: one row more shows that the count stopped early. */
export const COUNT_LIMIT = MAX_COUNTED + 1

export interface Count {
  readonly rows: number
  /** False when the count stopped before the last row. */
  readonly isWhole: boolean
}

export interface Total {
  /** The number of rows on all pages. */
  readonly total: number
  /** `lower-bound`: there may be more rows than this. */
  readonly totalIs: 'exact' | 'lower-bound'
}

/** What a page reveals about the length of its list. */
export interface CountedPage {
  readonly offset: number
  readonly cursor?: object | undefined
  readonly shown: number
  readonly hasMore: boolean
}

/** Returns the count from a query with `COUNT_LIMIT`. */
export function countOf(found: number): Count {
  return { rows: Math.min(found, MAX_COUNTED), isWhole: found <= MAX_COUNTED }
}

/** Returns the total known from the count and from the rows of the page. */
export function boundedTotal(count: Count, { offset, cursor, shown, hasMore }: CountedPage): Total {
  const more = hasMore ? 1 : 0
  const seen = shown === 0 ? more : offset + shown + more
  // Behind a cursor the page number is only the client's claim.
  const isLast = cursor === undefined && !hasMore && (shown > 0 || offset === 0)
  const totalIs = count.isWhole || isLast ? 'exact' : 'lower-bound'
  return { total: Math.max(count.rows, seen), totalIs }
}
