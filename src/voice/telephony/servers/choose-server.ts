/** The choice of the server for a new channel or leg. Pure. */

/** The load of a server: what it told in its last HEARTBEAT, and what has changed since. */
export interface MediaLoad {
  /** The channels on the server, those of other programs included. */
  readonly channels: number
  /** The most channels that the server takes; undefined until its first HEARTBEAT. */
  readonly maxSessions: number | undefined
  /** How idle its processor is, in percent; undefined until its first HEARTBEAT. */
  readonly idlePercent: number | undefined
}

export interface Candidate extends MediaLoad {
  /** The share of channels that the server shall have, compared with the others' weights. */
  readonly weight: number
}

/** A server whose processor is less idle than this has late audio soon. */
const BUSY_BELOW_PERCENT = 10
/** It gives way to one that is at least so idle: between busy servers the figures tell nothing. */
const IDLE_FROM_PERCENT = 20

/**
 * Chooses the candidate with the fewest channels for its weight. A full server comes last, and a busy
 * one after an idle one. The first of equal candidates wins. Undefined without a candidate.
 */
export function chooseServer<C extends Candidate>(candidates: readonly C[]): C | undefined {
  const isAnyIdle = candidates.some(({ idlePercent = 0 }) => idlePercent >= IDLE_FROM_PERCENT)
  const [first, ...others] = candidates.map((candidate) => ({
    candidate,
    trouble: troubleOf(candidate, isAnyIdle),
    share: shareOf(candidate),
  }))
  if (first === undefined) return undefined
  const best = others.reduce((a, b) => {
    const isBetter = a.trouble === b.trouble ? b.share < a.share : b.trouble < a.trouble
    return isBetter ? b : a
  }, first)
  return best.candidate
}

/** 0: fit for a channel · 1: its processor is busy, and another one's is not · 2: it is full. */
function troubleOf(
  { channels, maxSessions, idlePercent }: Candidate,
  isAnyIdle: boolean,
): 0 | 1 | 2 {
  if (maxSessions !== undefined && channels >= maxSessions) return 2
  const isBusy = idlePercent !== undefined && idlePercent < BUSY_BELOW_PERCENT
  return isBusy && isAnyIdle ? 1 : 0
}

/** The channels for each unit of weight, with the new one. */
function shareOf({ channels, weight }: Candidate): number {
  return (channels + 1) / weight
}
