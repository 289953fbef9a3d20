export interface Percentiles {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly max: number
}

/** Percentiles by nearest rank; NaN for an empty list. */
export function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) }
}

/** Describes percentiles as `p50 1.2, p95 3.4, max 5.6 ms of 60`. */
export function describePercentiles({ count, p50, p95, max }: Percentiles): string {
  return `p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}, max ${max.toFixed(1)} ms of ${count}`
}
