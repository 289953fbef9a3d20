/** Compares the times of two kinds of alternating requests, on a machine with other load. */

export interface Comparison {
  /**
   * Share of all pairs, one of each kind, in which the first kind took longer: 0.5 when both take equally long
   * (the Mann–Whitney statistic).
   */
  readonly share: number
  /** Standard error of that share when both take equally long. */
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
    // Equal times get the mean of their ranks.
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
