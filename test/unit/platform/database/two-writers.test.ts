import { describe, expect, it } from 'vitest'
import type { Database, Isolation } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import { findKept, keepRequest } from '../../../../src/platform/idempotency/kept-requests.js'
import type { OutboxRow } from '../../../../src/platform/outbox/outbox-row.js'
import { DatabaseOutboxStore } from '../../../../src/platform/outbox/outbox-store.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

/** Two writes on two connections, made to cross at every step where one may wait for the other. */
const ISOLATIONS: readonly Isolation[] = ['serializable', 'read-committed']
const TIMES = Array.from({ length: 20 }, (_, index) => index)
const clock = { now: () => 1_000, monotonic: () => performance.now() }

async function twoNodes() {
  const disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  const open = async (node: string) => {
    const db = disposer.use(await openDatabase(place, MIGRATIONS, node))
    return { db, outbox: new DatabaseOutboxStore({ db, clock, node, channelOf: () => undefined }) }
  }
  const [a, b] = [await open('a'), await open('b')]
  return { a, b, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}

type Node = Awaited<ReturnType<typeof twoNodes>>['a']

const letter = (text: string) => ({
  channel: 'letters',
  stream: 'S',
  accountSid: 'AC1',
  kind: text,
  payload: text,
})

const append = ({ db, outbox }: Node, text: string, isolation: Isolation) =>
  db.write((tx) => outbox.insert(tx, [letter(text)]), isolation)

const headOf = async ({ outbox }: Node): Promise<OutboxRow> => {
  const [row] = await outbox.claimDue('AC1', 2_000, 1, new Set())
  if (row === undefined) throw new Error('nothing is due')
  return row
}

const deliver = async (node: Node): Promise<string> => {
  const row = await headOf(node)
  await node.outbox.mark({
    row,
    result: { status: 200, error: undefined },
    state: 'delivered',
  })
  return row.kind
}

const statesOf = async ({ db }: Node): Promise<readonly string[]> => {
  const rows = await db.read.selectFrom('outbox').select(['kind', 'state']).orderBy('id').execute()
  return rows.map(({ kind, state }) => `${kind} ${state}`)
}

/** A write that has done its work and commits when it is told to. */
async function held(node: Node, text: string, isolation: Isolation) {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let done: Promise<void> = Promise.resolve()
  await new Promise<void>((resolve, reject) => {
    done = node.db.write(async (tx) => {
      await node.outbox.insert(tx, [letter(text)])
      resolve()
      await released
    }, isolation)
    done.catch(reject)
  })
  return { release, done }
}

describe.each(ISOLATIONS)('two writers of one stream, %s', (isolation) => {
  it('leave no row waiting when its head ends while it is appended', async () => {
    await using t = await twoNodes()
    await append(t.a, 'first', isolation)
    const row = await headOf(t.a)
    const second = await held(t.b, 'second', isolation)
    const result = { status: 200, error: undefined }
    const marked = t.a.outbox.mark({ row, result, state: 'delivered' })
    // The mark gathers for 10 ms, and then waits for the append.
    setTimeout(second.release, 60)
    await Promise.all([marked, second.done])
    expect(await statesOf(t.a)).toEqual(['first delivered', 'second pending'])
  })

  it('have one head when both begin the stream', async () => {
    await using t = await twoNodes()
    const first = await held(t.a, 'first', isolation)
    const second = append(t.b, 'second', isolation)
    setTimeout(first.release, 60)
    await Promise.all([first.done, second])
    expect(await statesOf(t.a)).toEqual(['first pending', 'second waiting'])
  })

  it('lose and double nothing while one appends and the other delivers', async () => {
    await using t = await twoNodes()
    // As many as are delivered before all are appended: the stream never runs dry meanwhile.
    const early = ['first', ...TIMES.map((index) => `early ${index}`)]
    for (const text of early) await append(t.a, text, isolation)
    const wanted = [...early, ...TIMES.flatMap((index) => [`a${index}`, `b${index}`])]
    const seen: string[] = []
    const appended = Promise.all([
      ...TIMES.map((index) => append(t.a, `a${index}`, isolation)),
      ...TIMES.map((index) => append(t.b, `b${index}`, isolation)),
    ])
    while (seen.length < wanted.length) {
      seen.push(await deliver(t.a))
      if (seen.length === TIMES.length) await appended
    }
    expect(seen.sort()).toEqual([...wanted].sort())
    await expect(headOf(t.a)).rejects.toThrow('nothing is due')
  })
})

describe.each(ISOLATIONS)('two requests with one key, %s', (isolation) => {
  const request = { caller: 'AC1', key: 'k' }
  const create = async ({ db }: Node, key: string, now = 1_000): Promise<string | undefined> =>
    db.write(async (tx) => {
      const mine = { request: '', status: 201, outcome: db.node }
      if (await keepRequest(tx, { ...request, key }, mine, now)) return db.node
      return (await findKept(tx, { ...request, key }, now))?.outcome
    }, isolation)

  it('have one outcome, which both are told', async () => {
    await using t = await twoNodes()
    for (const index of TIMES) {
      const [a, b] = await Promise.all([create(t.a, `k${index}`), create(t.b, `k${index}`)])
      expect(['a', 'b']).toContain(a)
      expect(b).toBe(a)
    }
  })

  it('have one outcome of a key that is used again after its life', async () => {
    await using t = await twoNodes()
    await create(t.a, 'k')
    const later = 1_000 + 25 * 3_600_000
    const [a, b] = await Promise.all([create(t.a, 'k', later), create(t.b, 'k', later)])
    expect(b).toBe(a)
    const kept: Database['read'] = t.a.db.read
    const rows = await kept.selectFrom('idempotent_requests').select('createdAt').execute()
    expect(rows).toEqual([{ createdAt: later }])
  })
})
