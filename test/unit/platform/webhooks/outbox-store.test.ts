import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../../src/platform/database/database.js'
import type { NewOutboxRow, OutboxStore } from '../../../../src/platform/outbox/outbox-row.js'
import { createOutboxStore } from '../../../../src/platform/outbox/outbox-store.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { MemoryOutboxStore } from '../../../support/http/memory-outbox-store.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

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
  const params = [
    ['CallSid', stream],
    ['Kind', kind],
    ['Kind', 'ü'],
  ] as const
  return { stream, accountSid, kind, url: 'http://a.test/', method: 'POST', params }
}

function memoryHarness(): Harness {
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
  return harness
}

function databaseHarness(): Harness {
  const folder = tempFolder()
  const db: Database = openDatabase(join(folder.path, 'test.db'), MIGRATIONS)
  const clock = { now: () => harness.now, monotonic: () => harness.now }
  const store = createOutboxStore({ db, clock })
  const harness: Harness = {
    now: 1_000,
    store,
    enqueue: (rows) => db.write((tx) => store.enqueue(tx, rows)),
    rowOf: async (kind) => {
      const found = await db.read
        .selectFrom('outbox')
        .selectAll()
        .where('kind', '=', kind)
        .executeTakeFirst()
      if (found === undefined) return undefined
      const { state, attempts, last_status, last_error } = found
      return [state, attempts, last_status ?? undefined, last_error ?? undefined]
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
    (await h.store.due(account, h.now, limit, NOBODY)).map((r) => r.kind)

  it('returns rows as they were written', async () => {
    await using h = setUp()
    await h.enqueue([row('CA1', 'a')])
    const [first] = await h.store.due('AC1', h.now, 1, NOBODY)
    expect(first).toMatchObject({ ...row('CA1', 'a'), id: 1, createdAt: 1_000, attempts: 0 })
    expect(first?.idempotencyToken).not.toBe('')
  })

  it('offers the first of each stream, of one account, up to the limit', async () => {
    await using h = setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b'), row('CA2', 'c'), row('CA3', 'd', 'AC2')])
    expect(await kinds(h)).toEqual(['a', 'c'])
    expect(await kinds(h, 1)).toEqual(['a'])
    expect(await kinds(h, 100, 'AC2')).toEqual(['d'])
    expect(await kinds(h, 100, 'AC3')).toEqual([])
  })

  it('offers the next of a stream once the first is delivered', async () => {
    await using h = setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b')])
    const [a] = await h.store.due('AC1', h.now, 1, NOBODY)
    if (a === undefined) throw new Error('no row')
    await h.store.markDelivered(a, ok)
    expect(await kinds(h)).toEqual(['b'])
    expect(await h.rowOf('a')).toEqual(['delivered', 1, 200, undefined])
  })

  it('holds back a whole stream, also what joins it, until the retry', async () => {
    await using h = setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b'), row('CA2', 'c')])
    const [a] = await h.store.due('AC1', h.now, 1, NOBODY)
    if (a === undefined) throw new Error('no row')
    await h.store.markFailed(a, { status: 503, error: 'e' }, 5_000)
    await h.enqueue([row('CA1', 'd')])
    expect(await kinds(h)).toEqual(['c'])
    expect(await h.store.nextDueAfter('AC1', h.now)).toBe(5_000)
    h.now = 5_000
    expect((await kinds(h)).toSorted()).toEqual(['a', 'c'])
    expect(await h.store.nextDueAfter('AC1', h.now)).toBeUndefined()
    const again = (await h.store.due('AC1', h.now, 9, NOBODY)).find((r) => r.kind === 'a')
    expect(again).toMatchObject({ attempts: 1, idempotencyToken: a.idempotencyToken })
    expect(await h.rowOf('a')).toEqual(['pending', 1, 503, 'e'])
  })

  it('goes on with the stream after a row that was given up', async () => {
    await using h = setUp()
    await h.enqueue([row('CA1', 'a'), row('CA1', 'b')])
    const [a] = await h.store.due('AC1', h.now, 1, NOBODY)
    if (a === undefined) throw new Error('no row')
    await h.store.markDead(a, { status: undefined, error: 'e' })
    expect(await kinds(h)).toEqual(['b'])
    expect(await h.rowOf('a')).toEqual(['dead', 1, undefined, 'e'])
  })

  it('lists the accounts that have something pending', async () => {
    await using h = setUp()
    expect(await h.store.pendingAccounts()).toEqual([])
    await h.enqueue([row('CA1', 'a'), row('CA2', 'b', 'AC2'), row('CA3', 'c', 'AC3')])
    const [a] = await h.store.due('AC1', h.now, 1, NOBODY)
    const [b] = await h.store.due('AC2', h.now, 1, NOBODY)
    if (a === undefined || b === undefined) throw new Error('no row')
    await h.store.markDelivered(a, ok)
    await h.store.markFailed(b, ok, 7_000)
    const accounts = await h.store.pendingAccounts()
    expect([...accounts].toSorted((x, y) => x.dueAt - y.dueAt)).toEqual([
      { accountSid: 'AC3', dueAt: 1_000 },
      { accountSid: 'AC2', dueAt: 7_000 },
    ])
  })
})

it('[F51] goes on with a stream whose clock was set back, its waiting rows included', async () => {
  using folder = tempFolder()
  await using db = openDatabase(join(folder.path, 'test.db'), MIGRATIONS)
  let now = 5_000_000
  const clock = { now: () => now, monotonic: () => now }
  const store = createOutboxStore({ db, clock })
  await db.write((tx) => store.enqueue(tx, [row('CA1', 'a'), row('CA1', 'b')]))
  const due = () => store.due('AC1', now, 9, NOBODY)
  const [a] = await due()
  if (a === undefined) throw new Error('no row')
  await store.markFailed(a, { status: 503, error: 'e' }, now + 1_000)
  now -= 3_600_000
  expect(await due()).toEqual([])
  await store.makeDue(now)
  expect((await due()).map(({ kind }) => kind)).toEqual(['a'])
  await store.markDelivered(a, { status: 200, error: undefined })
  expect((await due()).map(({ kind }) => kind)).toEqual(['b'])
})
