import type { Clock } from '../clock.js'
import type { Outbox } from './outbox.js'
import type { OutboxStore } from './outbox-row.js'

const LOOK_EVERY_MS = 25

/** Resolves when nothing is in progress nor due now, or after the limit; what waits for a retry waits on. */
export async function whenDelivered(
  deps: { readonly outbox: Outbox; readonly store: OutboxStore; readonly clock: Clock },
  limitMs: number,
): Promise<void> {
  const { outbox, store, clock } = deps
  const end = clock.monotonic() + limitMs
  while (clock.monotonic() < end) {
    const now = clock.now()
    const isDue = (await store.pendingAccounts()).some(({ dueAt }) => dueAt <= now)
    if (!isDue && outbox.inFlight === 0) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
