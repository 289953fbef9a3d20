/** Chooses the server for a new channel or leg. Pure. */

/** The load of a server, from its last HEARTBEAT and the changes since. */
export interface MediaLoad {
  /** The channels on the server, including those of other programs. */
  readonly channels: number
  /** Maximum number of channels on the server; undefined before its first HEARTBEAT. */
  readonly maxSessions: number | undefined
  /** Idle CPU in percent; undefined before its first HEARTBEAT. */
  readonly idlePercent: number | undefined
}

export interface Candidate extends MediaLoad {
  /** The share of channels that the server should have, compared with the others' weights. */
  readonly weight: number
}

/** Below this idle CPU in percent, a server's audio is soon late. */
const BUSY_BELOW_PERCENT = 10
/**
 * A busy server is avoided only if another has at least this idle CPU in percent; between busy servers the
 * difference is noise.
 */
const IDLE_FROM_PERCENT = 20

/**
 * Returns the candidate with the fewest channels relative to its weight. A full server comes last, and a busy
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

/** 0: usable · 1: its CPU is busy and another server's is idle · 2: full */
function troubleOf(
  { channels, maxSessions, idlePercent }: Candidate,
  isAnyIdle: boolean,
): 0 | 1 | 2 {
  if (maxSessions !== undefined && channels >= maxSessions) return 2
  const isBusy = idlePercent !== undefined && idlePercent < BUSY_BELOW_PERCENT
  return isBusy && isAnyIdle ? 1 : 0
}

/** Returns the channels per unit of weight, including the new one. */
function shareOf({ channels, weight }: Candidate): number {
  return (channels + 1) / weight
}
