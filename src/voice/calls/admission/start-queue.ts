import type { Clock } from '../../../platform/clock.js'

export interface QueuedCall {
  readonly sid: string
  readonly accountSid: string
  /** Calls of the account that may start in a second. */
  readonly perSecond: number
  /** How long it waited. */
  readonly start: (queuedMs: number) => void
}

export interface StartQueueDeps {
  readonly clock: Clock
  /** Calls of one account that may wait; the next one is refused. */
  readonly maxWaiting: number
  /** Whether another call may be under way. */
  readonly hasRoom: () => boolean
}

const SECOND_MS = 1_000
/** A busy process catches up with this much lateness at once, beyond the rate. */
const MAX_LATE_MS = 100

interface Lane {
  readonly waiting: (QueuedCall & { readonly since: number })[]
  perSecond: number
  lastDue: number | undefined
}

/** Calls wait here for their turn: in order for each account, at its rate, none before another's. */
export class StartQueue {
  readonly #deps: StartQueueDeps
  readonly #lanes = new Map<string, Lane>()
  #timer: NodeJS.Timeout | undefined
  #size = 0

  constructor(deps: StartQueueDeps) {
    this.#deps = deps
  }

  /** Calls that wait. */
  get size(): number {
    return this.#size
  }

  isFull(accountSid: string): boolean {
    return (this.#lanes.get(accountSid)?.waiting.length ?? 0) >= this.#deps.maxWaiting
  }

  /** Starts it at once when nothing is in its way. */
  add(call: QueuedCall): void {
    const { accountSid, perSecond } = call
    const lane = this.#lanes.get(accountSid) ?? { waiting: [], perSecond, lastDue: undefined }
    lane.perSecond = perSecond
    this.#lanes.set(accountSid, lane)
    lane.waiting.push({ ...call, since: this.#deps.clock.monotonic() })
    this.#size += 1
    this.wake()
  }

  /** Does nothing for a call that does not wait. */
  remove(call: { readonly sid: string; readonly accountSid: string }): void {
    const waiting = this.#lanes.get(call.accountSid)?.waiting ?? []
    const index = waiting.findIndex(({ sid }) => sid === call.sid)
    if (index === -1) return
    waiting.splice(index, 1)
    this.#size -= 1
  }

  /** Starts whatever may start now: to be called when a call has ended. */
  wake(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = this.#deps.clock.monotonic()
    let next = Infinity
    for (const [accountSid, lane] of [...this.#lanes]) {
      const dueAt = this.#startDue(lane, now)
      // An account that has its turn takes the next one after all others.
      this.#lanes.delete(accountSid)
      if (dueAt !== undefined || lane.waiting.length > 0) this.#lanes.set(accountSid, lane)
      if (dueAt !== undefined) next = Math.min(next, dueAt)
    }
    if (next === Infinity) return
    this.#timer = setTimeout(
      () => {
        this.wake()
      },
      Math.max(1, Math.ceil(next - now)),
    )
  }

  /** Nothing that waits will start. */
  close(): void {
    clearTimeout(this.#timer)
    this.#lanes.clear()
    this.#size = 0
  }

  /** The time to look again; undefined when only a call that ends can help, or nothing waits. */
  #startDue(lane: Lane, now: number): number | undefined {
    for (;;) {
      const head = lane.waiting[0]
      const dueAt = startDueAt(head?.since ?? now, lane.lastDue, lane.perSecond)
      if (dueAt > now) return dueAt
      if (head === undefined || !this.#deps.hasRoom()) return undefined
      lane.waiting.shift()
      this.#size -= 1
      lane.lastDue = Math.max(dueAt, now - MAX_LATE_MS)
      head.start(now - head.since)
    }
  }
}

/**
 * When a call that has waited since `since` may start. `lastDue` is when the one before it was due,
 * not when it started: a timer that is late delays one call and not all that follow.
 */
function startDueAt(since: number, lastDue: number | undefined, perSecond: number): number {
  return lastDue === undefined ? since : Math.max(since, lastDue + SECOND_MS / perSecond)
}
