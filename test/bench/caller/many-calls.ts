import { pause } from '../../../src/platform/async/sleep.js'
import type { PlacedCall, SipCaller } from './sip-caller.js'

/** Slots that calls are spread over in the 20 ms of a frame, as callers' clocks are. */
const SLOTS = 10
const SLOT_MS = 2
export const FRAME_MS = SLOTS * SLOT_MS

/** Calls to one number, placed at an even rate. */
export interface ManyCalls {
  readonly sipPort: number
  readonly number: string
  readonly calls: number
  readonly callsPerSecond: number
}

/** Places the calls; `onCall` gets each that is answered. Resolves with the reasons of the others. */
export async function placeCalls(
  caller: SipCaller,
  { number, calls, callsPerSecond }: ManyCalls,
  onCall: (call: PlacedCall) => void,
): Promise<readonly string[]> {
  const problems: string[] = []
  const begun: Promise<void>[] = []
  const startedAt = performance.now()
  for (let index = 0; index < calls; index += 1) {
    const dueAt = startedAt + (index * 1_000) / callsPerSecond
    await pause(Math.max(0, dueAt - performance.now()))
    begun.push(
      caller.call(number).then(onCall, (error: unknown) => {
        problems.push(error instanceof Error ? error.message : String(error))
      }),
    )
  }
  await Promise.all(begun)
  return problems
}

/** Sends a packet of each call every 20 ms. Slots that a late timer missed are made up for. */
export function startFrameClock(
  calls: readonly PlacedCall[],
  onSent: () => void = () => undefined,
): NodeJS.Timeout {
  const startedAt = performance.now()
  let slot = 0
  return setInterval(() => {
    const due = Math.floor((performance.now() - startedAt) / SLOT_MS)
    for (; slot < due; slot += 1)
      for (let index = slot % SLOTS; index < calls.length; index += SLOTS)
        if (calls[index]?.phone.tick() === true) onSent()
  }, SLOT_MS)
}
