/**
 * Delivers rows at least once, those of one stream in order (a channel may let a failing row step aside). Each
 * account has a limit of requests in progress, and accounts take turns when slots are scarce, so that a slow
 * customer delays only itself.
 */
import { setMaxListeners } from 'node:events'
import { Pump } from '../async/pump.js'
import { pause } from '../async/sleep.js'
import type { Clock } from '../clock.js'
import { assertNever } from '../errors.js'
import type { Logger } from '../log.js'
import type { Channel, Delivery } from './channel.js'
import { type Lane, type LaneLimits, Lanes } from './outbox-lanes.js'
import type { AttemptResult, OutboxRow, OutboxStore } from './outbox-row.js'

export interface DeliveryDeps {
  readonly store: OutboxStore
  /** Returns the channel of a row; undefined when this version has no such channel. */
  readonly channelOf: (name: string) => Channel<never> | undefined
  readonly clock: Clock
  /** Returns a random number in [0, 1). */
  readonly random: () => number
  readonly log: Logger
  readonly limits?: Partial<OutboxLimits> | undefined
}

export interface OutboxLimits extends LaneLimits {
  /** Time that requests in progress get at disposal, ms. */
  readonly drainMs: number
  /** Pause after a failure of the store, ms. */
  readonly storePauseMs: number
  /** Interval at which rows of other nodes are discovered, ms. */
  readonly discoverMs: number
}

const LIMITS: OutboxLimits = {
  inFlight: 512,
  inFlightPerAccount: 64,
  inFlightWhenScarce: 8,
  drainMs: 5_000,
  storePauseMs: 1_000,
  discoverMs: 30_000,
}

