import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { checkLedger } from '../../../src/ledger/check-ledger.js'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { type Database } from '../../../src/platform/database/database.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { priceOf } from '../../../src/rating/settle-call.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { tempFolder } from '../process/temp-folder.js'
import { ENGINE, testDatabase } from '../process/test-database.js'
import { ACCOUNTS, callOf, FUNDS } from './billing-plan.mjs'
import { quietLedger } from './quiet-ledger.js'

const WORKER = fileURLToPath(new URL('billing-worker.mjs', import.meta.url))
const KILLS = 3
/** Number of nodes: SQLite has one owner; two nodes share PostgreSQL. */
const NODES = ENGINE === 'postgres' ? 2 : 1

/** Settles `calls` calls, eight at once per node, with three `kill -9` in between. */
export function describeBillingKill(calls: number, timeoutMs: number): void {
  it(
    `${calls} calls at once, with three kill -9: ledger, records and balances add up to the last unit`,
    async () => {
      using folder = tempFolder()
      const place = await testDatabase(folder.path)
      await withDatabase(place, fund)
      for (let kill = 1; kill <= KILLS; kill += 1)
        await runWorkers(place, calls, Math.floor(calls / (KILLS + 1)))
      await runWorkers(place, calls, undefined)
      await withDatabase(place, (db) => expectAllOnce(db, calls))
    },
    timeoutMs,
  )
}

async function withDatabase(place: string, work: (db: Database) => Promise<void>): Promise<void> {
  await using db = await openDatabase(place, MIGRATIONS, 'test')
  await work(db)
}

async function fund(db: Database): Promise<void> {
  const ledger = quietLedger()
  for (const accountSid of ACCOUNTS)
    await db.write((tx) =>
      ledger.post(tx, {
        key: `fund:${accountSid}`,
        accountSid,
        cause: 'payment',
        reference: '',
        amount: FUNDS,
        description: '',
        at: 1,
      }),
    )
}

/** Runs a worker per node; kills all once this run has settled `killAfter` calls. */
async function runWorkers(
  place: string,
  calls: number,
  killAfter: number | undefined,
): Promise<void> {
  let settled = 0
  const workers: ChildProcess[] = []
  for (let node = 0; node < NODES; node += 1) {
    const [from, to] = [node, node + 1].map((part) => Math.floor((calls * part) / NODES))
    const args = [WORKER, place, `node-${node}`, String(from), String(to)]
    const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    worker.stdout.on('data', (chunk: Buffer) => {
      settled += chunk.toString().split('\n').length - 1
      if (killAfter !== undefined && settled >= killAfter)
        for (const each of workers) each.kill('SIGKILL')
    })
    workers.push(worker)
  }
  const codes = await Promise.all(workers.map((worker) => once(worker, 'exit')))
  if (killAfter === undefined)
    expect(codes.map(([code]) => code as number)).toEqual(workers.map(() => 0))
}

async function expectAllOnce(db: Database, calls: number): Promise<void> {
  const plan = Array.from({ length: calls }, (_, index) => callOf(index))
  const prices = plan.map((call) => ({ ...call, price: priceOf(call.terms, call) }))
  const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, each) => sum + each, 0)
  expect(await checkLedger(db.read)).toEqual([])
  for (const accountSid of ACCOUNTS) {
    const own = prices.filter((call) => call.accountSid === accountSid)
    const spent = sumOf(own.map(({ price }) => price))
    expect(await balanceOf(db.read, accountSid)).toEqual({ amount: FUNDS - spent, reserved: 0 })
    const cdrs = await db.read
      .selectFrom('cdrs')
      .select('amount')
      .where('accountSid', '=', accountSid)
      .execute()
    expect(cdrs).toHaveLength(own.length)
    expect(sumOf(cdrs.map(({ amount }) => amount))).toBe(spent)
  }
  const entries = await db.read
    .selectFrom('ledger_entries')
    .select('entryKey')
    .where('cause', '=', 'call')
    .execute()
  expect(new Set(entries.map(({ entryKey: key }) => key)).size).toBe(entries.length)
  expect(entries).toHaveLength(prices.filter(({ price }) => price > 0).length)
  expect(await db.read.selectFrom('ledger_reservations').selectAll().execute()).toEqual([])
}
