import { setTimeout as delay } from 'node:timers/promises'
import { reasonOf } from './abort.js'

/** Resolves after the given time; rejects with the signal's reason when it aborts. Leaves no timer behind. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const sleep: Sleep = async (ms, signal) => {
  await pause(ms, signal)
  if (signal.aborted) throw reasonOf(signal)
}

/** Resolves after the given time, or as soon as the signal aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (err) {
    if (signal?.aborted !== true) throw err
  }
}

/** Resolves after the given time; the timer does not keep the process alive. */
export async function idle(ms: number): Promise<void> {
  await delay(ms, undefined, { ref: false })
}
