import { expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createLogger } from '../../../../src/platform/log.js'
import type { Channel } from '../../../../src/platform/outbox/channel.js'
import { Outbox } from '../../../../src/platform/outbox/outbox.js'
import type { NewOutboxRow } from '../../../../src/platform/outbox/outbox-row.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

type Item = Omit<NewOutboxRow, 'channel'>

const channel = (name: string): Channel<Item> => ({
  name,
  toRow: (item) => item,
  deliver: () => Promise.resolve({ type: 'aborted' }),
  nextAttemptAt: () => undefined,
})

it('counts the streams that wait in each channel, and the age of the oldest', async () => {
  using folder = tempFolder()
  await using db = await openTestDatabase(folder.path)
  const log = createLogger('silent')
  await using outbox = new Outbox({ db, clock: systemClock, random: () => 0, log })
  const mails = outbox.open(channel('mails'))
  outbox.open(channel('callbacks'))
  const item = (stream: string): Item => ({ stream, accountSid: 'AC1', kind: 'mail', payload: {} })
  // Two items of one stream are delivered one after the other, so that one of them is due.
  await db.write((tx) => mails.enqueue(tx, [item('one'), item('one'), item('two')]))
  expect(await outbox.queues(systemClock.now() + 60_000)).toEqual([
    { channel: 'mails', pending: 2, oldestMs: expect.closeTo(60_000, -4) as number },
    { channel: 'callbacks', pending: 0, oldestMs: 0 },
  ])
})