export class OutboxDelivery implements AsyncDisposable {
  readonly #deps: DeliveryDeps
  readonly #limits: OutboxLimits
  readonly #lanes: Lanes
  readonly #pump: Pump
  readonly #inFlight = new Set<Promise<void>>()
  readonly #cutOff = new AbortController()
  #isStarted = false
  /** Time of the next search for accounts with pending rows. */
  #discoverAt = 0

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
    this.#limits = { ...LIMITS, ...deps.limits }
    this.#lanes = new Lanes(this.#limits)
    this.#pump = new Pump({
      name: 'delivery of the outbox',
      log: deps.log,
      look: () => this.#look(),
      now: () => deps.clock.now(),
    })
    setMaxListeners(0, this.#cutOff.signal)
  }

  /** Starts delivery, including rows of an earlier process. */
  start(): void {
    this.#isStarted = true
    this.discover()
  }

  /** Searches for accounts with pending rows, including those of other nodes. */
  discover(): void {
    this.#discoverAt = 0
    if (this.#isStarted) this.#pump.wake()
  }

  /** Call after a commit that wrote rows of this account. */
  notify(accountSid: string): void {
    if (!this.#isStarted || this.#pump.isStopped) return
    this.#lanes.wake(accountSid, 0)
    this.#pump.wake()
  }

  /** Number of attempts in progress, including those whose result is being stored. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Number of accounts with work in progress or waiting. */
  get accounts(): number {
    return this.#lanes.size
  }

  /** Resolves when nothing is in progress or due; later retries may wait. */
  async settled(): Promise<void> {
    while (this.#isStarted && !this.#pump.isStopped) {
      this.discover()
      await this.#pump.settled()
      if (this.#inFlight.size === 0) return
      await Promise.race(this.#inFlight)
    }
  }

  /** Stops taking rows. Attempts in progress finish, or are aborted and repeated next time. */
  async [Symbol.asyncDispose](): Promise<void> {
    const limit = setTimeout(() => {
      this.#cutOff.abort()
    }, this.#limits.drainMs)
    await this.#pump[Symbol.asyncDispose]()
    await Promise.all(this.#inFlight)
    clearTimeout(limit)
  }

  async #look(): Promise<number> {
    const { clock } = this.#deps
    if (clock.now() >= this.#discoverAt) await this.#discover()
    for (;;) {
      const lane = this.#pump.isStopped ? undefined : this.#lanes.next(clock.now())
      if (lane === undefined) return Math.min(this.#lanes.nextLookAt(), this.#discoverAt)
      await this.#serve(lane)
      this.#lanes.settle(lane)
    }
  }

  async #discover(): Promise<void> {
    const { store, clock, log } = this.#deps
    try {
      this.#discoverAt = clock.now() + this.#limits.discoverMs
      for (const { accountSid, dueAt } of await store.pendingAccounts())
        this.#lanes.wake(accountSid, dueAt)
    } catch (err) {
      log.error({ err }, 'could not read which accounts have rows in the outbox')
      this.#discoverAt = clock.now() + this.#limits.storePauseMs
    }
  }

  /** Starts as many of the account's due rows as there are free slots. */
  async #serve(lane: Lane): Promise<void> {
    const { store, clock, log } = this.#deps
    const now = clock.now()
    const turns = this.#lanes.free(lane)
    // A row of a stream whose result was stored during the query may already be finished.
    const busyBefore = new Set(lane.busy)
    const limit = turns + busyBefore.size
    lane.lookAt = Number.POSITIVE_INFINITY
    try {
      const rows = await store.claimDue(lane.accountSid, now, limit, busyBefore)
      if (this.#pump.isStopped) return
      for (const row of rows.slice(0, turns)) this.#begin(lane, row)
      const next = rows.length >= turns ? now : await store.nextDueAfter(lane.accountSid, now)
      lane.lookAt = Math.min(lane.lookAt, next ?? Number.POSITIVE_INFINITY)
    } catch (err) {
      log.error({ err, accountSid: lane.accountSid }, 'could not read the outbox')
      lane.lookAt = now + this.#limits.storePauseMs
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
    const { log, channelOf } = this.#deps
    const { id, channel: name, stream, accountSid, kind } = row
    const channel = channelOf(name)
    try {
      await this.#settle(row, channel, await this.#attempt(lane, row, channel))
    } catch (err) {
      log.error(
        { err, id, channel: name, stream, accountSid, kind },
        'could not deliver a row of the outbox, or not store the outcome',
      )
      // Still pending and due: without a pause it would be sent again and again.
      await pause(this.#limits.storePauseMs, this.#cutOff.signal)
    }
  }

  async #attempt(
    lane: Lane,
    row: OutboxRow,
    channel: Channel<never> | undefined,
  ): Promise<Delivery> {
    try {
      if (channel === undefined)
        return { type: 'refused', status: undefined, error: `there is no channel ${row.channel}` }
      return await channel.deliver(row, this.#cutOff.signal)
    } finally {
      // The slot is free while the disk is written; the stream is not.
      this.#lanes.answered(lane)
      this.#pump.wake()
    }
  }

  /** Stores the result of an attempt: the end of the row, or the time of its next attempt. */
  async #settle(
    row: OutboxRow,
    channel: Channel<never> | undefined,
    delivery: Delivery,
  ): Promise<void> {
    const { store, clock, random } = this.#deps
    switch (delivery.type) {
      case 'aborted':
        return
      case 'delivered':
        await store.mark({ row, result: delivery, state: 'delivered' })
        return
      case 'failed': {
        const failed = { createdAt: row.createdAt, attempts: row.attempts + 1 }
        const nextAttemptAt = channel?.nextAttemptAt(failed, clock.now(), random())
        if (nextAttemptAt === undefined) await this.#giveUp(row, channel, delivery)
        else {
          const { stepsAsideAfter = Number.POSITIVE_INFINITY } = channel ?? {}
          const state = failed.attempts >= stepsAsideAfter ? 'aside' : 'pending'
          await store.mark({ row, result: delivery, state, nextAttemptAt })
        }
        return
      }
      case 'refused':
        await this.#giveUp(row, channel, delivery)
        return
      default:
        assertNever(delivery)
    }
  }

  async #giveUp(
    row: OutboxRow,
    channel: Channel<never> | undefined,
    result: AttemptResult,
  ): Promise<void> {
    const { stream, accountSid, kind } = row
    const { status, error } = result
    this.#deps.log.warn(
      { channel: row.channel, stream, accountSid, kind, status, error },
      'gave up a delivery',
    )
    await this.#deps.store.mark({ row, result, state: 'dead' })
    channel?.onGivenUp?.(row, result)
  }
}
