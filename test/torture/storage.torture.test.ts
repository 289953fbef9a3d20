/** Measures the figures of docs/storage.md: what a call costs the database, and what a move takes. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillCalls } from '../bench/fill-calls.js'
import { startCommand } from '../support/process/command-line.js'
import { tablesOf } from '../support/process/fill-tables.js'
import { type PostgresServer, startPostgres } from '../support/process/postgres-server.js'
import { residentMb } from '../support/process/process-memory.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** So many calls, so many of them under way at once: then writes of one moment meet. */
const RUNS = [
  { calls: 40, lanes: 1 },
  { calls: 400, lanes: 20 },
]
const MILLION = 1_000_000
const POLL = { timeout: 30_000, interval: 100 }
const HOUR_MS = 3_600_000

let postgres: PostgresServer
let app: VoiceApp
beforeAll(async () => {
  postgres = await startPostgres()
  app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say>')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
})

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

async function newDatabase(name: string): Promise<string> {
  await query(postgres.url('postgres'), `create database ${name}`)
  return postgres.url(name)
}

/** What the database holds and has done so far. */
interface Reading {
  readonly rows: ReadonlyMap<string, number>
  /** The size of each table with its indexes. */
  readonly bytes: ReadonlyMap<string, number>
  readonly logBytes: number
  readonly commits: number
}

interface Gauge extends Disposable {
  read(): Promise<Reading>
}

/**
 * Reads an SQLite file. A read that stays open keeps the write-ahead log from being begun anew, so
 * that all commits are in it: a frame whose second word is not zero ends one
 * (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
 */
function sqliteGauge(file: string): Gauge {
  const pinned = new Sqlite(file, { readonly: true })
  const db = new Sqlite(file, { readonly: true })
  db.pragma('busy_timeout = 10000')
  pinned.exec('begin')
  pinned.prepare('select count(*) from calls').get()
  return {
    read: () => {
      const log = readFileSync(`${file}-wal`)
      const frameBytes = 24 + log.readUInt32BE(8)
      let commits = 0
      for (let at = 32; at + frameBytes <= log.length; at += frameBytes)
        if (log.readUInt32BE(at + 4) !== 0) commits += 1
      const count = (table: string) =>
        Number(db.prepare(`select count(*) from "${table}"`).pluck().get())
      return Promise.resolve({
        rows: new Map(tablesOf(db).map((table) => [table, count(table)])),
        bytes: new Map(
          db
            .prepare<[], [string, number]>(
              `select tbl_name, sum(pgsize) from dbstat join sqlite_master using (name) group by 1`,
            )
            .raw()
            .all(),
        ),
        logBytes: log.length,
        commits,
      })
    },
    [Symbol.dispose]: () => {
      db.close()
      pinned.close()
    },
  }
}

/** Reads a PostgreSQL database. Each transaction takes an id, reads alone do not. */
function postgresGauge(url: string): Gauge {
  const number = async (expression: string) =>
    Number((await query<{ value: string }>(url, `select (${expression})::text as value`))[0]?.value)
  return {
    read: async () => {
      const tables = await query<{ name: string; bytes: string }>(
        url,
        `select relname as name, pg_total_relation_size(oid)::text as bytes from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r'`,
      )
      const rows = new Map<string, number>()
      for (const { name } of tables) rows.set(name, await number(`select count(*) from "${name}"`))
      return {
        rows,
        bytes: new Map(tables.map(({ name, bytes }) => [name, Number(bytes)])),
        logBytes: await number("pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"),
        commits: await number('select pg_snapshot_xmax(pg_current_snapshot())'),
      }
    },
    [Symbol.dispose]: () => undefined,
  }
}

/** An ordinary call: placed by REST, its document fetched, one verb, four status callbacks. */
async function placeCall(trunkline: RunningTrunkline): Promise<void> {
  const { sid } = await trunkline.createCall({
    To: '+15005550003',
    From: '+15005550000',
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/status`,
    StatusCallbackEvent: 'initiated ringing answered completed',
  })
  await app.completed(sid)
}

async function placeCalls(
  trunkline: RunningTrunkline,
  { calls, lanes }: (typeof RUNS)[number],
): Promise<void> {
  let left = calls
  const lane = async () => {
    while (left > 0) {
      left -= 1
      await placeCall(trunkline)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

function report(title: string, calls: number, before: Reading, after: Reading): void {
  const per = (of: (reading: Reading) => number) => (of(after) - of(before)) / calls
  const tables = [...after.rows].flatMap(([table, count]) => {
    const rows = (count - (before.rows.get(table) ?? 0)) / calls
    const bytes = per((each) => each.bytes.get(table) ?? 0)
    return rows === 0 ? [] : [`${table} ${rows.toFixed(2)} (${inKilobytes(bytes)})`]
  })
  say(
    `${title}: ${per((each) => each.commits).toFixed(1)} commits, ` +
      `${inKilobytes(per((each) => each.logBytes))} of log; rows: ${tables.join(', ')}`,
  )
}

function inKilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`
}

describe('an ordinary call', () => {
  it.each(['sqlite', 'postgres'])('costs so much on %s', async (engine) => {
    using folder = tempFolder()
    const dataDir = join(folder.path, 'data')
    const url = engine === 'postgres' ? await newDatabase('cost') : ''
    await using trunkline = await startTrunkline({ DATA_DIR: dataDir, DATABASE_URL: url })
    await placeCall(trunkline)
    for (const run of RUNS) {
      using gauge = url === '' ? sqliteGauge(join(dataDir, 'trunkline.db')) : postgresGauge(url)
      const before = await gauge.read()
      await placeCalls(trunkline, run)
      // The last callbacks are being marked as delivered.
      await expect
        .poll(async () => (await trunkline.metrics())['callbacks_in_flight'], POLL)
        .toBe(0)
      report(`${engine}, ${run.lanes} at once`, run.calls, before, await gauge.read())
    }
  })
})

it('a database of a million calls moves in minutes with bounded memory', {
  timeout: HOUR_MS,
}, async () => {
  using folder = tempFolder()
  const dataDir = join(folder.path, 'data')
  const accountSid = `AC${randomBytes(16).toString('hex')}`
  {
    await using _trunkline = await startTrunkline({
      DATA_DIR: dataDir,
      FIRST_ACCOUNT_SID: accountSid,
    })
    const calls = { accountSid, from: 0, until: MILLION, startAt: 1_600_000_000_000 }
    fillCalls(join(dataDir, 'trunkline.db'), calls)
  }
  const url = await newDatabase('moved')
  const move = startCommand(['database', 'move', '--json', '--to', url], { DATA_DIR: dataDir })
  let peakMb = 0
  const watch = setInterval(() => {
    if (move.process.pid !== undefined && move.process.exitCode === null)
      peakMb = Math.max(peakMb, residentMb(move.process.pid))
  }, 200)
  const { code, out, err } = await move.ended
  clearInterval(watch)
  expect(code, err).toBe(0)
  say(`a million calls: ${out.trim()}, peak ${peakMb} MB`)
  expect(peakMb).toBeLessThan(400)
  const [row] = await query<{ count: string }>(url, 'select count(*) from calls')
  expect(row?.count).toBe(String(MILLION))
})
