import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createAccounts } from '../../../src/accounts/accounts.js'
import { checkLedger } from '../../../src/ledger/check-ledger.js'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { holdNumber } from '../../../src/numbers/held-numbers.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { newSid } from '../../../src/platform/ids.js'
import { openVault } from '../../../src/platform/secrets.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { quietLedger } from '../billing/quiet-ledger.js'
import { tempFolder } from '../process/temp-folder.js'
import { ENGINE, testDatabase } from '../process/test-database.js'
import { reportRow } from '../rows/rows.js'
import { FUNDS, messageOf, PAIRS, SEGMENT, SENDERS } from './message-plan.mjs'

const WORKER = fileURLToPath(new URL('message-worker.mjs', import.meta.url))
/** Number of nodes: SQLite has one owner; two nodes share PostgreSQL. */
const NODES = ENGINE === 'postgres' ? 2 : 1
const CAPABILITIES = { voice: true, sms: true, mms: false, fax: false }
/** Millionths of a dollar per unit of the ledger. */
const MICROS_PER_UNIT = 100

interface Kill {
  readonly after: 'made' | 'taken'
  readonly count: number
}

export interface KilledMessages {
  readonly messages: number
  /** Rate of the campaign, segments per minute. */
  readonly perMinute: number
  readonly timeoutMs: number
}

/** Sends messages through the simulated carrier, with three `kill -9` in between. */
export function describeMessageKill({ messages, perMinute, timeoutMs }: KilledMessages): void {
  it(
    `${messages} messages with three kill -9: none lost, none doubled, in order, charged once`,
    async ({ task }) => {
      const startedAt = performance.now()
      using folder = tempFolder()
      const place = await testDatabase(folder.path)
      const sid = await withDatabase(place, (db) => prepare(db, folder.path))
      const args = [sid, String(messages), String(NODES), String(perMinute)]
      const kills: readonly Kill[] = [
        { after: 'made', count: Math.floor(messages / 2) },
        { after: 'taken', count: Math.floor(messages / 5) },
        { after: 'taken', count: Math.floor(messages / 5) },
      ]
      for (const kill of kills) await runWorkers(place, args, kill)
      await runWorkers(place, args, undefined)
      await withDatabase(place, (db) => expectAllOnce(db, sid, messages))
      const seconds = Math.round((performance.now() - startedAt) / 1_000)
      reportRow(task, 'messages-kill', {
        [`${ENGINE}: messages`]: messages,
        [`${ENGINE}: nodes killed`]: kills.length * NODES,
        [`${ENGINE}: seconds`]: seconds,
      })
    },
    timeoutMs,
  )
}

async function withDatabase<Result>(
  place: string,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  await using db = await openDatabase(place, MIGRATIONS, 'test')
  return await work(db)
}

/** Creates an account with numbers and a balance; resolves with its sid. */
async function prepare(db: Database, folder: string): Promise<string> {
  const now = 1
  const clock = { now: () => now, monotonic: () => now }
  const vault = openVault(join(folder, 'vault.key'))
  const { sid: accountSid } = await createAccounts({ db, vault, clock }).create({
    friendlyName: 'test',
  })
  const ledger = quietLedger()
  await db.write(async (tx) => {
    for (const e164 of SENDERS) {
      const wanted = { sid: newSid('PN'), accountSid, e164, capabilities: CAPABILITIES }
      await holdNumber(tx, wanted, now)
    }
    await changeAccountRates(tx, accountSid, { sms: SEGMENT * MICROS_PER_UNIT }, now)
    await ledger.post(tx, {
      key: 'fund',
      accountSid,
      cause: 'payment',
      reference: '',
      amount: FUNDS,
      description: '',
      at: now,
    })
  })
  return accountSid
}

/** Runs a worker per node, and kills all at the configured moment. */
async function runWorkers(
  place: string,
  args: readonly string[],
  kill: Kill | undefined,
): Promise<void> {
  let seen = 0
  const workers: ChildProcess[] = []
  for (let node = 0; node < NODES; node += 1) {
    const worker = spawn(process.execPath, [WORKER, place, String(node), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    worker.stdout.on('data', (chunk: Buffer) => {
      if (kill === undefined) return
      seen += chunk.toString().split(kill.after).length - 1
      if (seen >= kill.count) for (const each of workers) each.kill('SIGKILL')
    })
    workers.push(worker)
  }
  const codes = await Promise.all(workers.map((worker) => once(worker, 'exit')))
  if (kill === undefined)
    expect(codes.map(([code]) => code as number)).toEqual(workers.map(() => 0))
}

async function expectAllOnce(db: Database, accountSid: string, count: number): Promise<void> {
  const plan = Array.from({ length: count }, (_, index) => messageOf(index))
  const stored = await db.read.selectFrom('messages').selectAll().execute()
  const taken = await db.read.selectFrom('simulated_messages').selectAll().execute()
  expect(stored.map(({ body }) => body).toSorted()).toEqual(plan.map(({ body }) => body).toSorted())
  expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(['delivered']))
  expect(taken.map(({ sid }) => sid).toSorted()).toEqual(stored.map(({ sid }) => sid).toSorted())
  const takenAt = new Map(taken.map(({ sid, createdAt: at }) => [sid, at]))
  const bodies = new Map(stored.map((row) => [row.body, takenAt.get(row.sid) ?? Number.NaN]))
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const times = plan.filter((each) => each.pair === pair).map(({ body }) => bodies.get(body))
    expect(times, `the messages of pair ${pair}`).toEqual(times.toSorted((a = 0, b = 0) => a - b))
  }
  const segments = plan.reduce((sum, each) => sum + each.segments, 0)
  expect(stored.reduce((sum, each) => sum + each.segments, 0)).toBe(segments)
  expect(await checkLedger(db.read)).toEqual([])
  expect(await balanceOf(db.read, accountSid)).toEqual({
    amount: FUNDS - segments * SEGMENT,
    reserved: 0,
  })
  expect(await db.read.selectFrom('ledger_reservations').selectAll().execute()).toEqual([])
}
