import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAccounts } from '../../src/accounts/accounts.js'
import type { MessageRecord } from '../../src/messages/message-record.js'
import {
  insertMessage,
  listMessages,
  type MessageFilter,
} from '../../src/messages/storage/message-storage.js'
import type { Database } from '../../src/platform/database/database.js'
import { openDatabase } from '../../src/platform/database/open-database.js'
import { openVault } from '../../src/platform/secrets.js'
import { MIGRATIONS } from '../../src/wiring/migrations.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { ENGINE, testDatabase } from '../support/process/test-database.js'
import { reportRow } from '../support/rows/rows.js'

const [FEW, MANY] = [1_000, 100_000]
const BATCH = 1_000
const START = Date.UTC(2026, 0, 1)
/** Ten messages a minute. */
const APART_MS = 6_000
const DAY_MS = 86_400_000
const RUNS = 15
const PAGE = 50

const senderOf = (index: number) => `+1202555${String(1_000 + (index % 4))}`
const recipientOf = (index: number) => `+1303556${String(1_000 + (index % 500))}`
const timeOf = (index: number) => START + index * APART_MS

function messageOf(accountSid: string, index: number): MessageRecord {
  const at = timeOf(index)
  return {
    sid: `SM${accountSid.slice(2, 10)}${String(index).padStart(24, '0')}`,
    accountSid,
    direction: 'outbound-api',
    from: senderOf(index),
    to: recipientOf(index),
    body: `message ${index}`,
    segments: 1,
    subject: undefined,
    numMedia: 0,
    status: 'delivered',
    errorCode: undefined,
    price: 75,
    cost: 75,
    billedSid: accountSid,
    scope: 'campaign:C000001',
    isKeywordAnswer: false,
    statusCallback: undefined,
    applicationSid: undefined,
    sendAt: undefined,
    expiresAt: at + DAY_MS,
    sentAt: at + 100,
    createdAt: at,
    updatedAt: at + 200,
  }
}

async function fill(db: Database, accountSid: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += BATCH)
    await db.write(async (tx) => {
      for (let index = at; index < at + BATCH; index += 1)
        await insertMessage(tx, messageOf(accountSid, index))
    })
}

/** The pages, by what is asked for. */
function pagesOf(accountSid: string, count: number) {
  const middle = { at: timeOf(count / 2), sid: messageOf(accountSid, count / 2).sid }
  const first = { limit: PAGE, offset: 0 }
  const day = { sentFrom: timeOf(count / 2), sentBefore: timeOf(count / 2) + DAY_MS }
  const pair = { from: senderOf(7), to: recipientOf(7) }
  const pages: readonly [string, MessageFilter, Parameters<typeof listMessages>[3]][] = [
    ['first', {}, first],
    ['middle', {}, { ...first, cursor: { ...middle, side: 'after' } }],
    ['sender', { from: pair.from }, first],
    ['recipient', { to: pair.to }, first],
    ['both', pair, first],
    ['day', day, first],
    ['day and recipient', { ...day, to: pair.to }, first],
  ]
  return pages
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN
}

it('lists pages of 100,000 messages beside those of 1,000 [messages-list]', async ({ task }) => {
  using folder = tempFolder()
  await using db = await openDatabase(await testDatabase(folder.path), MIGRATIONS)
  const clock = { now: () => START, monotonic: () => 0 }
  const accounts = createAccounts({ db, vault: openVault(join(folder.path, 'key')), clock })
  const small = await accounts.create({ friendlyName: 'few' })
  const large = await accounts.create({ friendlyName: 'many' })
  await fill(db, small.sid, FEW)
  await fill(db, large.sid, MANY)
  const few = pagesOf(small.sid, FEW)
  for (const [index, [name, filter, page]] of pagesOf(large.sid, MANY).entries()) {
    const list = () => listMessages(db.read, large.sid, filter, page)
    const { items } = await list()
    expect(items.length, name).toBeGreaterThan(0)
    expect(items.map(({ createdAt }) => createdAt)).toEqual(
      items.map(({ createdAt }) => createdAt).toSorted((a, b) => b - a),
    )
    const [, fewFilter = {}, fewPage = page] = few[index] ?? []
    const small1000 = await medianMs(() => listMessages(db.read, small.sid, fewFilter, fewPage))
    reportRow(task, 'messages-list', {
      [`${ENGINE}: ${name}, ms of 1,000 and 100,000`]: `${small1000.toFixed(1)}, ${(await medianMs(list)).toFixed(1)}`,
    })
  }
})
