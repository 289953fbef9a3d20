import type { Load } from '../../../platform/under-way.js'

/**
 * What several servers have to do together. A new call may get the quickest one, so each counts as if it
 * were as quick: one slow server is no reason to refuse what the others can take.
 */
export function joinedLoad(loads: readonly Load[]): Load {
  const [quickest] = loads.toSorted((one, other) => one.delayMs - other.delayMs)
  if (quickest === undefined) return { delayMs: 0, underWay: 0, perSecond: 0, done: [] }
  return {
    delayMs: quickest.delayMs,
    underWay: quickest.underWay * loads.length,
    perSecond: loads.reduce((sum, { perSecond }) => sum + perSecond, 0),
    done: quickest.done,
  }
}
