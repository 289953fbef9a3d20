/**
 * Orders at the number provider. An order is stored before the provider hears of it, and ends in one
 * transaction with its numbers and its charge:
 *
 *     stored ──▶ placing ──▶ settled      the provider has answered
 *                  │  ▲
 *                  │  └─ asked again by its key, later and later, after a failure or a crash
 *                  └──▶ abandoned         no answer in a day: all of it is given back
 */

import { RefusedError } from '../platform/api/dialect.js'
import { Pump } from '../platform/async/pump.js'
import { idle } from '../platform/async/sleep.js'
import { type Clock, systemClock } from '../platform/clock.js'
import { claimOf } from '../platform/database/claims.js'
import type { Database, Writer } from '../platform/database/database.js'
import { findKept, KEY_LIFE_MS } from '../platform/idempotency/kept-requests.js'
import type { Logger } from '../platform/log.js'
import { reserveNewNumbers } from './did-charge.js'
import { newOrderId, type OrderedNumbers } from './number-orders.js'
import { releaseOrders } from './number-purchases.js'
import { NumberProviderError, type NumberSeller } from './number-seller.js'
import { nextDueAt } from './provider/due-rows.js'
import {
  claimGiveBacks,
  type GiveBack,
  putOffGiveBack,
  removeGiveBack,
} from './provider/give-backs.js'
import {
  claimOrders,
  findByRequest,
  insertOrder,
  type OpenOrder,
  putOffOrder,
  resultOfOrder,
} from './provider/order-storage.js'
import { boughtNumbers, type PlanningDeps, planOrder } from './provider/planned-order.js'
import { abandonOrder, type SettlingDeps, settleOrder } from './provider/settle-order.js'
import type { WantedNumber } from './take-number.js'

export interface ProviderOrdersDeps extends SettlingDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  readonly seller: Pick<NumberSeller, 'order' | 'find' | 'giveBack'>
  /** Time that a request waits for its order to end, ms. */
  readonly waitMs?: number
}

const WAIT_MS = 20_000
/** Interval at which an order that another node may settle is read, ms. */
const LOOK_AGAIN_MS = 100
/** Delays before each retry, ms; the last one repeats. */
const RETRY_MS = [1_000, 5_000, 30_000, 120_000, 600_000]
const ORDER_LIFE_MS = 24 * 3_600_000
const GIVE_BACK_LIFE_MS = 30 * 24 * 3_600_000
const AT_ONCE = 8
const LOOK_EVERY_MS = 5_000

interface NewOrder {
  readonly accountSid: string
  readonly wanted: readonly WantedNumber[]
  readonly reference: string
  /** `Idempotency-Key` of the request, and the caller it is stored under. */
  readonly request: { readonly caller: string; readonly key: string } | undefined
}

interface BeginningDeps extends PlanningDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
}

/** A stored order; `order` is undefined when an earlier request stored it. */
interface BegunOrder {
  readonly id: string
  readonly order: OpenOrder | undefined
}

export class ProviderOrders implements AsyncDisposable {
  readonly #deps: ProviderOrdersDeps
  readonly #pump: Pump

