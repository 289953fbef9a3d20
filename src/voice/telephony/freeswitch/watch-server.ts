import { pause } from '../../../platform/async/sleep.js'

const PING_EVERY_MS = 1_000
/** Number of unanswered checks in a row after which the server is lost. */
const MISSES = 10

/**
 * Sends pings until the signal aborts. Calls `onSilent` when one has no answer for ten seconds: a machine
 * that lost power or network closes no connection. Checks are counted instead of time, so a stall of this
 * process counts as one.
 */
export async function watchServer(
  ping: () => Promise<unknown>,
  onSilent: () => void,
  signal: AbortSignal,
  everyMs = PING_EVERY_MS,
): Promise<void> {
  const last = { isAnswered: true, misses: 0 }
  const send = async () => {
    last.isAnswered = false
    await Promise.allSettled([ping()])
    last.isAnswered = true
    last.misses = 0
  }
  while (!signal.aborted) {
    await pause(everyMs, signal)
    if (last.isAnswered) void send()
    else if (++last.misses >= MISSES) {
      onSilent()
      return
    }
  }
}
