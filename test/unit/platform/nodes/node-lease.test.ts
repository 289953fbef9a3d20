import { expect, it } from 'vitest'
import type { Database } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import { createLogger } from '../../../../src/platform/log.js'
import { NodeLease } from '../../../../src/platform/nodes/node-lease.js'
import { NodeShare } from '../../../../src/platform/nodes/node-share.js'
import { Silence } from '../../../../src/platform/nodes/silence.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

/** The looks of a lease and its margin: a node is dead after this many without a beat. */
const LOOKS = 12

/** Nodes that take their turns when the test says so; their work is rows of `idempotent_requests`. */
async function nodes(...names: readonly string[]) {
  const disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  const make = async (name: string) => {
    const db = disposer.use(await openDatabase(place, MIGRATIONS, name))
    const recovered: string[] = []
    const declaredDead: string[] = []
    const share = new NodeShare()
    const lease = new NodeLease({
      db,
      log: createLogger('silent'),
      leaseMs: 30_000,
      workers: async () => {
        const rows = await db.read.selectFrom('idempotent_requests').select('caller').execute()
        return rows.map(({ caller }) => caller)
      },
      handOver: async (tx, from, to) => {
        await tx
          .updateTable('idempotent_requests')
          .set({ caller: to })
          .where('caller', '=', from)
          .execute()
      },
      recover: async (remains) => {
        const rows = await db.write((tx) =>
          tx
            .deleteFrom('idempotent_requests')
            .where('caller', '=', remains)
            .returning('key')
            .execute(),
        )
        recovered.push(...rows.map(({ key }) => key))
      },
      onDeclaredDead: () => declaredDead.push(name),
      onNodes: (live) => {
        share.note(live, name)
      },
    })
    await lease.register()
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) await lease.turn()
      await lease.recovered()
    }
    return { db, lease, recovered, declaredDead, share, turns }
  }
  const made = await Promise.all(names.map(make))
  return { made, make, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}

const begin = ({ db }: { readonly db: Database }, key: string) =>
  db.write((tx) =>
    tx
      .insertInto('idempotent_requests')
      .values({ caller: db.node, key, request: '', status: 0, outcome: '', createdAt: 1 })
      .execute(),
  )

it('a node that shows no life loses its work to one other node', async () => {
  await using t = await nodes('a', 'b', 'c')
  const [a, b, c] = t.made
  if (a === undefined || b === undefined || c === undefined) throw new Error('three nodes')
  await a.turns(1)
  await begin(a, 'work of a')
  await begin(b, 'work of b')
  for (let look = 0; look < LOOKS; look += 1) await Promise.all([b.turns(1), c.turns(1)])
  expect([...b.recovered, ...c.recovered]).toEqual([])
  await Promise.all([b.turns(1), c.turns(1)])
  expect([...b.recovered, ...c.recovered]).toEqual(['work of a'])
  expect(b.declaredDead).toEqual([])
})

it('a node that beats once in a lease keeps its work, however long its pauses', async () => {
  await using t = await nodes('a', 'b')
  const [a, b] = t.made
  if (a === undefined || b === undefined) throw new Error('two nodes')
  await begin(a, 'work of a')
  for (let pause = 0; pause < 4; pause += 1) {
    await b.turns(LOOKS)
    await a.turns(1)
  }
  expect(b.recovered).toEqual([])
  expect(a.declaredDead).toEqual([])
})

it('a node that returns learns that it was dead, and begins anew under its name', async () => {
  await using t = await nodes('a', 'b')
  const [a, b] = t.made
  if (a === undefined || b === undefined) throw new Error('two nodes')
  await begin(a, 'old work')
  await b.turns(LOOKS + 1)
  expect(b.recovered).toEqual(['old work'])
  await a.turns(1)
  expect(a.declaredDead).toEqual(['a'])
  await begin(a, 'new work')
  for (let turn = 0; turn < LOOKS + 3; turn += 1) await Promise.all([a.turns(1), b.turns(1)])
  expect(b.recovered).toEqual(['old work'])
  expect(a.declaredDead).toEqual(['a'])
})

it('work that a dead node began before it noticed is ended as well', async () => {
  await using t = await nodes('a', 'b')
  const [a, b] = t.made
  if (a === undefined || b === undefined) throw new Error('two nodes')
  await begin(a, 'old work')
  await b.turns(LOOKS + 1)
  await begin(a, 'late work') // And then it dies for good.
  await b.turns(LOOKS + 1)
  expect(b.recovered).toEqual(['old work', 'late work'])
})

it('what a node has taken over is ended by another one when that node dies as well', async () => {
  await using t = await nodes('a', 'b', 'c')
  const [a, b, c] = t.made
  if (a === undefined || b === undefined || c === undefined) throw new Error('three nodes')
  await begin(a, 'work of a')
  await b.db.write(async (tx) => {
    await tx
      .insertInto('nodes')
      .values({ name: 'dead:1', process: '', beats: 0, recoveredBy: 'b' })
      .execute()
    await tx.updateTable('idempotent_requests').set({ caller: 'dead:1' }).execute()
  })
  await c.turns(LOOKS + 2)
  expect(c.recovered).toEqual(['work of a'])
  const left = await c.db.read.selectFrom('nodes').select('name').execute()
  expect(left).toEqual([{ name: 'c' }])
})

it('silence is counted in looks: an observer that was paused has looked once', () => {
  const silence = new Silence(2)
  const a = { name: 'a', process: 'p', beats: 1 }
  expect(silence.look([a])).toEqual([])
  expect(silence.look([a])).toEqual([])
  silence.forget()
  expect(silence.look([a])).toEqual([])
  expect(silence.look([a])).toEqual([])
  expect(silence.look([a])).toEqual([a])
  expect(silence.look([{ ...a, process: 'q' }])).toEqual([])
})

it('gives each live node its part of a limit, and the part of a dead one to the others', async () => {
  await using t = await nodes('a', 'b')
  const [a, b] = t.made
  const c = await t.make('c')
  // The newcomer knows the others before it has any work; they see it at their next look.
  expect(c.share.ofCount(7)).toBe(2)
  await a?.turns(1)
  await b?.turns(1)
  expect([a, b, c].map((node) => node?.share.ofCount(7))).toEqual([3, 2, 2])
  expect([a, b, c].map((node) => node?.share.ofRate(6))).toEqual([2, 2, 2])
  for (let look = 0; look <= LOOKS; look += 1) {
    await a?.turns(1)
    await b?.turns(1)
  }
  await a?.turns(1)
  await b?.turns(1)
  expect([a, b].map((node) => node?.share.ofCount(7))).toEqual([4, 3])
})
