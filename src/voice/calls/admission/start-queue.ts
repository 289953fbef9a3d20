import type { Clock } from '../../../platform/clock.js'

export interface QueuedCall {
  readonly sid: string
  readonly accountSid: string
  /** Maximum number of the account's calls that start per second. */
  readonly perSecond: number
  /** Maximum number of the account's concurrent calls; undefined: no limit per account. */
  readonly concurrent?: number | undefined
  /** Starts the call; `queuedMs` is its time in the queue. */
  readonly start: (queuedMs: number) => void
}

export interface StartQueueDeps {
  readonly clock: Clock
  /** True when a call that starts now does not delay others; always true when absent. */
  readonly isQuick?: () => boolean
  /** True when the call has a free slot. */
  readonly hasRoom: (call: QueuedCall) => boolean
  /** Returns this node's share of an account's rate; by default all of it. */
  readonly partOfRate?: (perSecond: number) => number
}

const SECOND_MS = 1_000
/** Interval at which `isQuick` is checked again, ms. */
const LOOK_AGAIN_MS = 5
/** Maximum time that a call is held back, ms; a call that cannot be set up must then fail. */
const MAX_HELD_MS = 250
/** Maximum lateness that is caught up beyond the rate, ms. */
const MAX_LATE_MS = 100
/**
 * Maximum number of call starts per event loop tick. It is small while calls are being added, so that API
 * requests, which wait for an answer, run before queued calls. Ticks are long while the process is busy, so
 * no more calls start than it can handle.
 */
const STARTS_PER_TICK = { besideRequests: 4, otherwise: 16 } as const

/** The calls of one event loop tick. */
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
 * The queue of calls that wait for their account's rate: FIFO within an account, round robin between
 * accounts.
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

  /** The number of waiting calls. */
  get size(): number {
    return this.#size
  }

  /** Returns the number of the account's waiting calls. */
  waitingOf(accountSid: string): number {
    return this.#lanes.get(accountSid)?.waiting.length ?? 0
  }

  /** Queues the call; starts it at once if possible. */
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

  /** Removes a call from the queue, if it waits. */
  remove(call: { readonly sid: string; readonly accountSid: string }): void {
    const waiting = this.#lanes.get(call.accountSid)?.waiting ?? []
    const index = waiting.findIndex(({ sid }) => sid === call.sid)
    if (index === -1) return
    waiting.splice(index, 1)
    this.#size -= 1
  }

  /** Starts every call that can start now; must be called when a call has ended. */
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
      // A served account moves behind all others.
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

  /** Empties the queue; no waiting call is started. */
  close(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#tickEnd)
    this.#lanes.clear()
    this.#size = 0
  }

  /**
   * Starts the due calls of an account. Returns the time of the next check; undefined when nothing waits, or
   * only the end of a call can help.
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

  /** True while the next call would delay others and another has just started. */
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

  /** A tick after one in which calls were added also counts as beside requests. */
  readonly #endTick = (): void => {
    const { added, started } = this.#tick
    const { besideRequests, otherwise } = STARTS_PER_TICK
    this.#tick = { added: 0, started: 0, mostStarts: added > 0 ? besideRequests : otherwise }
    this.#tickEnd = added + started > 0 ? setImmediate(this.#endTick) : undefined
  }
}

/**
 * Returns the earliest start of a call that has waited since `since`. `lastDue` is the due time of the call
 * before it, not its start: a late timer then delays one call and not all later ones.
 */
function startDueAt(since: number, lastDue: number | undefined, perSecond: number): number {
  return lastDue === undefined ? since : Math.max(since, lastDue + SECOND_MS / perSecond)
}
