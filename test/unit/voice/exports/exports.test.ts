import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Clock } from '../../../../src/platform/clock.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { type FileStore, FileStoreError } from '../../../../src/platform/files/file-store.js'
import { newSid } from '../../../../src/platform/ids.js'
import { createLogger } from '../../../../src/platform/log.js'
import { exportKinds } from '../../../../src/voice/api/export-kinds.js'
import { createExports } from '../../../../src/voice/exports/exports.js'
import { releaseBuilds } from '../../../../src/voice/exports/storage/export-storage.js'
import { toCallRow } from '../../../../src/voice/model/call-record.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

const DAY = '2026-03-10'
const DAY_START = Date.parse('2026-03-10T00:00:00Z')
const DAY_MS = 86_400_000
/** Three in the morning, when the archive of the day before is due. */
const NIGHT = DAY_START + DAY_MS + 3 * 3_600_000

/** Resolves with the first value that is neither false nor undefined. */
const found = <Value>(read: () => Promise<Value | undefined | false>): Promise<Value> =>
  vi.waitFor(
    async () => {
      const value = await read()
      if (value === undefined || value === false) throw new Error('not yet')
      return value
    },
    { timeout: 30_000, interval: 10 },
  )

/** Keeps copies in a folder, and counts what it is given. */
class CountingStore implements FileStore {
  readonly puts: string[] = []
  readonly removed: string[] = []
  failures = 0
  readonly #folder: string
  constructor(folder: string) {
    this.#folder = folder
  }
  pathOf(name: string): string {
    return join(this.#folder, name.replaceAll('/', '-'))
  }
  put(name: string, path: string): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1
      return Promise.reject(new FileStoreError('no'))
    }
    copyFileSync(path, this.pathOf(name))
    this.puts.push(name)
    return Promise.resolve()
  }
  remove(name: string): Promise<void> {
    this.removed.push(name)
    return Promise.resolve()
  }
  link(name: string): string {
    return `http://files.test/${name}`
  }
}

