import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { StorageUnavailableError } from '../../../../src/platform/database/storage-error.js'
import { createLogger } from '../../../../src/platform/log.js'
import type { CallEventEntry } from '../../../../src/voice/events/call-event.js'
import { createEventLog } from '../../../../src/voice/events/event-log.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

const LIMIT_MS = 30_000
/** Longer than entries gather. */
const GATHERED_MS = 1_000

/** The time that entries are gathered. */
const GATHER_MS = 50

const entry = (digits: string): CallEventEntry => ({
  callSid: `CA${'0'.repeat(32)}`,
  accountSid: `AC${'0'.repeat(32)}`,
  kind: 'digits',
  detail: { digits },
})

it('stores what gathers in one commit, in order, and all of it once flushed', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  let commits = 0
  const counting = {
    ...db,
    writeInTurn: <Result>(...asked: Parameters<typeof db.writeInTurn<Result>>) => {
      commits += 1
      return db.writeInTurn(...asked)
    },
  }
  const log = createLogger('silent')
  await using events = createEventLog({ db: counting, clock: systemClock, log })
  const from = performance.now()
  for (const digits of ['1', '2', '3']) {
    events.append(entry(digits))
    await new Promise((resolve) => setImmediate(resolve))
  }
  const gatherings = 1 + Math.floor((performance.now() - from) / GATHER_MS)
  await events.flush()
  const rows = await db.read.selectFrom('call_events').select('detail').orderBy('id').execute()
  expect(rows.map(({ detail }) => detail)).toEqual([
    '{"digits":"1"}',
    '{"digits":"2"}',
    '{"digits":"3"}',
  ])
  // One, unless the machine took longer for three turns than entries are gathered.
  expect(commits).toBeGreaterThan(0)
  expect(commits).toBeLessThanOrEqual(gatherings)
})

it('stores a long backlog completely', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  await using events = createEventLog({ db, clock: systemClock, log: createLogger('silent') })
  const wanted = Array.from({ length: 4_321 }, (_, index) => `{"digits":"${index}"}`)
  for (const index of wanted.keys()) events.append(entry(String(index)))
  await events.flush()
  const rows = await db.read.selectFrom('call_events').select('detail').orderBy('id').execute()
  expect(rows.map(({ detail }) => detail)).toEqual(wanted)
})

it('goes on storing after entries that came while it stored', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  await using events = createEventLog({ db, clock: systemClock, log: createLogger('silent') })
  const stored = async (count: number) => {
    const end = performance.now() + LIMIT_MS
    for (;;) {
      const rows = await db.read.selectFrom('call_events').select('id').execute()
      if (rows.length === count) return
      if (performance.now() > end) throw new Error(`${rows.length} of ${count} entries are stored`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  events.append(entry('1'))
  vi.advanceTimersByTime(GATHERED_MS)
  events.append(entry('2'))
  await stored(2) // The write that had begun took it along.
  vi.advanceTimersByTime(GATHERED_MS)
  events.append(entry('3'))
  vi.advanceTimersByTime(GATHERED_MS)
  await stored(3)
})

it('keeps entries while the database refuses them, and stores them once it takes them', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  let isAway = true
  const awayForNow = {
    ...db,
    writeInTurn: <Result>(...asked: Parameters<typeof db.writeInTurn<Result>>) =>
      isAway ? Promise.reject(new StorageUnavailableError('away')) : db.writeInTurn(...asked),
  }
  await using events = createEventLog({
    db: awayForNow,
    clock: systemClock,
    log: createLogger('silent'),
  })
  const { callSid } = entry('1')
  events.append(entry('1'))
  await events.flush()
  events.append(entry('2'))
  isAway = false
  await expect
    .poll(async () => (await events.list(callSid, { type: 'offset', offset: 0 }, 10)).events)
    .toMatchObject([{ detail: { digits: '1' } }, { detail: { digits: '2' } }])
})
