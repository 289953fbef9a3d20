import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { Migration } from '../../../../../src/platform/database/migration.js'
import { moveDatabase } from '../../../../../src/platform/database/move-database.js'
import type { MoveProgress } from '../../../../../src/platform/database/moving/move-meter.js'
import { openDatabase } from '../../../../../src/platform/database/open-database.js'
import { MIGRATIONS } from '../../../../../src/wiring/migrations.js'
import { fillTables, tablesOf } from '../../../../support/process/fill-tables.js'
import { tempFolder } from '../../../../support/process/temp-folder.js'
import { testDatabase } from '../../../../support/process/test-database.js'

const ROWS_EACH = 7

/** An SQLite file with rows in every table, and the URL of an empty PostgreSQL database. */
async function twoDatabases(folder: string, rowsEach = ROWS_EACH) {
  const file = join(folder, 'trunkline.db')
  await (await openDatabase(file, MIGRATIONS))[Symbol.asyncDispose]()
  if (rowsEach > 0) fillTables(file, rowsEach)
  return { file, url: await testDatabase(folder, 'empty') }
}

const move = (
  place: { readonly file: string; readonly url: string },
  changes: { readonly node?: string; readonly onProgress?: (at: MoveProgress) => void } = {},
) =>
  moveDatabase({
    ...place,
    migrations: MIGRATIONS,
    node: 'node-a',
    onProgress: () => undefined,
    ...changes,
  })

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Rows as texts, sorted: what a person would compare. */
const sorted = (rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] =>
  rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)),
        (_key, value) =>
          typeof value === 'bigint' || typeof value === 'number'
            ? String(value)
            : (value as unknown),
      ),
    )
    .toSorted()

function sqliteRows(file: string): ReadonlyMap<string, readonly string[]> {
  const db = new Sqlite(file, { readonly: true })
  db.defaultSafeIntegers(true)
  try {
    return new Map(
      tablesOf(db).map((table) => [
        table,
        sorted(db.prepare<[], Record<string, unknown>>(`select * from "${table}"`).all()),
      ]),
    )
  } finally {
    db.close()
  }
}

