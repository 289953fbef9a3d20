/** Two nodes share a database, which an SQLite database never is: these run on PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { createLogger } from '../../../../src/platform/log.js'
import type { CallEventEntry } from '../../../../src/voice/events/call-event.js'
import { createEventLog } from '../../../../src/voice/events/event-log.js'
import { listEvents } from '../../../../src/voice/events/event-storage.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

const LIMIT_MS = 25_000

const entry = (digits: string): CallEventEntry => ({
  callSid: `CA${'0'.repeat(32)}`,
  accountSid: `AC${'0'.repeat(32)}`,
  kind: 'digits',
  detail: { digits },
})

/** Commits come late, by as much as a busy disk or a paused process makes them. */
const lateCommits = (db: Database): Database => ({
  ...db,
  writeInTurn: (turn, work) =>
    db.writeInTurn(turn, async (tx) => {
      const result = await work(tx)
      await sleep(Math.random() * 40)
      return result
    }),
})

it('every event of two nodes is shown once, to a reader and in the stream', async () => {
  using folder = tempFolder()
  const place = await testDatabase(folder.path)
  await using a = await openDatabase(place, MIGRATIONS, 'a')
  await using b = await openDatabase(place, MIGRATIONS, 'b')
  const log = createLogger('silent')
  await using one = createEventLog({ db: lateCommits(a), clock: systemClock, log })
  await using other = createEventLog({ db: lateCommits(b), clock: systemClock, log })
  const streamed: string[] = []
  const digitsOf = ({ detail }: { readonly detail: Readonly<Record<string, unknown>> }) =>
    String(detail['digits'])
  const stop = one.onEvent((event) => streamed.push(digitsOf(event)))
  const wanted = Array.from({ length: 60 }, (_, index) => String(index))
  const seen: string[] = []
  const { callSid } = entry('0')
  const read = async () => {
    let last = 0
    const end = performance.now() + LIMIT_MS
    while (seen.length < wanted.length && performance.now() < end) {
      const { events } = await listEvents(a.read, callSid, { type: 'after', id: last }, 5)
      last = events.at(-1)?.id ?? last
      seen.push(...events.map(digitsOf))
    }
  }
  const write = async () => {
    for (const digits of wanted) {
      const log = Number(digits) % 2 === 0 ? one : other
      log.append(entry(digits))
      void log.flush()
      await sleep(10)
    }
  }
  await Promise.all([read(), write()])
  expect(seen.toSorted((x, y) => Number(x) - Number(y))).toEqual(wanted)
  await expect
    .poll(() => streamed.toSorted((x, y) => Number(x) - Number(y)), { timeout: LIMIT_MS })
    .toEqual(wanted)
  stop()
})
