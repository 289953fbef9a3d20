import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import {
  type BucketFiles,
  type BucketFilesDeps,
  createBucketFiles,
} from '../../../../src/platform/files/bucket-files.js'
import { createBucketStore } from '../../../../src/platform/files/bucket-store.js'
import { FileCache } from '../../../../src/platform/files/file-cache.js'
import { createFolderFiles } from '../../../../src/platform/files/folder-files.js'
import {
  type FileKind,
  FileUnavailableError,
  type KeptFiles,
  type SendFailure,
} from '../../../../src/platform/files/kept-files.js'
import { countWaiting } from '../../../../src/platform/files/transfers/transfer-storage.js'
import { createOutbound } from '../../../../src/platform/http/outbound.js'
import { createLogger } from '../../../../src/platform/log.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { ObjectStoreSink, STORE_KEY } from '../../../support/http/object-store.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

const POLL = { timeout: 15_000, interval: 10 }
const RETRY = { firstDelayMs: 20, maxDelayMs: 50 }
const log = createLogger('silent')

/** One server that shares the database and the bucket with others. */
interface Node {
  readonly db: Database
  readonly folder: string
  readonly shared: BucketFiles
  readonly files: KeptFiles
  readonly failures: SendFailure[]
  /** Makes a whole file, and commits its owner. */
  make(owner: string, content: string | Buffer): Promise<string>
  /** Deletes the owner, and then the file. */
  remove(owner: string): Promise<void>
  /** Ends this process of the node and begins the next one on its folder. */
  restart(): Promise<Node>
}

async function setUp() {
  const disposer = new Disposer()
  onTestFinished(() => disposer[Symbol.asyncDispose]())
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  const sink = disposer.use(await ObjectStoreSink.start())
  const outbound = disposer.use(
    createOutbound({
      clock: systemClock,
      log,
      policy: { mode: 'allow-private', allow: [] },
    }),
  )
  const owners = new Set<string>()
  const settings = {
    bucket: sink.bucketUrl,
    accessKeyId: STORE_KEY.id,
    secretAccessKey: STORE_KEY.secret,
  }
  const { signal } = new AbortController()
  const bucket = createBucketStore({ outbound, clock: systemClock, signal, settings })

  const node = async (
    name: string,
    change: Partial<BucketFilesDeps> & { maxBytes?: number } = {},
  ): Promise<Node> => {
    const db = disposer.use(await openDatabase(place, MIGRATIONS, name))
    return begin(db, join(folder.path, name), change)
  }
  const begin = async (
    db: Database,
    home: string,
    change: Partial<BucketFilesDeps> & { maxBytes?: number },
  ): Promise<Node> => {
    const made = join(home, 'notes')
    mkdirSync(made, { recursive: true })
    const { maxBytes = 1e9, ...rest } = change
    const cache = new FileCache({
      directory: join(home, 'cache'),
      maxBytes,
      clock: rest.clock ?? systemClock,
      extension: '',
    })
    const shared = createBucketFiles({
      db,
      clock: systemClock,
      log,
      random: () => 0,
      bucket,
      cache,
      retry: RETRY,
      ...rest,
    })
    disposer.use(shared)
    const failures: SendFailure[] = []
    const files = shared.keep({
      ...kindIn(made, owners),
      onFailure: (_name, failure) => {
        failures.push(failure)
        return Promise.resolve()
      },
    })
    await files.recover()
    return {
      db,
      folder: home,
      shared,
      files,
      failures,
      make: async (owner, content) => {
        writeFileSync(files.pathOf(`${owner}.txt`), content)
        owners.add(owner)
        await db.write((tx) => files.enqueue(tx, `${owner}.txt`))
        files.wake()
        return files.pathOf(`${owner}.txt`)
      },
      remove: async (owner) => {
        owners.delete(owner)
        await db.write((tx) => files.enqueueRemoval(tx, `${owner}.txt`))
        files.wake()
        await files.forget([`${owner}.txt`])
      },
      restart: async () => {
        await shared[Symbol.asyncDispose]()
        return begin(db, home, change)
      },
    }
  }
  const rows = async ({ db }: Node) =>
    (await db.read.selectFrom('file_transfers').select(['name', 'action']).execute()).map(
      ({ name, action }) => `${action} ${name}`,
    )
  return { sink, bucket, owners, node, rows }
}

function kindIn(folder: string, owners: ReadonlySet<string>): FileKind {
  return {
    name: 'notes',
    folder,
    mimeType: 'text/plain',
    ownerOf: (fileName) => /^(\w+)\./.exec(fileName)?.[1],
    existing: (wanted) => Promise.resolve(wanted.filter((owner) => owners.has(owner))),
    isWhole: (fileName) => fileName.endsWith('.txt'),
  }
}

const read = async (node: Node, fileName: string): Promise<string | undefined> => {
  const path = await node.files.find(fileName)
  return path === undefined ? undefined : readFileSync(path, 'utf8')
}

