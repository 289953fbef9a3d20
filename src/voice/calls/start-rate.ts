/** How far apart the calls of one account start. Pure. */

const SECOND_MS = 1_000

/**
 * When a call that has waited since `since` may start. `lastDue` is when the one before it was due,
 * not when it started: a timer that is late delays one call and not all that follow.
 */
export function startDueAt(since: number, lastDue: number | undefined, perSecond: number): number {
  return lastDue === undefined ? since : Math.max(since, lastDue + SECOND_MS / perSecond)
}