const postgresRows = (url: string, tables: Iterable<string>) =>
  withClient(url, async (client) => {
    const found = new Map<string, readonly string[]>()
    for (const table of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from "${table}"`)
      found.set(table, sorted(rows))
    }
    return found
  })

describe('a database that is moved', () => {
  it('has every row of every table afterwards', async () => {
    using folder = tempFolder()
    const place = await twoDatabases(folder.path)
    const before = sqliteRows(place.file)
    for (const [table, rows] of before) expect(rows.length, table).toBeGreaterThan(0)
    const seen: MoveProgress[] = []

    const moved = await move(place, { onProgress: (at) => seen.push(at) })

    expect(await postgresRows(place.url, before.keys())).toEqual(before)
    expect(sqliteRows(place.file)).toEqual(before)
    const rows = [...before.values()].reduce((sum, each) => sum + each.length, 0)
    expect(moved).toMatchObject({ tables: before.size, rows, isResumed: false })
    for (const step of ['copying', 'verifying'] as const) {
      const complete = seen.filter((at) => at.step === step && at.rows === at.ofRows)
      expect(complete.map(({ table }) => table).toSorted()).toEqual([...before.keys()].toSorted())
    }
  })

  it('counts ids and calls on from there', async () => {
    using folder = tempFolder()
    const place = await twoDatabases(folder.path)
    await move(place)
    await using db = await openDatabase(place.url, MIGRATIONS)
    const account = await db.read.selectFrom('accounts').select('sid').executeTakeFirstOrThrow()
    const callsOf = async () =>
      (
        await db.read
          .selectFrom('call_counts')
          .select('calls')
          .where('accountSid', '=', account.sid)
          .executeTakeFirstOrThrow()
      ).calls
    const before = await callsOf()
    await db.write(async (tx) => {
      await sql`insert into calls (sid, "accountSid", node, direction, "toAddress", "fromAddress", status,
        "queueMs", plan, "callbackCount", "createdAt", "updatedAt")
        values ('CAnew', ${account.sid}, 'n', 'inbound', '+1', '+2', 'queued', 0, '{}', 0, 1, 1)`.execute(
        tx,
      )
    })
    expect(await callsOf()).toBe(before + 1)
    const { id } = await db.write((tx) =>
      tx
        .insertInto('call_events')
        .values({
          callSid: 'CAnew',
          accountSid: account.sid,
          node: 'n',
          at: 1,
          kind: 'k',
          detail: '{}',
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    )
    expect(id).toBe(ROWS_EACH + 1)
  })

  it('has U+FFFD for what no PostgreSQL text can hold', async () => {
    using folder = tempFolder()
    const place = await twoDatabases(folder.path, 0)
    const db = new Sqlite(place.file)
    const insert = db.prepare(`insert into queues values (?, 'AC', cast(? as text), 1, 1, 1)`)
    insert.run('nul', Buffer.from('c\0d'))
    insert.run('broken', Buffer.from([0x61, 0xff, 0x62]))
    insert.run('cut', Buffer.from([0x61, 0xe6, 0xbc]))
    db.close()
    await move(place)
    const { rows } = await withClient(place.url, (client) =>
      client.query<{ sid: string; friendlyName: string }>(
        'select sid, "friendlyName" from queues order by sid',
      ),
    )
    expect(rows).toEqual([
      { sid: 'broken', friendlyName: 'a\uFFFDb' },
      { sid: 'cut', friendlyName: 'a\uFFFD' },
      { sid: 'nul', friendlyName: 'c\uFFFDd' },
    ])
  })
})

it('bytes are moved as they are', async () => {
  using folder = tempFolder()
  const blobs: Migration = {
    name: 'blobs/1',
    statements: ({ serial }) => `create table blobs (
      id ${serial},
      content bytea
    );`,
  }
  const file = join(folder.path, 'trunkline.db')
  await (await openDatabase(file, [blobs]))[Symbol.asyncDispose]()
  const every = Buffer.from(Array.from({ length: 256 }, (_value, byte) => byte))
  const db = new Sqlite(file)
  const insert = db.prepare('insert into blobs (content) values (?)')
  for (const content of [every, Buffer.alloc(0), null]) insert.run(content)
  db.close()
  const url = await testDatabase(folder.path, 'empty')
  const onProgress = () => undefined
  await moveDatabase({ file, url, migrations: [blobs], node: 'node-a', onProgress })
  const { rows } = await withClient(url, (client) =>
    client.query<{ content: Buffer | null }>('select content from blobs order by id'),
  )
  expect(rows.map(({ content }) => content)).toEqual([every, Buffer.alloc(0), null])
})

describe('a move that was cut off', () => {
  it('goes on where it was, and no server takes the part', async () => {
    using folder = tempFolder()
    const place = await twoDatabases(folder.path, 0)
    const db = new Sqlite(place.file)
    const insert = db.prepare(`insert into queues values (?, 'AC', ?, 1, 1, 1)`)
    db.transaction(() => {
      for (let row = 0; row < 12_000; row += 1) insert.run(`QU${row}`, `q${row}`)
    })()
    db.close()
    const cut = (at: MoveProgress) => {
      if (at.table === 'queues' && at.rows > 0) throw new Error('cut off')
    }
    await expect(move(place, { onProgress: cut })).rejects.toThrow('cut off')
    const { rows } = await withClient(place.url, (client) =>
      client.query<{ count: string }>('select count(*) from queues'),
    )
    const part = Number(rows[0]?.count)
    expect(part).toBeGreaterThan(0)

    await expect(openDatabase(place.url, MIGRATIONS)).rejects.toThrow(
      'has a part of a database that is being moved into it: run `trunkline database move` again',
    )
    await expect(move(place, { node: 'node-b' })).rejects.toThrow('a part of another database')
    const copied: MoveProgress[] = []
    const resumed = await move(place, {
      onProgress: (at) => {
        if (at.step === 'copying' && at.table === 'queues') copied.push(at)
      },
    })
    expect(resumed).toMatchObject({ isResumed: true, rows: 12_000 })
    expect(copied[0]?.rows).toBeGreaterThanOrEqual(part)
    expect(await postgresRows(place.url, ['queues'])).toEqual(
      new Map([['queues', sqliteRows(place.file).get('queues') ?? []]]),
    )
  })

  it('is refused when the original has changed since', async () => {
    using folder = tempFolder()
    const place = await twoDatabases(folder.path)
    const cut = (at: MoveProgress) => {
      if (at.step === 'verifying') throw new Error('cut off')
    }
    await expect(move(place, { onProgress: cut })).rejects.toThrow('cut off')
    const db = new Sqlite(place.file)
    db.prepare('update outbox set attempts = attempts + 1 where id = 1').run()
    db.close()
    await expect(move(place)).rejects.toThrow(
      'the copy is not the original: outbox: the sum of attempts is',
    )
  })
})

describe('a move is refused', () => {
  it('into a database that holds other rows', async () => {
    using folder = tempFolder()
    const place = await twoDatabases(folder.path)
    await (await openDatabase(place.url, MIGRATIONS))[Symbol.asyncDispose]()
    await withClient(place.url, (client) =>
      client.query(`insert into live_dialogs values ('a', '{}')`),
    )
    await expect(move(place)).rejects.toThrow('holds other rows already (in live_dialogs)')
  })

  it('into a database with tables of another program', async () => {
    using folder = tempFolder()
    const place = await twoDatabases(folder.path)
    await withClient(place.url, (client) => client.query('create table theirs (id integer)'))
    await expect(move(place)).rejects.toThrow('has tables that trunkline did not make')
  })

  it('from a file that is not there', async () => {
    using folder = tempFolder()
    const url = await testDatabase(folder.path, 'empty')
    await expect(move({ file: join(folder.path, 'none.db'), url })).rejects.toThrow(
      'there is no SQLite database',
    )
  })

  it('from a file of another version', async () => {
    using folder = tempFolder()
    const { file, url } = await twoDatabases(folder.path)
    const change = (statement: string) => {
      const db = new Sqlite(file)
      db.exec(statement)
      db.close()
    }
    change(`delete from schema_migrations where name = 'queues/1-baseline'`)
    await expect(move({ file, url })).rejects.toThrow(
      'was written by an older trunkline (its schema lacks queues/1-baseline): start this version',
    )
    change(`insert into schema_migrations values ('queues/1-baseline'), ('queues/9-future')`)
    await expect(move({ file, url })).rejects.toThrow('was written by a newer trunkline')
  })

  it('of a value that a column of PostgreSQL cannot hold, and says which', async () => {
    using folder = tempFolder()
    const { file, url } = await twoDatabases(folder.path, 0)
    const db = new Sqlite(file)
    db.prepare(`insert into queues values ('QUone', 'AC', 'name', 1.5, 1, 1)`).run()
    db.close()
    await expect(move({ file, url })).rejects.toThrow(
      'queues.maxSize holds a fraction where a column of integer belongs, in the row ["QUone"]',
    )
  })
})