describe('a file that one node makes', () => {
  it('goes to the bucket once, leaves its folder, and is read by both', async () => {
    const t = await setUp()
    const [a, b] = [await t.node('a'), await t.node('b')]
    const path = await a.make('one', 'what was said')
    await expect
      .poll(() => t.sink.objects.get('notes/one.txt')?.bytes.toString(), POLL)
      .toBe('what was said')
    expect(t.sink.objects.get('notes/one.txt')?.headers['content-type']).toBe('text/plain')
    await expect.poll(() => existsSync(path), POLL).toBe(false)
    expect(await t.rows(a)).toEqual([])
    expect(await read(a, 'one.txt')).toBe('what was said')
    expect(await read(b, 'one.txt')).toBe('what was said')
    expect(await read(b, 'one.txt')).toBe('what was said')
    expect(t.sink.answered).toEqual([
      'PUT /recordings/notes/one.txt 200',
      'GET /recordings/notes/one.txt 206',
    ])
    expect(await read(b, 'none.txt')).toBeUndefined()
  })

  it.each([
    ['nothing', 0],
    ['one byte more than a piece', 4 * 1024 * 1024 + 1],
    ['two whole pieces', 8 * 1024 * 1024],
  ])('is read whole when it holds %s', async (_title, bytes) => {
    const t = await setUp()
    const [a, b] = [await t.node('a'), await t.node('b')]
    const content = Buffer.alloc(bytes, 'abc')
    await a.make('one', content)
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    const path = await b.files.find('one.txt')
    expect(readFileSync(path ?? '').equals(content)).toBe(true)
  })

  it('is fetched once for all who ask', async () => {
    const t = await setUp()
    const [a, b] = [await t.node('a'), await t.node('b')]
    await a.make('one', 'x')
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    await Promise.all([1, 2, 3].map(() => b.files.find('one.txt')))
    expect(t.sink.answered.filter((line) => line.startsWith('GET'))).toHaveLength(1)
  })

  it('is read here, and nowhere else, while the bucket is away; then it is sent', async () => {
    const t = await setUp()
    const [a, b] = [await t.node('a'), await t.node('b')]
    t.sink.refuse(503, 'SlowDown')
    await a.make('one', 'x')
    await a.make('two', 'y')
    await expect.poll(() => a.shared.isBucketAway, POLL).toBe(true)
    expect(await read(a, 'one.txt')).toBe('x')
    await expect(read(b, 'one.txt')).rejects.toThrow(FileUnavailableError)
    expect(await countWaiting(a.db.read, 'a')).toMatchObject({ sends: 2, removals: 0 })
    await expect.poll(() => a.failures[0]?.code, POLL).toBe(11200)
    t.sink.refuse()
    await expect.poll(() => t.sink.objects.size, POLL).toBe(2)
    await expect.poll(() => a.shared.isBucketAway, POLL).toBe(false)
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    expect(await read(b, 'one.txt')).toBe('x')
    expect(a.failures.length).toBeLessThanOrEqual(2)
  })

  it('cannot be read elsewhere while the bucket refuses, and nothing of it stays', async () => {
    const t = await setUp()
    const [a, b] = [await t.node('a'), await t.node('b')]
    await a.make('one', 'x')
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    t.sink.refuse(403, 'AccessDenied')
    await expect(read(b, 'one.txt')).rejects.toThrow('403 AccessDenied')
    t.sink.refuse(404, 'NoSuchBucket')
    await expect(read(b, 'one.txt')).rejects.toThrow('404 NoSuchBucket')
    expect(readdirSync(join(b.folder, 'cache'))).toEqual([])
    t.sink.refuse()
    expect(await read(b, 'one.txt')).toBe('x')
  })

  it('does not stop the others when the bucket refuses it alone', async () => {
    const t = await setUp()
    const picky = {
      ...t.bucket,
      upload: (name: string, ...rest: [string, string]) =>
        name === 'notes/bad.txt'
          ? Promise.resolve({ type: 'failed' as const, code: 16112 as const, reason: 'no' })
          : t.bucket.upload(name, ...rest),
    }
    const a = await t.node('a', { bucket: picky })
    await a.make('bad', 'x')
    await expect.poll(() => a.failures.length, POLL).toBe(1)
    await a.make('good', 'y')
    await expect.poll(() => [...t.sink.objects.keys()], POLL).toEqual(['notes/good.txt'])
    await expect.poll(() => t.rows(a), POLL).toEqual(['send notes/bad.txt'])
    expect(a.failures).toHaveLength(1)
  })
})

