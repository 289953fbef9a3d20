/**
 * Delivers notifications: each at least once, those of one stream in order, each account at its own
 * pace. An account may have a few requests in progress; when there are fewer turns than work,
 * accounts take theirs one after the other, so a customer that answers slowly delays itself.
 */
import { setMaxListeners } from 'node:events'
import type { Clock } from '../clock.js'
import { assertNever } from '../errors.js'
import type { Logger } from '../log.js'
import { type Lane, Lanes } from './outbox-lanes.js'
import type { AttemptResult, OutboxRow, OutboxStore } from './outbox-row.js'
import { nextAttemptAt, RETRY_SCHEDULE, type RetrySchedule } from './retry-schedule.js'

export type Delivery =
  | ({ readonly type: 'delivered' } & AttemptResult)
  /** Worth another attempt. */
  | ({ readonly type: 'failed' } & AttemptResult)
  /** Another attempt would bring the same. */
  | ({ readonly type: 'refused' } & AttemptResult)
  /** The signal ended it; it counts for nothing. */
  | { readonly type: 'aborted' }

export interface OutboxDeps {
  readonly store: OutboxStore
  /** One attempt; bounded in time. A rejection is logged as ours and counts for nothing. */
  readonly deliver: (row: OutboxRow, signal: AbortSignal) => Promise<Delivery>
  readonly clock: Clock
  /** Of [0, 1). */
  readonly random: () => number
  readonly log: Logger
  readonly schedule?: RetrySchedule
  readonly limits?: Partial<OutboxLimits>
}

export interface OutboxLimits {
  readonly inFlight: number
  readonly inFlightPerAccount: number
  /** Requests in progress when the outbox is disposed get this long. */
  readonly drainMs: number
  /** After the store failed. */
  readonly storePauseMs: number
}

const LIMITS: OutboxLimits = {
  inFlight: 256,
  inFlightPerAccount: 8,
  drainMs: 5_000,
  storePauseMs: 1_000,
}
/** The wall clock may be set while a timer runs. */
const MAX_SLEEP_MS = 60_000

export class Outbox implements AsyncDisposable {
  readonly #deps: OutboxDeps & { readonly limits: OutboxLimits }
  readonly #lanes: Lanes
  readonly #inFlight = new Set<Promise<void>>()
  readonly #cutOff = new AbortController()
  #isStopping = false
  #pumping: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(deps: OutboxDeps) {
    this.#deps = { ...deps, limits: { ...LIMITS, ...deps.limits } }
    this.#lanes = new Lanes(this.#deps.limits.inFlightPerAccount)
    setMaxListeners(0, this.#cutOff.signal)
  }

  /** Takes up what an earlier process left. */
  async start(): Promise<void> {
    for (const { accountSid, dueAt } of await this.#deps.store.pendingAccounts())
      this.#lanes.wake(accountSid, dueAt)
    this.#pump()
  }

  /** Right after the commit that wrote rows of this account. */
  notify(accountSid: string): void {
    this.#lanes.wake(accountSid, 0)
    this.#pump()
  }

  /** Requests in progress. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Accounts that have something in progress or waiting for its time. */
  get accounts(): number {
    return this.#lanes.size
  }

  /** Takes nothing new; what is in progress ends, or is cut off and goes out again next time. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    const limit = setTimeout(() => {
      this.#cutOff.abort()
    }, this.#deps.limits.drainMs)
    await this.#pumping
    await Promise.all(this.#inFlight)
    clearTimeout(limit)
  }

  #pump(): void {
    if (!this.#isStopping) this.#pumping ??= this.#run()
  }

  async #run(): Promise<void> {
    // What is notified in one go is looked at in one go.
    await Promise.resolve()
    const { clock, limits } = this.#deps
    while (!this.#isStopping && this.#inFlight.size < limits.inFlight) {
      const lane = this.#lanes.next(clock.now())
      if (lane === undefined) break
      await this.#serve(lane)
      this.#lanes.settle(lane)
    }
    // No await from here on: a notification would be lost between the last look and the end.
    this.#pumping = undefined
    this.#sleep()
  }

  #sleep(): void {
    clearTimeout(this.#timer)
    const at = this.#lanes.nextLookAt()
    // At the limit, the end of any request is what wakes.
    if (this.#isStopping || at === Infinity || this.#inFlight.size >= this.#deps.limits.inFlight)
      return
    const ms = Math.min(Math.max(0, at - this.#deps.clock.now()), MAX_SLEEP_MS)
    this.#timer = setTimeout(() => {
      this.#pump()
    }, ms)
  }

  /** Begins as many of the account's due rows as there are turns. */
  async #serve(lane: Lane): Promise<void> {
    const { store, clock, log, limits } = this.#deps
    const now = clock.now()
    const turns = Math.min(this.#lanes.free(lane), limits.inFlight - this.#inFlight.size)
    // A stream that ends its request while the store answers may show a row that is done by then.
    const busyBefore = new Set(lane.busy)
    const limit = turns + busyBefore.size
    lane.lookAt = Infinity
    try {
      const rows = await store.due(lane.accountSid, now, limit)
      if (this.#isStopping) return
      for (const row of rows.filter((r) => !busyBefore.has(r.stream)).slice(0, turns))
        this.#begin(lane, row)
      const next = rows.length === limit ? now : await store.nextDueAfter(lane.accountSid, now)
      lane.lookAt = Math.min(lane.lookAt, next ?? Infinity)
    } catch (err) {
      log.error({ err, accountSid: lane.accountSid }, 'the outbox could not be read')
      lane.lookAt = now + limits.storePauseMs
    }
  }

  #begin(lane: Lane, row: OutboxRow): void {
    lane.busy.add(row.stream)
    const work = this.#deliver(row).finally(() => {
      this.#inFlight.delete(work)
      lane.busy.delete(row.stream)
      this.#lanes.wake(lane.accountSid, 0)
      this.#pump()
    })
    this.#inFlight.add(work)
  }

  async #deliver(row: OutboxRow): Promise<void> {
    const { deliver, log, limits } = this.#deps
    const context = { stream: row.stream, accountSid: row.accountSid, kind: row.kind, id: row.id }
    try {
      await this.#record(row, await deliver(row, this.#cutOff.signal))
    } catch (err) {
      log.error({ err, ...context }, 'a notification could not be delivered or marked')
      // Still pending and due: without a pause it would go out again at once, and again.
      await pause(limits.storePauseMs, this.#cutOff.signal)
    }
  }

  async #record(row: OutboxRow, delivery: Delivery): Promise<void> {
    const { store, clock, random, schedule = RETRY_SCHEDULE, log } = this.#deps
    switch (delivery.type) {
      case 'aborted':
        return
      case 'delivered':
        await store.markDelivered(row, delivery)
        return
      case 'failed': {
        const failed = { createdAt: row.createdAt, attempts: row.attempts + 1 }
        const at = nextAttemptAt(schedule, failed, clock.now(), random())
        if (at !== undefined) {
          await store.markFailed(row, delivery, at)
          return
        }
        break
      }
      case 'refused':
        break
      default:
        assertNever(delivery)
    }
    const { status, error } = delivery
    const { stream, accountSid, kind } = row
    log.warn({ stream, accountSid, kind, status, error }, 'a notification was given up')
    await store.markDead(row, delivery)
  }
}

/** Also ends, without a failure, when the signal fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
    if (signal.aborted) finish()
  })
}
