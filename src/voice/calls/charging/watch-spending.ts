import type { CallRecord } from '../../model/call-record.js'
import { SpendWatch, type SpendWatchDeps } from './spend-watch.js'

/** Watches the money of an answered call until disposed; undefined for one that costs nothing. */
export function watchSpending(
  call: CallRecord,
  answeredAtMs: number,
  deps: SpendWatchDeps,
  onSpent: (paidSeconds: number) => void,
): Disposable | undefined {
  const { terms } = call
  if (terms === undefined || terms.perMinute === 0) return undefined
  return new SpendWatch({ ...call, terms }, answeredAtMs, onSpent, deps)
}
