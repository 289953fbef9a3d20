/**
 * Delivers notifications: each at least once, those of one stream in order, each account at its own
 * pace. An account may have some requests in progress; when there are fewer turns than work,
 * accounts take theirs one after the other, so a customer that answers slowly delays itself.
 */
import { setMaxListeners } from 'node:events'
import { type Lane, type LaneLimits, Lanes } from './outbox-lanes.js'
import { Pump } from './outbox-pump.js'
import type { OutboxRow } from './outbox-row.js'
import { type Delivery, type SettleDeps, settleDelivery } from './settle-delivery.js'

export interface OutboxDeps extends SettleDeps {
  /** One attempt; bounded in time. A rejection is logged as ours and counts for nothing. */
  readonly deliver: (row: OutboxRow, signal: AbortSignal) => Promise<Delivery>
  readonly limits?: Partial<OutboxLimits>
}

export interface OutboxLimits extends LaneLimits {
  /** Requests in progress when the outbox is disposed get this long. */
  readonly drainMs: number
  /** After the store failed. */
  readonly storePauseMs: number
}

const LIMITS: OutboxLimits = {
  inFlight: 512,
  inFlightPerAccount: 64,
  inFlightWhenScarce: 8,
  drainMs: 5_000,
  storePauseMs: 1_000,
}

export class Outbox implements AsyncDisposable {
  readonly #deps: OutboxDeps & { readonly limits: OutboxLimits }
  readonly #lanes: Lanes
  readonly #pump: Pump
  readonly #inFlight = new Set<Promise<void>>()
  readonly #cutOff = new AbortController()

  constructor(deps: OutboxDeps) {
    this.#deps = { ...deps, limits: { ...LIMITS, ...deps.limits } }
    this.#lanes = new Lanes(this.#deps.limits)
    this.#pump = new Pump(
      () => this.#look(),
      () => deps.clock.now(),
    )
    setMaxListeners(0, this.#cutOff.signal)
  }

  /** Takes up what an earlier process left. */
  async start(): Promise<void> {
    for (const { accountSid, dueAt } of await this.#deps.store.pendingAccounts())
      this.#lanes.wake(accountSid, dueAt)
    this.#pump.wake()
  }

  /** Right after the commit that wrote rows of this account. */
  notify(accountSid: string): void {
    if (this.#pump.isStopped) return
    this.#lanes.wake(accountSid, 0)
    this.#pump.wake()
  }

  /** Deliveries in progress, those whose mark is on its way to the disk included. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Accounts that have something in progress or waiting for its time. */
  get accounts(): number {
    return this.#lanes.size
  }

  /** Takes nothing new; what is in progress ends, or is cut off and goes out again next time. */
  async [Symbol.asyncDispose](): Promise<void> {
    const limit = setTimeout(() => {
      this.#cutOff.abort()
    }, this.#deps.limits.drainMs)
    await this.#pump[Symbol.asyncDispose]()
    await Promise.all(this.#inFlight)
    clearTimeout(limit)
  }

  async #look(): Promise<number> {
    const { clock } = this.#deps
    for (;;) {
      const lane = this.#pump.isStopped ? undefined : this.#lanes.next(clock.now())
      if (lane === undefined) return this.#lanes.nextLookAt()
      await this.#serve(lane)
      this.#lanes.settle(lane)
    }
  }

  /** Begins as many of the account's due rows as there are turns. */
  async #serve(lane: Lane): Promise<void> {
    const { store, clock, log, limits } = this.#deps
    const now = clock.now()
    const turns = this.#lanes.free(lane)
    // A stream that is marked while the store answers may show a row that is done by then.
    const busyBefore = new Set(lane.busy)
    const limit = turns + busyBefore.size
    lane.lookAt = Number.POSITIVE_INFINITY
    try {
      const rows = await store.due(lane.accountSid, now, limit, busyBefore)
      if (this.#pump.isStopped) return
      for (const row of rows.slice(0, turns)) this.#begin(lane, row)
      const next = rows.length >= turns ? now : await store.nextDueAfter(lane.accountSid, now)
      lane.lookAt = Math.min(lane.lookAt, next ?? Number.POSITIVE_INFINITY)
    } catch (err) {
      log.error({ err, accountSid: lane.accountSid }, 'the outbox could not be read')
      lane.lookAt = now + limits.storePauseMs
    }
  }

  #begin(lane: Lane, row: OutboxRow): void {
    this.#lanes.began(lane, row.stream)
    const work = this.#deliver(lane, row).finally(() => {
      this.#inFlight.delete(work)
      this.#lanes.marked(lane, row.stream)
      this.#pump.wake()
    })
    this.#inFlight.add(work)
  }

  async #deliver(lane: Lane, row: OutboxRow): Promise<void> {
    const { deliver, log, limits } = this.#deps
    const context = { stream: row.stream, accountSid: row.accountSid, kind: row.kind, id: row.id }
    try {
      await settleDelivery(row, await this.#attempt(lane, row, deliver), this.#deps)
    } catch (err) {
      log.error({ err, ...context }, 'a notification could not be delivered or marked')
      // Still pending and due: without a pause it would go out again at once, and again.
      await pause(limits.storePauseMs, this.#cutOff.signal)
    }
  }

  async #attempt(lane: Lane, row: OutboxRow, deliver: OutboxDeps['deliver']): Promise<Delivery> {
    try {
      return await deliver(row, this.#cutOff.signal)
    } finally {
      // Its turn is free while the disk is waited for; the stream is not.
      this.#lanes.answered(lane)
      this.#pump.wake()
    }
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
