import { pause } from '../../../platform/async/sleep.js'

const PING_EVERY_MS = 1_000
/** The number of looks in a row that find the ping unanswered, after which the server is lost. */
const MISSES = 10

/**
 * Sends pings until the signal aborts. Calls `onSilent` when one has no answer for ten seconds: a
 * machine that lost its power or its network closes no connection. Only the looks count, so a stall of
 * this process counts as one.
 */
export async function watchServer(
  ping: () => Promise<unknown>,
  onSilent: () => void,
  signal: AbortSignal,
  everyMs = PING_EVERY_MS,
): Promise<void> {
  let misses = 0
  let isWaiting = false
  const send = async () => {
    isWaiting = true
    await Promise.allSettled([ping()])
    isWaiting = false
    misses = 0
  }
  while (!signal.aborted) {
    await pause(everyMs, signal)
    if (!isWaiting) void send()
    else if (++misses >= MISSES) {
      onSilent()
      return
    }
  }
}