/** The same database as another node sees it. */
function seenBy(node: string, db: Database): Database {
  return {
    node,
    engine: db.engine,
    read: db.read,
    write: (work, isolation) => db.write(work, isolation),
    writeInTurn: (turn, work) => db.writeInTurn(turn, work),
    inOneCommit: (work) => db.inOneCommit(work),
    onCommit: (tx, effect) => {
      db.onCommit(tx, effect)
    },
    whenDurable: (effect) => {
      db.whenDurable(effect)
    },
    isWritable: db.isWritable,
    figures: () => db.figures(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function setUp(now = NIGHT) {
  const bench = await setUpCalls()
  const folder = tempFolder()
  const time = { now }
  const clock: Clock = { now: () => time.now, monotonic: () => time.now }
  const store = new CountingStore(folder.path)
  const nodes: AsyncDisposable[] = []
  const { db, accounts, recordings, account } = bench
  const node = async (name = 'node') => {
    const made = createExports({
      ...{ accounts, clock, files: store, log: createLogger('silent') },
      db: seenBy(name, db),
      kinds: exportKinds(db.read, recordings),
      folder: join(folder.path, name),
    })
    nodes.push(made)
    await made.start()
    return made
  }
  onTestFinished(async () => {
    for (const each of nodes) await each[Symbol.asyncDispose]()
    await bench[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })
  /** Lets the account be older than the day, so that the nights are its own. */
  const age = (at: number, sid: string = account.sid) =>
    db.write((tx) =>
      tx.updateTable('accounts').set({ createdAt: at }).where('sid', '=', sid).execute(),
    )
  const call = async (createdAt: number, change: object = {}, accountSid: string = account.sid) => {
    const record = {
      ...{ sid: newSid('CA'), accountSid, direction: 'outbound-api' as const, plan: PLAN },
      ...{
        to: '+15551112222',
        from: '+15553334444',
        status: 'completed' as const,
        queueMs: 0,
        sipHeaders: [],
        callbackCount: 0,
      },
      ...{ createdAt, updatedAt: createdAt, startedAt: createdAt, endedAt: createdAt + 5_000 },
      ...{ durationSeconds: 5, ...change },
    }
    await db.write((tx) =>
      tx
        .insertInto('calls')
        .values({ ...rowOf(record), node: db.node })
        .execute(),
    )
    return record.sid
  }
  const rows = () => db.read.selectFrom('daily_exports').selectAll().orderBy('day').execute()
  const completed = (day = DAY) =>
    found(async () => {
      const row = (await rows()).find((each) => each.day === day)
      return row?.state === 'completed' ? row : undefined
    })
  /** Leaves the builds as a process of that node leaves them that is killed in the middle. */
  const building = (builder: string) => {
    const lease = { lease: 'lost', builder, dueAt: time.now + 30_000 }
    const change = { state: 'building' as const, ...lease }
    return db.write((tx) => tx.updateTable('daily_exports').set(change).execute())
  }
  const archive = (day = DAY) => new Archive(store.pathOf(`exports/${account.sid}/${day}.tar`))
  return { ...bench, time, store, node, age, call, rows, completed, building, archive }
}

const rowOf = (record: object) => ({
  // The record above has what a row needs.
  ...toCallRow(record as Parameters<typeof toCallRow>[0]),
})

/** An archive as the system's own tar reads it. */
class Archive {
  readonly #path: string
  constructor(path: string) {
    this.#path = path
  }
  names(): string[] {
    return execFileSync('tar', ['-tf', this.#path], { encoding: 'utf8' }).trim().split('\n')
  }
  text(name: string): string {
    const bytes = execFileSync('tar', ['-xOf', this.#path, name])
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  }
  records(kind: string): Record<string, unknown>[] {
    const lines = this.text(`${kind}.jsonl.gz`).split('\n')
    return lines
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }
}

describe('the archive of a day', () => {
  it('has every record of the UTC day and no other, as JSON lines and as CSV', async () => {
    const t = await setUp()
    const first = await t.call(DAY_START)
    const last = await t.call(DAY_START + DAY_MS - 1, { callerName: 'Ann "A", of B' })
    await t.call(DAY_START - 1)
    await t.call(DAY_START + DAY_MS)
    const other = await t.accounts.create({ friendlyName: 'other' })
    await t.call(DAY_START + 1, {}, other.sid)
    const node = await t.node()
    await node.request({ accountSid: t.account.sid, day: DAY })
    const row = await t.completed()
    const archive = t.archive()
    expect(archive.names()).toEqual([
      'manifest.json',
      ...['calls.jsonl.gz', 'calls.csv.gz', 'messages.jsonl.gz', 'messages.csv.gz'],
      ...['recordings.jsonl.gz', 'recordings.csv.gz', 'payments.jsonl.gz', 'payments.csv.gz'],
    ])
    expect(archive.records('calls').map(({ sid }) => sid)).toEqual([first, last])
    expect(archive.records('calls')[1]).toMatchObject({
      duration: '5',
      caller_name: 'Ann "A", of B',
    })
    const [head, , line] = archive.text('calls.csv.gz').split('\r\n')
    expect(head).toMatch(/^sid,account_sid,api_version,to,/)
    expect(line).toContain('"Ann ""A"", of B"')
    for (const empty of ['messages.jsonl.gz', 'messages.csv.gz', 'payments.csv.gz'])
      expect(archive.text(empty)).toBe('')
    expect(JSON.parse(archive.text('manifest.json'))).toMatchObject({
      date: DAY,
      counts: { calls: 2, messages: 0, recordings: 0, payments: 0 },
    })
    expect(row).toMatchObject({ records: 2, progress: 100, unfinished: 0 })
  })

  it('is built in the night after it, and in no night before the account', async () => {
    const t = await setUp()
    await t.age(DAY_START - 1)
    await t.node()
    await t.completed()
    expect((await t.rows()).map(({ day }) => day)).toEqual(['2026-03-09', DAY])
  })

  it('is built a second time a day later when a call was under way', async () => {
    const t = await setUp()
    await t.age(DAY_START)
    const sid = await t.call(DAY_START + DAY_MS - 1, { status: 'in-progress', endedAt: undefined })
    const night = await t.node('first')
    expect(await t.completed()).toMatchObject({ unfinished: 1 })
    await night[Symbol.asyncDispose]()
    await t.db.write((tx) =>
      tx
        .updateTable('calls')
        .set({ status: 'completed', endedAt: DAY_START + DAY_MS + 60_000 })
        .where('sid', '=', sid)
        .execute(),
    )
    t.time.now += DAY_MS
    await t.node('second')
    await found(async () => (await t.completed()).unfinished === 0)
    expect(t.archive().records('calls')[0]).toMatchObject({ status: 'completed' })
  })
})

describe('building', () => {
  it('happens once, however many nodes there are', async () => {
    const t = await setUp()
    await t.age(DAY_START - 5 * DAY_MS)
    await Promise.all(['a', 'b', 'c'].map((name) => t.node(name)))
    await found(async () => {
      const rows = await t.rows()
      return rows.length === 6 && rows.every(({ state }) => state === 'completed')
    })
    expect(t.store.puts.toSorted()).toEqual([...new Set(t.store.puts)].toSorted())
    expect(t.store.puts).toHaveLength(6)
  })

  it('goes on in another process when one was killed, once its lease is over', async () => {
    const t = await setUp()
    const node = await t.node()
    await node.request({ accountSid: t.account.sid, day: '2026-03-01' })
    await t.completed('2026-03-01')
    // As a killed process leaves it.
    await t.building('dead')
    const second = await t.node('second')
    await second.request({ accountSid: t.account.sid, day: DAY })
    await t.completed()
    expect(t.store.puts).toHaveLength(2)
    t.time.now += 30_000
    await second.request({ accountSid: t.account.sid, day: DAY })
    await t.completed('2026-03-01')
    expect(t.store.puts.filter((name) => name.includes('2026-03-01'))).toHaveLength(2)
  })

  it('goes on at once when the process that was killed starts again', async () => {
    const t = await setUp()
    const node = await t.node()
    await node.request({ accountSid: t.account.sid, day: '2026-03-01' })
    await t.completed('2026-03-01')
    await t.building('killed')
    await t.node('killed')
    await t.completed('2026-03-01')
    expect(t.store.puts).toHaveLength(2)
  })

  it('goes on at once when the node that builds it was declared dead', async () => {
    const t = await setUp()
    const node = await t.node()
    const day = '2026-03-01'
    await node.request({ accountSid: t.account.sid, day })
    await t.completed(day)
    await t.building('dead')
    await t.db.write((tx) => releaseBuilds(tx, 'living', t.time.now))
    expect((await node.find({ accountSid: t.account.sid, day }))?.state).toBe('building')
    await t.db.write((tx) => releaseBuilds(tx, 'dead', t.time.now))
    expect(await node.find({ accountSid: t.account.sid, day })).toMatchObject({
      state: 'queued',
      dueAt: t.time.now,
    })
  })

  it('is tried again when the store fails, and the job says so', async () => {
    const t = await setUp()
    t.store.failures = 1
    const node = await t.node()
    const key = { accountSid: t.account.sid, day: DAY }
    await node.request(key)
    const failed = await found(async () => {
      const row = await node.find(key)
      return row?.error === null ? undefined : row
    })
    expect(failed).toMatchObject({ state: 'queued', error: 'FileStoreError', bytes: null })
    expect(await node.link(key)).toBeUndefined()
    t.time.now += 60_000
    await node.request({ ...key, day: '2026-03-09' })
    expect(await t.completed()).toMatchObject({ error: null })
  })

  it('leaves no files of its own behind', async () => {
    const t = await setUp()
    const node = await t.node('only')
    await node.request({ accountSid: t.account.sid, day: DAY })
    await t.completed()
    const [first] = t.store.puts
    expect(existsSync(t.store.pathOf(first ?? ''))).toBe(true)
    const left = execFileSync('ls', [join(t.store.pathOf(''), 'only')], { encoding: 'utf8' })
    expect(left).toBe('')
  })
})

describe('an archive', () => {
  it('is kept a year', async () => {
    const t = await setUp()
    const node = await t.node('first')
    await node.request({ accountSid: t.account.sid, day: DAY })
    await t.completed()
    t.time.now = DAY_START + 365 * DAY_MS
    expect(await node.list(t.account.sid)).toHaveLength(1)
    t.time.now += DAY_MS
    expect(await node.list(t.account.sid)).toEqual([])
    await t.node('second')
    await found(async () => !(await t.rows()).some(({ day }) => day === DAY))
    expect(t.store.removed).toEqual([`exports/${t.account.sid}/${DAY}.tar`])
  })

  it.each([
    ['a day that is not over', '2026-03-11'],
    ['a day to come', '2030-01-01'],
    ['a day of long ago', '2025-03-01'],
    ['no day', '2026-02-30'],
  ])('is not built for %s', async (_title, day) => {
    const t = await setUp()
    const node = await t.node()
    await expect(node.request({ accountSid: t.account.sid, day })).rejects.toMatchObject({
      code: 'not-exportable',
    })
    expect(await node.find({ accountSid: t.account.sid, day })).toBeUndefined()
  })
})
