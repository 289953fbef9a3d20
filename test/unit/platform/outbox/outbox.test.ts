import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { createOutbound } from '../../../../src/platform/http/outbound.js'
import { createLogger } from '../../../../src/platform/log.js'
import type { NewCallback } from '../../../../src/platform/outbox/callback.js'
import { createCallbackChannel } from '../../../../src/platform/outbox/callback-channel.js'
import type { Channel, Delivery } from '../../../../src/platform/outbox/channel.js'
import { Outbox } from '../../../../src/platform/outbox/outbox.js'
import {
  OutboxDelivery,
  type OutboxLimits,
} from '../../../../src/platform/outbox/outbox-delivery.js'
import type { NewOutboxRow, OutboxRow } from '../../../../src/platform/outbox/outbox-row.js'
import { DatabaseOutboxStore } from '../../../../src/platform/outbox/outbox-store.js'
import {
  nextAttemptAt,
  type RetrySchedule,
} from '../../../../src/platform/outbox/retry-schedule.js'
import type { AttemptReport } from '../../../../src/platform/webhooks/fetch-webhook.js'
import { createWebhooks } from '../../../../src/platform/webhooks/fetch-webhook.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { HttpSink } from '../../../support/http/http-sink.js'
import { MemoryOutboxStore } from '../../../support/http/memory-outbox-store.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase, testDatabase } from '../../../support/process/test-database.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const log = createLogger('silent')
const delivered: Delivery = { type: 'delivered', status: 200, error: undefined }
const failed: Delivery = { type: 'failed', status: 503, error: '11200' }
const refused: Delivery = { type: 'refused', status: 404, error: '11200' }
const QUICK = { firstDelayMs: 1, maxDelayMs: 4, horizonMs: 60_000 }

function row(stream: string, kind: string, accountSid = 'AC1'): NewOutboxRow {
  return { channel: 'test', stream, accountSid, kind, payload: { kind } }
}

function testChannel(
  deliver: Channel<NewOutboxRow>['deliver'],
  schedule: RetrySchedule = QUICK,
): Channel<NewOutboxRow> {
  return {
    name: 'test',
    toRow: (item) => item,
    deliver,
    nextAttemptAt: (failed, now, random) => nextAttemptAt(schedule, failed, now, random),
  }
}

async function pendingStreams(db: Database): Promise<string[]> {
  const rows = await db.read
    .selectFrom('outbox')
    .select('stream')
    .where('state', 'in', ['pending', 'waiting'])
    .execute()
  return rows.map(({ stream }) => stream)
}

/** A customer's server that answers when it is told to. */
class Customer {
  readonly seen: OutboxRow[] = []
  readonly #held = new Map<OutboxRow, (delivery: Delivery) => void>()
  answers: (row: OutboxRow) => Delivery | 'hold' = () => delivered

  readonly deliver = (row: OutboxRow, signal: AbortSignal): Promise<Delivery> => {
    this.seen.push(row)
    const answer = this.answers(row)
    if (answer !== 'hold') return Promise.resolve(answer)
    return new Promise((resolve) => {
      this.#held.set(row, resolve)
      signal.addEventListener('abort', () => {
        this.#held.delete(row)
        resolve({ type: 'aborted' })
      })
    })
  }

  get held(): number {
    return this.#held.size
  }

  /** Answers the oldest request that waits. */
  release(delivery: Delivery = delivered): void {
    const [first] = this.#held
    if (first === undefined) throw new Error('nothing is held')
    this.#held.delete(first[0])
    first[1](delivery)
  }

  get kinds(): string[] {
    return this.seen.map((r) => r.kind)
  }
}

