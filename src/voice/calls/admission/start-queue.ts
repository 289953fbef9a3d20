import type { Clock } from '../../../platform/clock.js'

export interface QueuedCall {
  readonly sid: string
  readonly accountSid: string
  /** The number of the account's calls that may start in a second. */
  readonly perSecond: number
  /** The number of the account's calls that may be under way; undefined: no limit of its own. */
  readonly concurrent?: number | undefined
  /** Starts the call; `queuedMs` is how long it waited. */
  readonly start: (queuedMs: number) => void
}

export interface StartQueueDeps {
  readonly clock: Clock
  /** True when a call that starts now makes no others wait; always when absent. */
  readonly isQuick?: () => boolean
  /** True when the call may be under way. */
  readonly hasRoom: (call: QueuedCall) => boolean
  /** This node's part of an account's rate; by default all of it. */
  readonly partOfRate?: (perSecond: number) => number
}

const SECOND_MS = 1_000
/** The time after which it is looked again whether a call makes no others wait. */
const LOOK_AGAIN_MS = 5
/** A call starts after so long all the same: one that cannot be set up has to fail. */
const MAX_HELD_MS = 250
/** The lateness that a busy process catches up with at once, beyond the rate. */
const MAX_LATE_MS = 100
/**
 * The most calls that start in one tick of the event loop: few while more are added, so that requests, which
 * wait for an answer, go before calls that nobody waits for yet. Ticks are long while the process is busy, so
 * that no more calls start than it carries through.
 */
const STARTS_PER_TICK = { besideRequests: 4, otherwise: 16 } as const

/** The calls of one tick of the event loop. */
interface Tick {
  readonly added: number
  readonly started: number
  readonly mostStarts: number
}

interface Lane {
  readonly waiting: (QueuedCall & { readonly since: number })[]
  perSecond: number
  lastDue: number | undefined
}

/**
 * The queue of calls that wait for a rate slot of their account: first in, first out for each account, at
 * its rate, round robin between accounts.
 */
export class StartQueue {
  readonly #deps: StartQueueDeps
  readonly #lanes = new Map<string, Lane>()
  #timer: NodeJS.Timeout | undefined
  #size = 0
  #startedAt = Number.NEGATIVE_INFINITY
  #tick: Tick = { added: 0, started: 0, mostStarts: STARTS_PER_TICK.otherwise }
  #tickEnd: NodeJS.Immediate | undefined

  constructor(deps: StartQueueDeps) {
    this.#deps = deps
  }

  /** The number of calls that wait. */
  get size(): number {
    return this.#size
  }

  /** The number of the account's calls that wait. */
  waitingOf(accountSid: string): number {
    return this.#lanes.get(accountSid)?.waiting.length ?? 0
  }

  /** Queues the call, and starts it at once when it may start. */
  add(call: QueuedCall): void {
    const { accountSid, perSecond } = call
    const lane = this.#lanes.get(accountSid) ?? { waiting: [], perSecond, lastDue: undefined }
    lane.perSecond = perSecond
    this.#lanes.set(accountSid, lane)
    lane.waiting.push({ ...call, since: this.#deps.clock.monotonic() })
    this.#size += 1
    this.#count({ added: this.#tick.added + 1, mostStarts: STARTS_PER_TICK.besideRequests })
    this.wake()
  }

  /** Removes a call from the queue. It does nothing for a call that does not wait. */
  remove(call: { readonly sid: string; readonly accountSid: string }): void {
    const waiting = this.#lanes.get(call.accountSid)?.waiting ?? []
    const index = waiting.findIndex(({ sid }) => sid === call.sid)
    if (index === -1) return
    waiting.splice(index, 1)
    this.#size -= 1
  }

  /** Starts every call that may start now; the owner calls it when a call has ended. */
  wake(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = this.#deps.clock.monotonic()
    let next = Infinity
    for (const [accountSid, lane] of [...this.#lanes]) {
      if (this.#isTickFull) {
        // It keeps its place before the accounts whose calls have started.
        next = now
        break
      }
      const dueAt = this.#startDue(lane, now)
      // An account that was served goes behind all others.
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

  /** Empties the queue; no call that waits is started. */
  close(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#tickEnd)
    this.#lanes.clear()
    this.#size = 0
  }

  /**
   * Starts the due calls of an account. It returns the time to look again; undefined when only the
   * end of a call can help, or nothing waits.
   */
  #startDue(lane: Lane, now: number): number | undefined {
    const { partOfRate = (rate: number) => rate } = this.#deps
    for (;;) {
      const head = lane.waiting[0]
      const dueAt = startDueAt(head?.since ?? now, lane.lastDue, partOfRate(lane.perSecond))
      if (dueAt > now) return dueAt
      if (head === undefined || !this.#deps.hasRoom(head)) return undefined
      if (this.#isTickFull) return now
      if (this.#isHeld(now)) return now + LOOK_AGAIN_MS
      this.#startedAt = now
      this.#count({ started: this.#tick.started + 1 })
      lane.waiting.shift()
      this.#size -= 1
      lane.lastDue = Math.max(dueAt, now - MAX_LATE_MS)
      head.start(now - head.since)
    }
  }

  /** True while the next call would make others wait, and another has started just before. */
  #isHeld(now: number): boolean {
    return now - this.#startedAt < MAX_HELD_MS && this.#deps.isQuick?.() === false
  }

  get #isTickFull(): boolean {
    return this.#tick.started >= this.#tick.mostStarts
  }

  #count(counted: Partial<Tick>): void {
    this.#tick = { ...this.#tick, ...counted }
    this.#tickEnd ??= setImmediate(this.#endTick)
  }

  /** A tick after one in which calls were added is one beside requests too. */
  readonly #endTick = (): void => {
    const { added, started } = this.#tick
    const { besideRequests, otherwise } = STARTS_PER_TICK
    this.#tick = { added: 0, started: 0, mostStarts: added > 0 ? besideRequests : otherwise }
    this.#tickEnd = added + started > 0 ? setImmediate(this.#endTick) : undefined
  }
}

/**
 * The time at which a call that has waited since `since` may start. `lastDue` is the time at which
 * the call before it was due, not its start: a late timer delays one call and not all that follow.
 */
function startDueAt(since: number, lastDue: number | undefined, perSecond: number): number {
  return lastDue === undefined ? since : Math.max(since, lastDue + SECOND_MS / perSecond)
}
