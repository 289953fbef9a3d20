/** Compares the times of two kinds of requests that were made in turn, on a machine with other work. */

export interface Comparison {
  /**
   * The share of all pairs, one of each kind, in which the first kind took longer: a half when times
   * tell nothing (the statistic of Mann and Whitney).
   */
  readonly share: number
  /** The standard error of that share when times tell nothing. */
  readonly error: number
}

export function compareTimes(first: readonly number[], second: readonly number[]): Comparison {
  const both = [
    ...first.map((ms) => ({ ms, isFirst: true })),
    ...second.map((ms) => ({ ms, isFirst: false })),
  ].sort((a, b) => a.ms - b.ms)
  let ranks = 0
  for (let from = 0; from < both.length; ) {
    let to = from
    while (to < both.length && both[to]?.ms === both[from]?.ms) to += 1
    // Equal times share the mean of their ranks.
    const rank = (from + 1 + to) / 2
    ranks += rank * both.slice(from, to).filter(({ isFirst }) => isFirst).length
    from = to
  }
  const [a, b] = [first.length, second.length]
  return {
    share: (ranks - (a * (a + 1)) / 2) / (a * b),
    error: Math.sqrt((a + b + 1) / (12 * a * b)),
  }
}
