import { expect, it } from 'vitest'
import { jsonAtRest } from '../../../../src/platform/database/at-rest.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/log.js'
import type { Delivery } from '../../../../src/platform/outbox/channel.js'
import { type ChannelOutbox, Outbox } from '../../../../src/platform/outbox/outbox.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

const RETRY_MS = 3_600_000
const ok: Delivery = { type: 'delivered', status: 200, error: undefined }
const failed: Delivery = { type: 'failed', status: 503, error: 'e' }
const refused: Delivery = { type: 'refused', status: 404, error: 'e' }

interface Harness extends AsyncDisposable {
  readonly db: Database
  readonly outbox: Outbox
  readonly letters: ChannelOutbox<string>
  /** What was delivered or tried, in order. */
  readonly seen: string[]
  readonly clock: { now: () => number }
  answer: (letter: string) => Delivery
  turn(ms: number): void
}

/** A channel whose items are letters of one stream, on a clock that stands still. */
async function setUp(): Promise<Harness> {
  const folder = tempFolder()
  const db = await openTestDatabase(folder.path)
  let now = 1_000_000
  const clock = { now: () => now, monotonic: () => performance.now() }
  const outbox = new Outbox({ db, clock, random: () => 0, log: createLogger('silent') })
  const seen: string[] = []
  const letters = outbox.open<string>({
    name: 'letter',
    toRow: (letter) => ({ stream: 'S', accountSid: 'AC1', kind: letter, payload: letter }),
    deliver: ({ payload }) => {
      seen.push(String(payload))
      return Promise.resolve(harness.answer(String(payload)))
    },
    nextAttemptAt: (_row, at) => at + RETRY_MS,
  })
  outbox.start()
  const harness: Harness = {
    db,
    outbox,
    letters,
    seen,
    clock,
    answer: () => ok,
    turn: (ms) => {
      now += ms
    },
    [Symbol.asyncDispose]: async () => {
      await outbox[Symbol.asyncDispose]()
      await db[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
  return harness
}

const send = (t: Harness, ...letters: string[]) =>
  t.letters.commit((_tx, enqueue) => enqueue(letters))

it('delivers what a commit enqueued, in order, and resolves with what the work said', async () => {
  await using t = await setUp()
  const result = await t.letters.commit(async (_tx, enqueue) => {
    await enqueue(['a', 'b'])
    return 7
  })
  await t.outbox.settled()
  expect(result).toBe(7)
  expect(t.seen).toEqual(['a', 'b'])
})

it('makes what waits for a retry due for one destination', async () => {
  await using t = await setUp()
  t.answer = () => failed
  await send(t, 'a', 'b')
  await t.outbox.settled()
  await t.outbox.settled()
  expect(t.seen).toEqual(['a'])
  t.answer = () => ok
  await t.db.write((tx) => t.letters.makeDue(tx, 'S'))
  await t.outbox.settled()
  expect(t.seen).toEqual(['a', 'a', 'b'])
})

it('replays what was given up, in its old order, with all its attempts', async () => {
  await using t = await setUp()
  t.answer = (letter) => (letter === 'd' ? ok : refused)
  await send(t, 'a', 'b', 'c', 'd')
  await t.outbox.settled()
  expect(t.seen).toEqual(['a', 'b', 'c', 'd'])
  t.answer = () => ok
  expect(await t.db.write((tx) => t.letters.replay(tx, 'S'))).toBe(3)
  await t.outbox.settled()
  expect(t.seen.slice(4)).toEqual(['a', 'b', 'c'])
  expect(await t.db.write((tx) => t.letters.replay(tx, 'S'))).toBe(0)
})

it('lets what is being delivered end before what is replayed', async () => {
  await using t = await setUp()
  t.answer = (letter) => (letter === 'a' ? refused : failed)
  await send(t, 'a', 'b', 'c')
  await t.outbox.settled()
  expect(t.seen).toEqual(['a', 'b'])
  t.answer = () => ok
  await t.db.write((tx) => t.letters.replay(tx, 'S'))
  t.turn(RETRY_MS)
  await t.outbox.settled()
  expect(t.seen.slice(2)).toEqual(['b', 'a', 'c'])
})

it('drops a stream, and delivers what comes later', async () => {
  await using t = await setUp()
  t.answer = () => failed
  await send(t, 'a', 'b')
  await t.outbox.settled()
  await t.db.write((tx) => t.letters.drop(tx, 'S'))
  t.answer = () => ok
  await send(t, 'c')
  t.turn(RETRY_MS)
  await t.outbox.settled()
  expect(t.seen).toEqual(['a', 'c'])
})

it('brings the retries of a channel forward', async () => {
  await using t = await setUp()
  t.answer = () => failed
  await send(t, 'a')
  await t.outbox.settled()
  t.answer = () => ok
  await t.db.write((tx) => t.letters.bringForward(tx, RETRY_MS - 1))
  await t.outbox.settled()
  expect(t.seen).toEqual(['a'])
  await t.db.write((tx) => t.letters.bringForward(tx, 1))
  await t.outbox.settled()
  expect(t.seen).toEqual(['a', 'a'])
})

it('delivers nothing before it is started, then all that waits', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  const clock = { now: () => 1_000, monotonic: () => performance.now() }
  const outbox = new Outbox({ db, clock, random: () => 0, log: createLogger('silent') })
  await using _closed = outbox
  const seen: string[] = []
  const letters = outbox.open<string>({
    name: 'letter',
    toRow: (letter) => ({ stream: letter, accountSid: 'AC1', kind: letter, payload: letter }),
    deliver: ({ kind }) => {
      seen.push(kind)
      return Promise.resolve(ok)
    },
    nextAttemptAt: () => undefined,
  })
  await letters.commit((_tx, enqueue) => enqueue(['a', 'b']))
  await outbox.settled()
  expect(seen).toEqual([])
  outbox.start()
  await outbox.settled()
  expect(seen.toSorted()).toEqual(['a', 'b'])
})

it('gives up rows of a channel that this version does not have', async () => {
  await using t = await setUp()
  await t.db.write((tx) =>
    tx
      .insertInto('outbox')
      .values({
        ...{
          channel: 'telex',
          stream: 'T',
          accountSid: 'AC1',
          kind: 'x',
          payload: jsonAtRest({}),
        },
        ...{ idempotencyToken: 't', createdAt: 0, state: 'pending', nextAttemptAt: 0 },
        ...{ attempts: 0, claimedBy: null, claimedUntil: null },
        ...{ lastStatus: null, lastError: null },
      })
      .execute(),
  )
  await t.outbox.settled()
  const row = await t.db.read.selectFrom('outbox').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ state: 'dead', lastError: 'there is no channel telex' })
})
