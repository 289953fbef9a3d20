import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../../src/platform/clock.js'
import { LEASE_MS } from '../../../../src/platform/database/claims.js'
import type { Database } from '../../../../src/platform/database/database.js'
import type { NewOutboxRow, OutboxStore } from '../../../../src/platform/outbox/outbox-row.js'
import { DatabaseOutboxStore } from '../../../../src/platform/outbox/outbox-store.js'
import { MemoryOutboxStore } from '../../../support/http/memory-outbox-store.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

/** No stream is being delivered. */
const NOBODY: ReadonlySet<string> = new Set()

interface Harness extends AsyncDisposable {
  readonly store: OutboxStore
  now: number
  enqueue(rows: readonly NewOutboxRow[]): Promise<void>
  /** State, attempts, status and error of the row with this kind. */
  rowOf(kind: string): Promise<unknown>
}

function row(stream: string, kind: string, accountSid = 'AC1'): NewOutboxRow {
  return { channel: 'test', stream, accountSid, kind, payload: { kinds: [kind, 'ü'] } }
}

function storeOf(db: Database, clock: Clock, node: string): DatabaseOutboxStore {
  return new DatabaseOutboxStore({ db, clock, node, channelOf: () => undefined })
}

function memoryHarness(): Promise<Harness> {
  const store = new MemoryOutboxStore(() => harness.now)
  const harness: Harness = {
    now: 1_000,
    store,
    enqueue: (rows) => store.enqueue(rows),
    rowOf: (kind) => {
      const found = store.rows.find((r) => r.kind === kind)
      return Promise.resolve(
        found && [found.state, found.attempts, found.last?.status, found.last?.error],
      )
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
  return Promise.resolve(harness)
}

async function databaseHarness(): Promise<Harness> {
  const folder = tempFolder()
  const db: Database = await openTestDatabase(folder.path)
  const clock = { now: () => harness.now, monotonic: () => harness.now }
  const store = storeOf(db, clock, 'a')
  const harness: Harness = {
    now: 1_000,
    store,
    enqueue: (rows) => db.write((tx) => store.insert(tx, rows)),
    rowOf: async (kind) => {
      const found = await db.read
        .selectFrom('outbox')
        .selectAll()
        .where('kind', '=', kind)
        .executeTakeFirst()
      if (found === undefined) return undefined
      const { state, attempts, lastStatus, lastError } = found
      return [state, attempts, lastStatus ?? undefined, lastError ?? undefined]
    },
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
  return harness
}

/** Both stores obey the same list, so the worker's tests with the one speak for the other. */
describe.each([
  ['memory', memoryHarness],
  ['database', databaseHarness],
])('outbox in %s', (_name, setUp) => {
  const ok = { status: 200, error: undefined }
  const kinds = async (h: Harness, limit = 100, account = 'AC1') =>
    (await h.store.claimDue(account, h.now, limit, NOBODY)).map((r) => r.kind)

  it('returns rows as they were written', async () => {
    await using h = await setUp()
    await h.enqueue([row('CA1', 'a')])
    const [first] = await h.store.claimDue('AC1', h.now, 1, NOBODY)
    expect(first).toMatchObject({ ...row('CA1', 'a'), id: 1, createdAt: 1_000, attempts: 0 })
    expect(first?.idempotencyToken).not.toBe('')
  })

  it('offers the first of each stream, of one account, up to the limit', async () => {
    await using h = await setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b'), row('CA2', 'c'), row('CA3', 'd', 'AC2')])
    expect(await kinds(h)).toEqual(['a', 'c'])
    expect(await kinds(h, 1)).toEqual(['a'])
    expect(await kinds(h, 100, 'AC2')).toEqual(['d'])
    expect(await kinds(h, 100, 'AC3')).toEqual([])
  })

  it('offers the next of a stream once the first is delivered', async () => {
    await using h = await setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b')])
    const [a] = await h.store.claimDue('AC1', h.now, 1, NOBODY)
    if (a === undefined) throw new Error('no row')
    await h.store.mark({ row: a, result: ok, state: 'delivered' })
    expect(await kinds(h)).toEqual(['b'])
    expect(await h.rowOf('a')).toEqual(['delivered', 1, 200, undefined])
  })

  it('holds back a whole stream, also what joins it, until the retry', async () => {
    await using h = await setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b'), row('CA2', 'c')])
    const [a] = await h.store.claimDue('AC1', h.now, 1, NOBODY)
    if (a === undefined) throw new Error('no row')
    await h.store.mark({
      row: a,
      result: { status: 503, error: 'e' },
      state: 'pending',
      nextAttemptAt: 5_000,
    })
    await h.enqueue([row('CA1', 'd')])
    expect(await kinds(h)).toEqual(['c'])
    expect(await h.store.nextDueAfter('AC1', h.now)).toBe(5_000)
    h.now = 5_000
    expect((await kinds(h)).toSorted()).toEqual(['a', 'c'])
    expect(await h.store.nextDueAfter('AC1', h.now)).toBeUndefined()
    const again = (await h.store.claimDue('AC1', h.now, 9, NOBODY)).find((r) => r.kind === 'a')
    expect(again).toMatchObject({ attempts: 1, idempotencyToken: a.idempotencyToken })
    expect(await h.rowOf('a')).toEqual(['pending', 1, 503, 'e'])
  })

  it('goes on with the stream beside a row that steps aside, which has its own retry', async () => {
    await using h = await setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b')])
    const [a] = await h.store.claimDue('AC1', h.now, 1, NOBODY)
    if (a === undefined) throw new Error('no row')
    const result = { status: 503, error: 'e' }
    await h.store.mark({ row: a, result, state: 'aside', nextAttemptAt: 5_000 })
    await h.enqueue([row('CA1', 'c')])
    expect(await kinds(h)).toEqual(['b'])
    expect(await h.rowOf('a')).toEqual(['pending', 1, 503, 'e'])
    h.now = 5_000
    expect((await kinds(h)).toSorted()).toEqual(['a', 'b'])
  })

  it('goes on with the stream after a row that was given up', async () => {
    await using h = await setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b')])
    const [a] = await h.store.claimDue('AC1', h.now, 1, NOBODY)
    if (a === undefined) throw new Error('no row')
    await h.store.mark({ row: a, result: { status: undefined, error: 'e' }, state: 'dead' })
    expect(await kinds(h)).toEqual(['b'])
    expect(await h.rowOf('a')).toEqual(['dead', 1, undefined, 'e'])
  })

  it('lists the accounts that have something pending', async () => {
    await using h = await setUp()
    expect(await h.store.pendingAccounts()).toEqual([])
    await h.enqueue([row('CA1', 'a'), row('CA2', 'b', 'AC2'), row('CA3', 'c', 'AC3')])
    const [a] = await h.store.claimDue('AC1', h.now, 1, NOBODY)
    const [b] = await h.store.claimDue('AC2', h.now, 1, NOBODY)
    if (a === undefined || b === undefined) throw new Error('no row')
    await h.store.mark({ row: a, result: ok, state: 'delivered' })
    await h.store.mark({ row: b, result: ok, state: 'pending', nextAttemptAt: 7_000 })
    const accounts = await h.store.pendingAccounts()
    expect([...accounts].toSorted((x, y) => x.dueAt - y.dueAt)).toEqual([
      { accountSid: 'AC3', dueAt: 1_000 },
      { accountSid: 'AC2', dueAt: 7_000 },
    ])
  })
})

it('[F51] goes on with a stream whose clock was set back, its waiting rows included', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  let now = 5_000_000
  const clock = { now: () => now, monotonic: () => now }
  const store = storeOf(db, clock, 'a')
  await db.write((tx) => store.insert(tx, [row('CA1', 'a'), row('CA1', 'b')]))
  const due = () => store.claimDue('AC1', now, 9, NOBODY)
  const [a] = await due()
  if (a === undefined) throw new Error('no row')
  await store.mark({
    row: a,
    result: { status: 503, error: 'e' },
    state: 'pending',
    nextAttemptAt: now + 1_000,
  })
  now -= 3_600_000
  expect(await due()).toEqual([])
  await store.makeAllDue(now)
  expect((await due()).map(({ kind }) => kind)).toEqual(['a'])
  await store.mark({ row: a, result: { status: 200, error: undefined }, state: 'delivered' })
  expect((await due()).map(({ kind }) => kind)).toEqual(['b'])
})

describe('two nodes that share a database', () => {
  const setUp = async (folder: { readonly path: string }) => {
    const db = await openTestDatabase(folder.path)
    const time = { now: 1_000 }
    const clock = { now: () => time.now, monotonic: () => time.now }
    const of = (node: string) => storeOf(db, clock, node)
    const claimed = async (store: DatabaseOutboxStore) =>
      (await store.claimDue('AC1', time.now, 9, NOBODY)).map(({ kind }) => kind)
    return { db, time, of, claimed }
  }

  it('do not deliver the same row: it belongs to the node that wrote it', async () => {
    using folder = tempFolder()
    const { db, of, claimed } = await setUp(folder)
    await using _closed = db
    await db.write((tx) => of('a').insert(tx, [row('CA1', 'a'), row('CA2', 'b')]))
    await db.write((tx) => of('b').insert(tx, [row('CA3', 'c')]))
    expect(await claimed(of('a'))).toEqual(['a', 'b'])
    expect(await claimed(of('b'))).toEqual(['c'])
  })

  it('take over what a node that died had claimed, once the claim is over', async () => {
    using folder = tempFolder()
    const { db, time, of, claimed } = await setUp(folder)
    await using _closed = db
    await db.write((tx) => of('a').insert(tx, [row('CA1', 'a')]))
    time.now += LEASE_MS - 1
    expect(await claimed(of('b'))).toEqual([])
    time.now += 1
    expect(await claimed(of('b'))).toEqual(['a'])
    expect(await claimed(of('a'))).toEqual([])
  })

  it('share the retries: whoever looks first gets the row', async () => {
    using folder = tempFolder()
    const { db, time, of, claimed } = await setUp(folder)
    await using _closed = db
    await db.write((tx) => of('a').insert(tx, [row('CA1', 'a')]))
    const [first] = await of('a').claimDue('AC1', time.now, 9, NOBODY)
    if (first === undefined) throw new Error('no row')
    const result = { status: 503, error: 'e' }
    await of('a').mark({ row: first, result, state: 'pending', nextAttemptAt: 5_000 })
    time.now = 5_000
    const both = await Promise.all([claimed(of('a')), claimed(of('b'))])
    expect(both.flat()).toEqual(['a'])
  })

  it('do not try a row again at once that the other one has tried since they looked', async () => {
    using folder = tempFolder()
    const { db, time, of, claimed } = await setUp(folder)
    await using _closed = db
    await db.write((tx) => of('a').insert(tx, [row('CA1', 'a')]))
    time.now += LEASE_MS
    const failsAtA = async () => {
      const [found] = await of('a').claimDue('AC1', time.now, 9, NOBODY)
      if (found === undefined) throw new Error('no row')
      const result = { status: 503, error: 'e' }
      await of('a').mark({
        row: found,
        result,
        state: 'pending',
        nextAttemptAt: time.now + 60_000,
      })
    }
    // The other node has read what is due, and is about to claim it.
    const write: Database['write'] = async (work, isolation) => {
      await failsAtA()
      return await db.write(work, isolation)
    }
    const delayed = new Proxy(db, {
      get: (target, name): unknown =>
        name === 'write' ? write : Reflect.get(target, name, target),
    })
    const b = storeOf(delayed, { now: () => time.now, monotonic: () => time.now }, 'b')
    expect(await claimed(b)).toEqual([])
  })

  it('a late failure of a node that lost its claim changes nothing', async () => {
    using folder = tempFolder()
    const { db, time, of } = await setUp(folder)
    await using _closed = db
    await db.write((tx) => of('a').insert(tx, [row('CA1', 'a')]))
    const [first] = await of('a').claimDue('AC1', time.now, 9, NOBODY)
    if (first === undefined) throw new Error('no row')
    time.now += LEASE_MS
    const [again] = await of('b').claimDue('AC1', time.now, 9, NOBODY)
    if (again === undefined) throw new Error('no row')
    const result = { status: 200, error: undefined }
    await of('a').mark({
      ...{ row: first, result: { status: 503, error: 'e' }, state: 'pending' },
      nextAttemptAt: time.now + 60_000,
    })
    await of('b').mark({ row: again, result, state: 'delivered' })
    const { state } = await db.read.selectFrom('outbox').select('state').executeTakeFirstOrThrow()
    expect(state).toBe('delivered')
  })

  it('a late outcome of a row that the other node has put aside ends that row alone', async () => {
    using folder = tempFolder()
    const { db, time, of } = await setUp(folder)
    await using _closed = db
    await db.write((tx) => of('a').insert(tx, [row('CA1', 'a'), row('CA1', 'b'), row('CA1', 'c')]))
    const [first] = await of('a').claimDue('AC1', time.now, 9, NOBODY)
    if (first === undefined) throw new Error('no row')
    time.now += LEASE_MS
    const [again] = await of('b').claimDue('AC1', time.now, 9, NOBODY)
    if (again === undefined) throw new Error('no row')
    const failed = { status: 503, error: 'e' }
    const nextAttemptAt = time.now + 60_000
    await of('b').mark({ row: again, result: failed, state: 'aside', nextAttemptAt })
    const delivered = { status: 200, error: undefined }
    await of('a').mark({ row: first, result: delivered, state: 'delivered' })
    const rows = await db.read.selectFrom('outbox').select('state').orderBy('id').execute()
    expect(rows.map(({ state }) => state)).toEqual(['delivered', 'pending', 'waiting'])
  })

  it('never wait for each other, in whatever order streams are written and delivered', async () => {
    using folder = tempFolder()
    const { db, time, of } = await setUp(folder)
    await using _closed = db
    const [a, b] = [of('a'), of('b')]
    const rows = Array.from({ length: 40 }, (_, index) => row(`CA${String(index)}`, 'a'))
    await db.write((tx) => a.insert(tx, rows))
    const result = { status: 200, error: undefined }
    for (let round = 0; round < 10; round += 1) {
      const heads = await a.claimDue('AC1', time.now, 99, NOBODY)
      await Promise.all([
        ...heads
          .toSorted((one, other) => other.id - one.id)
          .map((head) => a.mark({ row: head, result, state: 'delivered' })),
        ...[rows, rows.toReversed()].map((order) =>
          db.write((tx) => b.insert(tx, order), 'read-committed'),
        ),
      ])
    }
    // Only PostgreSQL has this figure: SQLite has one writer.
    expect(db.figures()['retries_deadlock'] ?? 0).toBe(0)
  })

  it('the database refuses a second pending row of a stream', async () => {
    using folder = tempFolder()
    const { db, of } = await setUp(folder)
    await using _closed = db
    await db.write((tx) => of('a').insert(tx, [row('CA1', 'a'), row('CA1', 'b')]))
    const forced = db.write((tx) =>
      tx.updateTable('outbox').set({ state: 'pending' }).where('kind', '=', 'b').execute(),
    )
    await expect(forced).rejects.toThrow(/unique constraint/i)
  })
})
