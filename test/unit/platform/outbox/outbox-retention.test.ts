import { expect, it } from 'vitest'
import { createLogger } from '../../../../src/platform/log.js'
import { createOutboxRetention } from '../../../../src/platform/outbox/outbox-retention.js'
import { DatabaseOutboxStore } from '../../../../src/platform/outbox/outbox-store.js'
import { replayDead } from '../../../../src/platform/outbox/stream-operations.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

it('removes what was delivered a day ago and given up a week ago, little by little, and nothing else', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  let now = 0
  const clock = { now: () => now, monotonic: () => performance.now() }
  const store = new DatabaseOutboxStore({ db, clock, node: 'a', channelOf: () => undefined })
  const enqueue = async (at: number, state: 'pending' | 'delivered' | 'dead', count: number) => {
    now = at
    const row = { channel: 'test', accountSid: 'AC1', kind: state, payload: {} } as const
    const rows = Array.from({ length: count }, (_, i) => ({
      ...row,
      stream: `${state}-${at}-${i}`,
    }))
    await db.write(async (tx) => {
      await store.insert(tx, rows)
      await tx.updateTable('outbox').set({ state }).where('kind', '=', state).execute()
    })
  }
  await enqueue(0, 'delivered', 1_200)
  await enqueue(0, 'dead', 3)
  await enqueue(0, 'pending', 2)
  await enqueue(6 * DAY_MS, 'dead', 4)
  await enqueue(8 * DAY_MS - HOUR_MS, 'delivered', 5)
  now = 8 * DAY_MS

  const pass = createOutboxRetention({ db, clock, log: createLogger('silent') })
  const counts = async () => {
    const rows = await db.read
      .selectFrom('outbox')
      .select(['kind', (all) => all.fn.countAll<number>().as('count')])
      .groupBy('kind')
      .execute()
    return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
  }
  expect(await pass()).toBe(true)
  expect(await counts()).toEqual({ delivered: 705, dead: 7, pending: 2 })
  expect(await pass()).toBe(true)
  expect(await pass()).toBe(false)
  expect(await counts()).toEqual({ delivered: 5, dead: 4, pending: 2 })
  // The next round begins anew and finds the dead of the second batch, once they are old enough.
  now = 14 * DAY_MS
  expect(await pass()).toBe(false)
  expect(await counts()).toEqual({ pending: 2 })
})

it('leaves a given-up row that was put back into its stream at the same moment', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  const clock = { now: () => 8 * DAY_MS, monotonic: () => performance.now() }
  const born = { now: () => 0, monotonic: () => performance.now() }
  const store = new DatabaseOutboxStore({ db, clock: born, node: 'a', channelOf: () => undefined })
  await db.write(async (tx) => {
    const row = { channel: 'test', stream: 'S', accountSid: 'AC1', kind: 'k', payload: {} }
    await store.insert(tx, [row])
    await tx.updateTable('outbox').set({ state: 'dead' }).execute()
  })
  // The pass has found the row when the replay commits.
  const replayedMeanwhile: typeof db = {
    ...db,
    write: async (...asked) => {
      await db.write((tx) => replayDead(tx, 'S', 8 * DAY_MS))
      return await db.write(...asked)
    },
  }
  const log = createLogger('silent')
  await createOutboxRetention({ db: replayedMeanwhile, clock, log })()
  const rows = await db.read.selectFrom('outbox').select('state').execute()
  expect(rows).toEqual([{ state: 'pending' }])
})
