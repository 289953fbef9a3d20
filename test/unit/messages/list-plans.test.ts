import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  listMessages,
  type MessageFilter,
  waitingMessages,
} from '../../../src/messages/storage/message-storage.js'
import { type NotedDatabase, openNotedDatabase } from '../../support/process/query-plans.js'

const DAY_MS = 86_400_000
const SENT = Date.UTC(2026, 10, 16)
const [FROM, TO] = ['+12025550111', '+13035550142']

let db: NotedDatabase
beforeEach(async () => {
  db = await openNotedDatabase()
})
afterEach(() => db[Symbol.asyncDispose]())

const day = { sentFrom: SENT, sentBefore: SENT + DAY_MS }

it.each<[string, MessageFilter, RegExp]>([
  ['nothing', {}, /messages_by_(?:account|pair) \(accountSid=\?/],
  ['the recipient', { to: TO }, /messages_by_to \(accountSid=\? AND toNumber=\?/],
  ['the sender', { from: FROM }, /messages_by_from \(accountSid=\? AND fromNumber=\?/],
  [
    'both',
    { from: FROM, to: TO },
    /messages_by_pair \(accountSid=\? AND fromNumber=\? AND toNumber=\?/,
  ],
  ['a day', day, /messages_by_account \(accountSid=\? AND .*createdAt/],
  ['a day and the recipient', { ...day, to: TO }, /messages_by_to \(accountSid=\? AND toNumber=\?/],
  [
    'a day and both',
    { ...day, from: FROM, to: TO },
    /messages_by_pair \(accountSid=\? AND fromNumber=\? AND toNumber=\?/,
  ],
])('a list by %s is read from an index in its order, at any depth', async (_title, filter, index) => {
  const last = { at: SENT, sid: 'SM0' }
  for (const side of [undefined, 'after', 'before'] as const) {
    const cursor = side === undefined ? undefined : { ...last, side }
    await listMessages(db.reader, 'AC1', filter, { limit: 50, offset: 0, cursor })
  }
  const steps = db
    .plans()
    .filter((step) => step !== 'SCAN counted' && !/^(?:CO-ROUTINE|MATERIALIZE)/.test(step))
  expect(steps.length).toBeGreaterThan(0)
  for (const step of steps) expect(step).toMatch(/^SEARCH messages USING /)
  expect(steps.filter((step) => !index.test(step))).toEqual([])
})

it('the messages that a STOP ends are found in an index, however many others wait', async () => {
  await waitingMessages(db.reader, { scope: 'campaign:C123456', number: FROM }, TO)
  const steps = db.plans()
  const searches = steps.filter((step) => step.startsWith('SEARCH message_queue'))
  expect(searches[0]).toMatch(/USING INDEX .*recipient=\? AND scope=\?/)
  expect(searches[1]).toMatch(/USING INDEX .*\(pair=\?/)
  expect(steps.join()).not.toMatch(/SCAN|TEMP B-TREE/)
})