function setUp(
  more: { readonly limits?: Partial<OutboxLimits>; readonly schedule?: RetrySchedule } = {},
) {
  const store = new MemoryOutboxStore(() => Date.now())
  const customer = new Customer()
  const channel = testChannel(customer.deliver, more.schedule)
  const outbox = new OutboxDelivery({
    store,
    channelOf: () => channel,
    clock: systemClock,
    random: () => 0,
    log,
    limits: more.limits,
  })
  outbox.start()
  const enqueue = async (...rows: NewOutboxRow[]): Promise<void> => {
    await store.enqueue(rows)
    for (const { accountSid } of rows) outbox.notify(accountSid)
  }
  const isDone = (): boolean => store.rows.every((r) => r.state !== 'pending')
  return { store, customer, outbox, enqueue, isDone }
}

describe('outbox', () => {
  it('delivers what is written, and then rests', async () => {
    const { customer, outbox, enqueue, isDone } = setUp()
    await using _closed = outbox
    await enqueue(row('CA1', 'a'), row('CA1', 'b'), row('CA2', 'c'))
    await waitUntil('all delivered', isDone)
    expect(customer.kinds.toSorted()).toEqual(['a', 'b', 'c'])
    await waitUntil('nothing to do', () => outbox.accounts === 0 && outbox.inFlight === 0)
  })

  it('keeps the order of each stream, whatever fails, while others go on', async () => {
    const { customer, outbox, enqueue, isDone } = setUp()
    await using _closed = outbox
    let calls = 0
    customer.answers = () => ((calls += 1) % 3 === 0 ? delivered : failed)
    const streams = ['CA1', 'CA2', 'CA3', 'CA4', 'CA5']
    const events = ['0', '1', '2', '3']
    for (const event of events) await enqueue(...streams.map((s) => row(s, event)))
    await waitUntil('all delivered', isDone)
    for (const stream of streams) {
      const kinds = customer.seen.filter((r) => r.stream === stream).map((r) => r.kind)
      expect(kinds).toEqual(kinds.toSorted())
      expect([...new Set(kinds)]).toEqual(events)
    }
    expect(customer.seen).toHaveLength(60)
  })

  it('never has two requests of one stream in progress', async () => {
    const { customer, outbox, enqueue } = setUp({ limits: { drainMs: 1 } })
    await using _closed = outbox
    customer.answers = () => 'hold'
    await enqueue(row('CA1', 'a'), row('CA1', 'b'), row('CA2', 'c'))
    await waitUntil('both streams', () => customer.held === 2)
    await enqueue(row('CA1', 'd'), row('CA3', 'e'))
    await waitUntil('the new stream', () => customer.held === 3)
    expect(customer.kinds.toSorted()).toEqual(['a', 'c', 'e'])
    customer.release()
    await waitUntil('the next of the stream', () => customer.kinds.includes('b'))
    expect(customer.kinds).not.toContain('d')
  })

  it('says the same thing under the same token until it is delivered', async () => {
    const { customer, outbox, enqueue, isDone, store } = setUp()
    await using _closed = outbox
    customer.answers = (r) => (r.attempts < 4 ? failed : delivered)
    await enqueue(row('CA1', 'a'))
    await waitUntil('delivered', isDone)
    expect(customer.seen.map((r) => r.attempts)).toEqual([0, 1, 2, 3, 4])
    expect(new Set(customer.seen.map((r) => r.idempotencyToken)).size).toBe(1)
    expect(store.rows[0]).toMatchObject({ state: 'delivered', attempts: 5 })
  })

  it.each([
    ['refused at once', refused, 60_000, 1],
    ['failing beyond the horizon', failed, 0, 1],
  ])('gives up what is %s, and the rest of the stream goes out', async (_title, answer, horizonMs, tries) => {
    const { customer, outbox, enqueue, isDone, store } = setUp({
      schedule: { ...QUICK, horizonMs },
    })
    await using _closed = outbox
    customer.answers = (r) => (r.kind === 'a' ? answer : delivered)
    await enqueue(row('CA1', 'a'), row('CA1', 'b'))
    await waitUntil('all settled', isDone)
    expect(store.rows.map((r) => [r.state, r.attempts])).toEqual([
      ['dead', tries],
      ['delivered', 1],
    ])
    expect(customer.kinds).toEqual(['a', 'b'])
  })

  it('an account whose server hangs holds its own few requests; others are served in full', async () => {
    const { customer, outbox, enqueue, store } = setUp({
      limits: { inFlight: 20, inFlightPerAccount: 3, drainMs: 1 },
    })
    await using _closed = outbox
    customer.answers = (r) => (r.accountSid === 'slow' ? 'hold' : delivered)
    await enqueue(...Array.from({ length: 100 }, (_, i) => row(`S${i}`, 'x', 'slow')))
    await waitUntil('the slow account has its share', () => customer.held === 3)
    await enqueue(...Array.from({ length: 100 }, (_, i) => row(`F${i}`, 'x', 'fast')))
    const fast = store.rows.filter((r) => r.accountSid === 'fast')
    await waitUntil('the fast account is served', () => fast.every((r) => r.state === 'delivered'))
    expect(customer.held).toBe(3)
    expect(customer.seen.filter((r) => r.accountSid === 'slow')).toHaveLength(3)
  })

  it('accounts take turns when requests are scarce', async () => {
    const { customer, outbox, enqueue } = setUp({
      limits: { inFlight: 1, inFlightPerAccount: 1, drainMs: 1 },
    })
    await using _closed = outbox
    customer.answers = () => 'hold'
    await enqueue(...Array.from({ length: 30 }, (_, i) => row(`A${i}`, 'x', 'A')))
    await enqueue(row('B1', 'x', 'B'), row('B2', 'x', 'B'), row('C1', 'x', 'C'))
    for (let i = 1; i <= 8; i += 1) {
      await waitUntil('one in progress', () => customer.seen.length === i && customer.held === 1)
      expect(outbox.inFlight).toBe(1)
      customer.release()
    }
    const accounts = customer.seen.map((r) => r.accountSid).slice(0, 6)
    expect(accounts.filter((a) => a === 'B')).toHaveLength(2)
    expect(accounts.filter((a) => a === 'C')).toHaveLength(1)
  })

  it('many slow accounts together leave each a few requests', async () => {
    const { customer, outbox, enqueue } = setUp({
      limits: { inFlight: 20, inFlightPerAccount: 10, inFlightWhenScarce: 2, drainMs: 1 },
    })
    await using _closed = outbox
    customer.answers = () => 'hold'
    const held = (account: string): number =>
      customer.seen.filter((r) => r.accountSid === account).length
    for (const [account, requests] of [
      ['A', 10],
      ['B', 2],
      ['C', 2],
    ] as const) {
      await enqueue(...Array.from({ length: 30 }, (_, i) => row(`${account}${i}`, 'x', account)))
      await waitUntil(`${account} has its share`, () => held(account) === requests)
    }
    expect(['A', 'B', 'C'].map(held)).toEqual([10, 2, 2])
  })

  it('a slow disk keeps a stream waiting for its mark, but no other stream for a request', async () => {
    const { customer, outbox, enqueue, store, isDone } = setUp({
      limits: { inFlightPerAccount: 1 },
    })
    await using _closed = outbox
    const marks: (() => void)[] = []
    const mark = store.mark.bind(store)
    store.mark = async (...args) => {
      await new Promise<void>((resolve) => marks.push(resolve))
      await mark(...args)
    }
    await enqueue(row('CA1', 'a'), row('CA1', 'b'), row('CA2', 'c'), row('CA3', 'd'))
    await waitUntil('one row of each stream is out', () => customer.seen.length === 3)
    expect(customer.kinds).toEqual(['a', 'c', 'd'])
    expect(outbox.inFlight).toBe(3)
    await waitUntil('all marked', () => {
      marks.shift()?.()
      return isDone()
    })
    expect(customer.kinds).toEqual(['a', 'c', 'd', 'b'])
  })

  it('waits for its retry without asking the store again and again', async () => {
    const schedule = { firstDelayMs: 600_000, maxDelayMs: 600_000, horizonMs: 3_600_000 }
    const { customer, outbox, enqueue, store } = setUp({ schedule })
    await using _closed = outbox
    let asked = 0
    const claimDue = store.claimDue.bind(store)
    store.claimDue = (...args) => {
      asked += 1
      return claimDue(...args)
    }
    customer.answers = () => failed
    await enqueue(row('CA1', 'a'), row('CA2', 'a'))
    await waitUntil('both failed', () => store.rows.every((r) => r.attempts === 1))
    await waitUntil('nothing in progress', () => outbox.inFlight === 0)
    const before = asked
    for (let i = 0; i < 200; i += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(asked - before).toBeLessThanOrEqual(2)
    expect(customer.seen).toHaveLength(2)
  })

  it('lives on when the store or the delivery breaks', async () => {
    const { customer, outbox, enqueue, isDone, store } = setUp({ limits: { storePauseMs: 5 } })
    await using _closed = outbox
    const claimDue = store.claimDue.bind(store)
    const mark = store.mark.bind(store)
    let broken = 2
    store.claimDue = (...args) =>
      (broken -= 1) >= 1 ? Promise.reject(new Error('disk')) : claimDue(...args)
    let unmarked = 1
    store.mark = (...args) =>
      (unmarked -= 1) >= 0 ? Promise.reject(new Error('disk full')) : mark(...args)
    await enqueue(row('CA1', 'a'), row('CA2', 'b'))
    await waitUntil('all delivered', isDone)
    // At least once: what could not be marked went out again, after a pause.
    expect(customer.seen).toHaveLength(3)
  })

  it('disposal lets what is in progress end and begins nothing', async () => {
    const { customer, outbox, enqueue, store } = setUp()
    customer.answers = () => 'hold'
    await enqueue(row('CA1', 'a'), row('CA1', 'b'))
    await waitUntil('in progress', () => customer.held === 1)
    const disposed = outbox[Symbol.asyncDispose]()
    customer.release()
    await disposed
    outbox.notify('AC1')
    expect(store.rows.map((r) => r.state)).toEqual(['delivered', 'pending'])
    expect(customer.kinds).toEqual(['a'])
  })

  it('disposal cuts off what does not end, which counts for nothing', async () => {
    const { customer, outbox, enqueue, store } = setUp({ limits: { drainMs: 10 } })
    customer.answers = () => 'hold'
    await enqueue(row('CA1', 'a'))
    await waitUntil('in progress', () => customer.held === 1)
    await outbox[Symbol.asyncDispose]()
    expect(store.rows[0]).toMatchObject({ state: 'pending', attempts: 0 })
    expect(outbox.inFlight).toBe(0)
  })
})

describe('outbox on disk', () => {
  it('after a crash between sending and marking, everything arrives, in order, told apart by token', async () => {
    using folder = tempFolder()
    const file = await testDatabase(folder.path)
    const events = ['initiated', 'ringing', 'answered', 'completed']
    const calls = Array.from({ length: 50 }, (_, i) => `CA${i}`)
    const arrived: OutboxRow[] = []
    const receive = (r: OutboxRow): Promise<Delivery> => {
      arrived.push(r)
      return Promise.resolve(delivered)
    }

    {
      await using db = await openDatabase(file, MIGRATIONS)
      const store = new DatabaseOutboxStore({
        ...{ db, clock: systemClock, node: 'a' },
        channelOf: () => undefined,
      })
      // The process dies at some moment: from then on nothing is marked any more.
      let alive = 60
      let stored = 0
      const mark = store.mark.bind(store)
      store.mark = async (one) => {
        if ((alive -= 1) < 0) await new Promise(() => undefined)
        await mark(one)
        stored += 1
      }
      const channel = testChannel(receive)
      const outbox = new OutboxDelivery({
        ...{ store, channelOf: () => channel, clock: systemClock, random: Math.random, log },
      })
      outbox.start()
      for (const kind of events)
        await db.write((tx) =>
          store.insert(
            tx,
            calls.map((call) => row(call, kind)),
          ),
        )
      outbox.notify('AC1')
      await waitUntil(
        'the moment of death',
        () => stored === 60 && outbox.inFlight === calls.length,
      )
    }
    const before = arrived.length
    expect(before).toBeGreaterThan(60)
    expect(before).toBeLessThan(200)

    await using db = await openDatabase(file, MIGRATIONS)
    // A restart takes up at once what the same node had claimed.
    const outbox = new Outbox({ db, clock: systemClock, random: Math.random, log, node: 'a' })
    outbox.open(testChannel(receive))
    outbox.start()
    const tokens = (): Set<string> => new Set(arrived.map((r) => r.idempotencyToken))
    await waitUntil('all arrived', () => tokens().size === 200)
    await outbox.settled()
    await outbox[Symbol.asyncDispose]()
    expect(await pendingStreams(db)).toEqual([])
    expect(arrived.length).toBe(before + 200 - 60)
    for (const call of calls) {
      const kinds = arrived.filter((r) => r.stream === call).map((r) => r.kind)
      expect([...new Set(kinds)]).toEqual(events)
      const order = kinds.map((kind) => events.indexOf(kind))
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }
  })

  it('a change that is rolled back notifies nobody', async () => {
    using folder = tempFolder()
    await using db = await openTestDatabase(folder.path)
    await using outbox = new Outbox({ db, clock: systemClock, random: Math.random, log })
    const rows = outbox.open(testChannel(() => Promise.resolve(delivered)))
    const failing = rows.commit(async (_tx, enqueue) => {
      await enqueue([row('CA1', 'a')])
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await pendingStreams(db)).toEqual([])
  })

  it('speaks to a real server: signed, retried, the answers judged', async () => {
    using folder = tempFolder()
    await using sink = await HttpSink.start()
    await using db = await openTestDatabase(folder.path)
    await using outbound = createOutbound({
      policy: { mode: 'allow-private', allow: [] },
      clock: systemClock,
      log,
    })
    const webhooks = createWebhooks({ outbound, clock: systemClock, version: '1' })
    const attempts: AttemptReport[] = []
    await using outbox = new Outbox({ db, clock: systemClock, random: Math.random, log })
    const callbacks = outbox.open(
      createCallbackChannel({
        webhooks,
        signingOf: (sid) => Promise.resolve(sid === 'gone' ? undefined : { authToken: 'token' }),
        onAttempt: (_callback, attempt) => attempts.push(attempt),
        schedule: QUICK,
      }),
    )
    sink.answer({ drop: true }, { status: 204 }, { status: 404 })
    sink.script(() => ({ headers: { 'content-encoding': 'gzip' }, body: 'x'.repeat(100_000) }))
    const callback = (stream: string, kind: string, accountSid: string): NewCallback => {
      const params = [['Kind', kind]] as const
      return { stream, accountSid, kind, url: sink.url, method: 'POST', params }
    }
    const kinds = ['a', 'b', 'c']
    outbox.start()
    await callbacks.commit((_tx, enqueue) =>
      enqueue([...kinds.map((kind) => callback('CA1', kind, 'AC1')), callback('CA2', 'd', 'gone')]),
    )
    await sink.until(() => sink.requests.length === 4)
    await waitUntil('all settled', () => attempts.length === 4)
    await outbox.settled()
    const sent = sink.requests.map((r) => [
      r.params[0]?.[1],
      r.headers['x-compat-signature'] !== undefined,
    ])
    expect(sent).toEqual(['a', 'a', 'b', 'c'].map((kind) => [kind, true]))
    const stored = await db.read.selectFrom('outbox').selectAll().orderBy('id').execute()
    expect(stored.map((r) => [r.kind, r.state, r.attempts, r.lastStatus])).toEqual([
      ['a', 'delivered', 2, 204],
      ['b', 'dead', 1, 404],
      ['c', 'delivered', 1, 200],
      ['d', 'dead', 1, null],
    ])
    const tokens = sink.requests.map((r) => r.headers['i-compat-idempotency-token'])
    expect(tokens.slice(0, 2)).toEqual(Array.from({ length: 2 }, () => stored[0]?.idempotencyToken))
    expect(attempts).toHaveLength(4)
  })
})