describe('a deleted file', () => {
  it('is deleted from the bucket through the other node, and from the caches of both', async () => {
    const t = await setUp()
    const [a, b] = [await t.node('a'), await t.node('b')]
    await a.make('one', 'x')
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    await read(b, 'one.txt')
    await b.remove('one')
    await expect.poll(() => t.sink.objects.size, POLL).toBe(0)
    expect(readdirSync(join(b.folder, 'cache'))).toEqual([])
    await a.shared.sweep()
    expect(readdirSync(join(a.folder, 'cache'))).toEqual([])
    await expect.poll(() => t.rows(b), POLL).toEqual([])
    expect(await read(b, 'one.txt')).toBeUndefined()
  })

  it('does not stay in the bucket when it was on its way there', async () => {
    const t = await setUp()
    const [a, b] = [await t.node('a'), await t.node('b')]
    const open = t.sink.hold()
    const path = await a.make('one', 'x')
    await expect.poll(() => t.sink.asked, POLL).toEqual(['PUT /recordings/notes/one.txt'])
    await b.remove('one')
    open()
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    expect(t.sink.answered.at(-1)).toBe('DELETE /recordings/notes/one.txt 204')
    expect(t.sink.objects.size).toBe(0)
    expect(existsSync(path)).toBe(false)
  })

  it('costs no request when its node had not begun to send it', async () => {
    const t = await setUp()
    const a = await t.node('a')
    // Nothing is sent any more.
    await a.shared[Symbol.asyncDispose]()
    await a.make('one', 'x')
    expect(await t.rows(a)).toEqual(['send notes/one.txt'])
    await a.remove('one')
    expect(await t.rows(a)).toEqual([])
    expect(readdirSync(join(a.folder, 'notes'))).toEqual([])
    expect(t.sink.asked).toEqual([])
  })

  it('is tried again until the bucket has deleted it, by the next process too', async () => {
    const t = await setUp()
    const a = await t.node('a')
    await a.make('one', 'x')
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    t.sink.refuse(500)
    await a.remove('one')
    await expect
      .poll(() => t.sink.answered.filter((line) => line.startsWith('DELETE')).length, POLL)
      .toBeGreaterThan(1)
    const next = await a.restart()
    t.sink.refuse()
    await expect.poll(() => t.sink.objects.size, POLL).toBe(0)
    await expect.poll(() => t.rows(next), POLL).toEqual([])
  })

  it('is deleted by another node when its own does not come back', async () => {
    const t = await setUp()
    const a = await t.node('a')
    await a.make('one', 'x')
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    await a.shared[Symbol.asyncDispose]()
    await a.remove('one')
    const later = { ...systemClock, now: () => systemClock.now() + 600_000 }
    await t.node('b', { clock: later })
    await expect.poll(() => t.sink.objects.size, POLL).toBe(0)
  })
})

describe('a process that begins', () => {
  it('sends what the killed one had not sent, and what was here before the bucket', async () => {
    const t = await setUp()
    const a = await t.node('a')
    t.sink.refuse(503)
    await a.make('one', 'x')
    await expect.poll(() => a.shared.isBucketAway, POLL).toBe(true)
    t.owners.add('old').add('unfinished')
    for (const name of ['old.txt', 'unfinished.part', 'orphan.txt'])
      writeFileSync(a.files.pathOf(name), name)
    t.sink.refuse()
    const next = await a.restart()
    await expect
      .poll(() => [...t.sink.objects.keys()].sort(), POLL)
      .toEqual(['notes/old.txt', 'notes/one.txt'])
    await expect.poll(() => readdirSync(join(a.folder, 'notes')), POLL).toEqual(['unfinished.part'])
    expect(await read(next, 'old.txt')).toBe('old.txt')
  })
})

describe('the cache of a node', () => {
  it('drops what was read longest ago, and fetches it again', async () => {
    const t = await setUp()
    const a = await t.node('a')
    const time = { ms: 0 }
    const clock = { ...systemClock, now: () => systemClock.now() + time.ms }
    const b = await t.node('b', { maxBytes: 5, clock })
    for (const owner of ['one', 'two']) await a.make(owner, 'four')
    await expect.poll(() => t.rows(a), POLL).toEqual([])
    await read(b, 'one.txt')
    time.ms = 61_000
    await read(b, 'two.txt')
    expect(readdirSync(join(b.folder, 'cache'))).toEqual(['notes-two.txt'])
    expect(await read(b, 'one.txt')).toBe('four')
  })

  it('keeps what was made of a file, made once for all who ask', async () => {
    const t = await setUp()
    const a = await t.node('a')
    let times = 0
    const make = (path: string) => {
      times += 1
      writeFileSync(path, 'made')
      return Promise.resolve()
    }
    await Promise.all([1, 2, 3].map(() => a.files.derive('one.made', make)))
    const path = await a.files.derive('one.made', make)
    expect([readFileSync(path, 'utf8'), times]).toEqual(['made', 1])
    await a.files.forget(['one.made'])
    expect(existsSync(path)).toBe(false)
    await expect(
      a.files.derive('one.made', () => Promise.reject(new Error('no room'))),
    ).rejects.toThrow('no room')
  })
})

describe('files without a bucket', () => {
  it('stay where they were made', async () => {
    using folder = tempFolder()
    const files = createFolderFiles(kindIn(folder.path, new Set(['one'])), log)
    for (const name of ['one.txt', 'gone.txt']) writeFileSync(files.pathOf(name), name)
    await files.recover()
    expect(readdirSync(folder.path)).toEqual(['one.txt'])
    expect(await files.find('one.txt')).toBe(join(folder.path, 'one.txt'))
    expect(await files.find('gone.txt')).toBeUndefined()
    await files.forget(['one.txt', 'gone.txt'])
    expect(readdirSync(folder.path)).toEqual([])
  })
})
