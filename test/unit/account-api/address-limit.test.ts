import { describe, expect, it } from 'vitest'
import { createAddressLimit, removeAddressLimits } from '../../../src/account-api/address-limit.js'
import type { ApiRequest } from '../../../src/platform/api/api-request.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import { testDatabase } from '../../support/process/test-database.js'

const START = Date.UTC(2026, 10, 16, 12)
const MINUTE = 60_000
const NAMES = ['a', 'b'] as const

/** Nodes that share a database, on one clock; each lets an address ask six times an hour. */
async function setUp() {
  const disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  const clock = { at: START, now: () => clock.at }
  const open = async (node: string) => {
    const db = disposer.use(await openDatabase(place, MIGRATIONS, node))
    const limit = createAddressLimit(6, {
      db,
      clock,
      // The test's requests are named by their addresses.
      accountGate: { addressOf: (request) => request as unknown as string },
    })
    const ask = async (address = '192.0.2.1', name = 'api-key') =>
      await limit?.waitSeconds(name, address as unknown as ApiRequest)
    return { db, ask }
  }
  const [a, b] = [await open(NAMES[0]), await open(NAMES[1])]
  return { a, b, clock, open, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}

const rowsOf = ({ read }: Database) => read.selectFrom('address_limits').selectAll().execute()

describe('six requests an hour of one address', () => {
  it('are counted over two nodes, and over a restart', async () => {
    await using t = await setUp()
    for (const node of [t.a, t.b, t.a, t.b, t.a]) expect(await node.ask()).toBe(0)
    const restarted = await t.open('a')
    expect(await restarted.ask()).toBe(0)
    for (const node of [t.a, t.b, restarted]) expect(await node.ask()).toBe(600)
  })

  it('are admitted exactly six times when thirty come to two nodes at once', async () => {
    await using t = await setUp()
    const asked = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? t.a : t.b).ask())
    const waits = await Promise.all(asked)
    expect(waits.filter((wait) => wait === 0)).toHaveLength(6)
    expect(waits.filter((wait) => wait !== 0)).toEqual(Array.from({ length: 24 }, () => 600))
  })

  it('leave other addresses and other operations alone', async () => {
    await using t = await setUp()
    for (let count = 0; count < 6; count += 1) await t.a.ask()
    expect(await t.b.ask('192.0.2.2')).toBe(0)
    expect(await t.b.ask('192.0.2.1', 'cdr')).toBe(0)
    expect(await t.b.ask()).toBe(600)
  })

  it('are those of a whole /64 in IPv6, and IPv4 inside IPv6 is IPv4', async () => {
    await using t = await setUp()
    for (let host = 1; host <= 6; host += 1)
      expect(await t.a.ask(`2001:db8:0:1::${String(host)}`)).toBe(0)
    expect(await t.b.ask('2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe(600)
    expect(await t.b.ask('2001:db8:0:2::1')).toBe(0)
    for (let count = 0; count < 6; count += 1) await t.a.ask('192.0.2.1')
    expect(await t.b.ask('::ffff:192.0.2.1')).toBe(600)
  })

  it('come back evenly: one after ten minutes, all of them after an hour', async () => {
    await using t = await setUp()
    for (let count = 0; count < 6; count += 1) await t.a.ask()
    t.clock.at += 4 * MINUTE
    expect(await t.b.ask()).toBe(360)
    t.clock.at += 6 * MINUTE
    expect(await t.b.ask()).toBe(0)
    expect(await t.a.ask()).toBe(600)
    t.clock.at += 60 * MINUTE
    for (let count = 0; count < 6; count += 1) expect(await t.b.ask()).toBe(0)
    expect(await t.b.ask()).toBe(600)
  })
})

it('a refused request writes nothing', async () => {
  await using t = await setUp()
  for (let count = 0; count < 6; count += 1) await t.a.ask()
  const before = await rowsOf(t.a.db)
  t.clock.at += MINUTE
  for (let count = 0; count < 20; count += 1) expect(await t.b.ask()).toBe(540)
  expect(await rowsOf(t.a.db)).toEqual(before)
})

it('an address that has its whole allowance again is removed, and nothing tells it', async () => {
  await using t = await setUp()
  await t.a.ask('192.0.2.1')
  t.clock.at += 5 * MINUTE
  await t.a.ask('a name of any length '.repeat(500))
  expect((await rowsOf(t.a.db)).map(({ source }) => source)).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ])
  t.clock.at += 5 * MINUTE
  const remove = (maxKept: number) =>
    t.a.db.write((tx) => removeAddressLimits(tx, t.clock.at, maxKept))
  expect(await remove(10)).toBe(false)
  expect(await rowsOf(t.a.db)).toHaveLength(1)
})

it('of more addresses than are kept, those with the most left are forgotten', async () => {
  await using t = await setUp()
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    await t.a.ask(address)
    t.clock.at += MINUTE
  }
  for (let count = 0; count < 5; count += 1) await t.a.ask('192.0.2.1')
  await t.a.db.write((tx) => removeAddressLimits(tx, t.clock.at, 1))
  expect(await rowsOf(t.a.db)).toHaveLength(1)
  // It had asked six times: one part of the hour came back in three minutes only.
  expect(await t.b.ask('192.0.2.1')).toBeGreaterThan(0)
})

it('without a limit nothing is stored', async () => {
  await using t = await setUp()
  const none = createAddressLimit(0, {
    db: t.a.db,
    clock: t.clock,
    accountGate: { addressOf: () => '' },
  })
  expect(none).toBeUndefined()
})