  constructor(deps: ProviderOrdersDeps) {
    this.#deps = deps
    this.#pump = new Pump({
      name: 'orders of numbers',
      log: deps.log,
      now: () => deps.clock.now(),
      look: (signal) => this.#look(signal),
    })
  }

  /** Resumes the orders of the previous process. */
  async start(): Promise<void> {
    const { db } = this.#deps
    await db.write((tx) => releaseOrders(tx, db.node))
    this.#pump.wake()
  }

  wake(): void {
    this.#pump.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pump[Symbol.asyncDispose]()
  }

  /**
   * Orders numbers of which the provider has at least one, once per idempotency key. Undefined when the
   * inventory has them all: nothing is ordered then. Rejects with InsufficientBalanceError, and with
   * NumberProviderError while the outcome is unknown: the order is settled later.
   */
  async place(wanted: NewOrder): Promise<OrderedNumbers | undefined> {
    const begun = await beginOrder(this.#deps, wanted)
    if (begun === undefined) return undefined
    if (begun.order !== undefined) await this.#ask(begun.order, 'first')
    const result = await this.#resultOf(begun.id)
    if (result !== undefined) return result
    throw new NumberProviderError(
      `the number provider has not answered yet: the order ${begun.id} is done when it does`,
      { isRetryable: true },
    )
  }

  async #resultOf(id: string): Promise<OrderedNumbers | undefined> {
    const { db, waitMs = WAIT_MS } = this.#deps
    const until = systemClock.monotonic() + waitMs
    for (;;) {
      const result = await resultOfOrder(db.read, id)
      if (result !== undefined || systemClock.monotonic() >= until) return result
      await idle(LOOK_AGAIN_MS)
      if (this.#pump.isStopped) return undefined
    }
  }

  async #look(signal: AbortSignal): Promise<number> {
    const { db, clock, log } = this.#deps
    try {
      for (;;) {
        const [now, wallNow] = [clock.now(), systemClock.now()]
        const some = { now, wallNow, limit: AT_ONCE }
        const orders = await claimOrders(db, some)
        const giveBacks = await claimGiveBacks(db, some)
        await Promise.all([
          ...orders.map((order) => this.#ask(order, 'again')),
          ...giveBacks.map((each) => this.#giveBack(each)),
        ])
        if (orders.length + giveBacks.length > 0 && !signal.aborted) continue
        const next = [
          await nextDueAt(db.read, 'number_orders', wallNow),
          await nextDueAt(db.read, 'number_give_backs', wallNow),
        ]
        return Math.min(now + LOOK_EVERY_MS, ...next.filter((at) => at !== undefined))
      }
    } catch (err) {
      log.error({ err }, 'could not go on with the orders of numbers')
      return clock.now() + LOOK_EVERY_MS
    }
  }

  /** Asks the provider about an order that this node has claimed; never rejects. */
  async #ask(order: OpenOrder, time: 'first' | 'again'): Promise<void> {
    const { db, clock, log, seller } = this.#deps
    const asked = { key: order.id, numbers: boughtNumbers(order.numbers) }
    try {
      // The earlier request may have arrived although its answer was lost.
      const known = time === 'first' ? undefined : await seller.find(asked)
      const answer = known ?? (await seller.order(asked))
      if (answer.type === 'pending') {
        await this.#putOff(order)
        return
      }
      const at = { answer, now: clock.now() }
      const heldByOthers = await db.write((tx) => settleOrder(tx, order, at, this.#deps))
      if (heldByOthers.length > 0)
        log.error({ order: order.id, heldByOthers }, 'the provider sold numbers that are held here')
    } catch (err) {
      log.warn({ err, order: order.id }, 'an order of numbers failed and will be asked for again')
      await this.#putOff(order)
    }
  }

  async #putOff(order: OpenOrder): Promise<void> {
    const { db, clock, log } = this.#deps
    const now = clock.now()
    try {
      if (now >= order.createdAt + ORDER_LIFE_MS) {
        await db.write((tx) => abandonOrder(tx, order, now))
        log.error({ order: order.id }, 'abandoned an order that the number provider never answered')
      } else await putOffOrder(db, order, now + retryAfter(order.attempts))
    } catch (err) {
      // Its claim expires, and the order resumes then.
      log.error({ err, order: order.id }, 'could not put an order of numbers off')
    }
    this.#pump.wake()
  }

  /** Returns a number that this node has claimed; never rejects. */
  async #giveBack(each: GiveBack): Promise<void> {
    const { db, clock, log, seller } = this.#deps
    const { orderId, e164, attempts, createdAt } = each
    try {
      await seller.giveBack(orderId, e164)
      await removeGiveBack(db, each)
    } catch (err) {
      const now = clock.now()
      const isOver = now >= createdAt + GIVE_BACK_LIFE_MS
      log[isOver ? 'error' : 'warn'](
        { err, orderId, e164 },
        'the provider did not take a number back',
      )
      await putOffGiveBack(db, each, isOver ? undefined : now + retryAfter(attempts))
    }
  }
}

/**
 * Stores an order and reserves its price. Undefined when the provider is not needed, or when the key belongs to
 * a finished request.
 */
async function beginOrder(deps: BeginningDeps, asked: NewOrder): Promise<BegunOrder | undefined> {
  const now = deps.clock.now()
  const id = newOrderId(now)
  const wanted = JSON.stringify(asked.wanted)
  return await deps.db.write(async (tx) => {
    const earlier = await earlierOrder(tx, asked, wanted, now)
    if (earlier !== undefined) return earlier === 'answered' ? undefined : earlier
    const numbers = await planOrder(tx, deps, asked.accountSid, asked.wanted)
    if (boughtNumbers(numbers).length === 0) return undefined
    const { accountSid, reference } = asked
    const count = numbers.filter(({ refused }) => refused === undefined).length
    const price = await reserveNewNumbers(tx, { accountSid, orderId: id, count, now })
    await insertOrder(tx, {
      id,
      accountSid,
      requestKey: asked.request?.key ?? null,
      wanted,
      reference,
      numbers: JSON.stringify(numbers),
      price,
      nextAt: now,
      createdAt: now,
      ...claimOf(deps.db.node, systemClock.now()),
    })
    const order = { id, accountSid, reference, numbers, price, attempts: 0, createdAt: now }
    return { id, order }
  })
}

async function earlierOrder(
  tx: Writer,
  { accountSid, request }: NewOrder,
  wanted: string,
  now: number,
): Promise<BegunOrder | 'answered' | undefined> {
  if (request === undefined) return undefined
  const since = now - KEY_LIFE_MS
  const earlier = await findByRequest(tx, { accountSid, requestKey: request.key, since })
  if (earlier === undefined)
    return (await findKept(tx, request, now)) === undefined ? undefined : 'answered'
  if (earlier.wanted !== wanted) throw new RefusedError({ type: 'idempotency-key-reused' })
  return { id: earlier.id, order: undefined }
}

function retryAfter(attempts: number): number {
  return RETRY_MS[Math.min(attempts, RETRY_MS.length - 1)] ?? 0
}
