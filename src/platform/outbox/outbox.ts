import type { Clock } from '../clock.js'
import type { Database, Writer } from '../database/database.js'
import { InvariantError } from '../errors.js'
import type { Logger } from '../log.js'
import type { Channel } from './channel.js'
import { OutboxDelivery, type OutboxLimits } from './outbox-delivery.js'
import { startOutboxRetention } from './outbox-retention.js'
import type { NewOutboxRow } from './outbox-row.js'
import { DatabaseOutboxStore } from './outbox-store.js'
import { type ChannelQueue, readQueues } from './read-queues.js'
import { bringChannelForward, dropStream, makeStreamDue, replayDead } from './stream-operations.js'
import type { TransactionalOutbox } from './transactional-outbox.js'

/** The outbox of one channel, for the feature whose items it delivers. */
export interface ChannelOutbox<Item> extends TransactionalOutbox<Item> {
  /** Writes items in the caller's transaction; the caller calls `wake` after its commit. */
  enqueue(tx: Writer, items: readonly Item[]): Promise<void>
  /** Looks for rows to deliver. */
  wake(): void
  /**
   * Makes the next item of a stream due now, since its receiver may be reachable again; call `wake` after the
   * commit.
   */
  makeDue(tx: Writer, stream: string): Promise<void>
  /**
   * Makes the given-up items of a stream pending again; resolves with their number; call `wake` after the
   * commit.
   */
  replay(tx: Writer, stream: string): Promise<number>
  /** Gives up the undelivered items of a stream. */
  drop(tx: Writer, stream: string): Promise<void>
  /** Brings every retry of the channel forward by `byMs`; call `wake` after the commit. */
  bringForward(tx: Writer, byMs: number): Promise<void>
}

export interface OutboxDeps {
  readonly db: Database
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  /** Name of this node among those that share the database; stable over restarts. */
  readonly node?: string
  readonly limits?: Partial<OutboxLimits>
}

/**
 * The transactional outbox (https://microservices.io/patterns/data/transactional-outbox.html): a
 * delivery is a row, written with the change that it reports. Each channel delivers its rows in its
 * own way; order, claims, retries, fairness and retention are the same for all.
 */
export class Outbox implements AsyncDisposable {
  readonly #deps: OutboxDeps
  readonly #store: DatabaseOutboxStore
  readonly #delivery: OutboxDelivery
  readonly #retention: AsyncDisposable
  readonly #channels = new Map<string, Channel<never>>()

  constructor(deps: OutboxDeps) {
    const { db, clock, random, log, limits, node = 'local' } = deps
    const channelOf = (name: string) => this.#channels.get(name)
    this.#deps = deps
    this.#store = new DatabaseOutboxStore({ db, clock, node, channelOf })
    this.#delivery = new OutboxDelivery({
      store: this.#store,
      channelOf,
      clock,
      random,
      log,
      limits,
    })
    this.#retention = startOutboxRetention({ db, clock, log })
  }

  /** Adds a channel; all channels are opened before `start`. */
  open<Item>(channel: Channel<Item>): ChannelOutbox<Item> {
    const { name, toRow } = channel
    if (this.#channels.has(name)) throw new InvariantError(`the outbox has two channels ${name}`)
    this.#channels.set(name, channel)
    const { db, clock } = this.#deps
    const rowsOf = (items: readonly Item[]): readonly NewOutboxRow[] =>
      items.map((item) => ({ ...toRow(item), channel: name }))
    return {
      commit: async (work, isolation) => {
        const accounts = new Set<string>()
        const result = await db.write(
          (tx) =>
            work(tx, async (items) => {
              const rows = rowsOf(items)
              for (const { accountSid } of rows) accounts.add(accountSid)
              await this.#store.insert(tx, rows)
            }),
          isolation,
        )
        for (const accountSid of accounts) this.#delivery.notify(accountSid)
        return result
      },
      enqueue: (tx, items) => this.#store.insert(tx, rowsOf(items)),
      wake: () => {
        this.#delivery.discover()
      },
      makeDue: (tx, stream) => makeStreamDue(tx, stream, clock.now()),
      replay: (tx, stream) => replayDead(tx, stream, clock.now()),
      drop: (tx, stream) => dropStream(tx, stream),
      bringForward: (tx, byMs) => bringChannelForward(tx, name, byMs),
    }
  }

  /** Starts delivery, including rows of an earlier process. */
  start(): void {
    this.#delivery.start()
  }

  /** The number of attempts in progress. */
  get inFlight(): number {
    return this.#delivery.inFlight
  }

  /** Reads what waits for its delivery on all nodes, by channel. */
  queues(now: number): Promise<readonly ChannelQueue[]> {
    return readQueues(this.#deps.db.read, [...this.#channels.keys()], now)
  }

  /** Resolves when nothing is in progress or due; later retries may wait. */
  settled(): Promise<void> {
    return this.#delivery.settled()
  }

  /** Makes everything due now: after the clock was set, the stored times are wrong. */
  async followClock(): Promise<void> {
    await this.#store.makeAllDue(this.#deps.clock.now())
    this.#delivery.discover()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#retention[Symbol.asyncDispose]()
    await this.#delivery[Symbol.asyncDispose]()
  }
}
