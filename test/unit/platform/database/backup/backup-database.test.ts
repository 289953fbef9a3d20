import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { backUpDatabase } from '../../../../../src/platform/database/backup-database.js'
import { openDatabase } from '../../../../../src/platform/database/open-database.js'
import { restoreDatabase } from '../../../../../src/platform/database/restore-database.js'
import { MIGRATIONS } from '../../../../../src/wiring/migrations.js'
import { tempFolder } from '../../../../support/process/temp-folder.js'

const ROWS = 6_000
const NOW = Date.UTC(2026, 10, 22, 9, 15, 0)

/** A data folder as a server leaves it, with a database of some megabytes. */
async function dataFolder(path: string) {
  const dataDir = join(path, 'data')
  mkdirSync(join(dataDir, 'registry-tables'), { recursive: true })
  mkdirSync(join(dataDir, 'recordings'))
  const file = join(dataDir, 'trunkline.db')
  await (await openDatabase(file, MIGRATIONS))[Symbol.asyncDispose]()
  insertDialogs(file, 0, ROWS)
  writeFileSync(join(dataDir, 'vault.key'), 'the key', { mode: 0o600 })
  writeFileSync(join(dataDir, 'owner.json'), '{}')
  writeFileSync(join(dataDir, 'registry-tables', 'prices.json'), '[]')
  writeFileSync(join(dataDir, 'recordings', 'RE1.wav'), 'sound')
  return { dataDir, file, backup: join(path, 'backup.db') }
}

function insertDialogs(file: string, from: number, until: number): void {
  const db = new Sqlite(file)
  const insert = db.prepare('insert into live_dialogs values (?, ?)')
  db.transaction(() => {
    for (let row = from; row < until; row += 1) insert.run(`CA${row}`, 'x'.repeat(1_000))
  })()
  db.close()
}

function countIn(file: string): unknown {
  const db = new Sqlite(file, { readonly: true })
  try {
    return db.prepare('select count(*) from live_dialogs').pluck().get()
  } finally {
    db.close()
  }
}

type Place = Awaited<ReturnType<typeof dataFolder>>

const backUp = ({ dataDir, file, backup }: Place, onProgress: () => void = () => undefined) =>
  backUpDatabase({ dataDir, file, to: backup, bytesPerSecond: undefined, onProgress })

const restore = (
  { backup }: Pick<Place, 'backup'>,
  { dataDir, file }: Pick<Place, 'dataDir' | 'file'>,
) =>
  restoreDatabase({
    from: backup,
    dataDir,
    file,
    migrations: MIGRATIONS,
    now: NOW,
    onProgress: () => undefined,
  })

describe('a backup', () => {
  it('holds the rows of the moment at which it began, however much is written meanwhile', async () => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    let steps = 0
    await backUp(place, () => {
      insertDialogs(place.file, ROWS + steps, ROWS + steps + 1)
      steps += 1
    })
    expect(steps).toBeGreaterThan(3)
    expect(countIn(place.backup)).toBe(ROWS)
    expect(countIn(place.file)).toBe(ROWS + steps)
  })

  it('is one file for its owner alone, with the keys and without recordings', async () => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    const made = await backUp(place)
    expect([...made.files].sort()).toEqual(['registry-tables/prices.json', 'vault.key'])
    expect(readdirSync(folder.path).sort()).toEqual(['backup.db', 'data'])
    expect(statSync(place.backup).mode & 0o777).toBe(0o600)
    expect(made.bytes).toBe(statSync(place.backup).size)
  })

  it('replaces a former one only when it is complete', async () => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    writeFileSync(place.backup, 'the former one')
    const fail = () => {
      throw new Error('cut off')
    }
    await expect(backUp(place, fail)).rejects.toThrow('cut off')
    expect(readFileSync(place.backup, 'utf8')).toBe('the former one')
    expect(readdirSync(folder.path).sort()).toEqual(['backup.db', 'data'])
    await backUp(place)
    expect(countIn(place.backup)).toBe(ROWS)
  })

  it('goes no faster than it may', async () => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    const startedAt = performance.now()
    const { bytes } = await backUpDatabase({
      dataDir: place.dataDir,
      file: place.file,
      to: place.backup,
      bytesPerSecond: 20_000_000,
      onProgress: () => undefined,
    })
    const leastMs = ((bytes - 2_000_000) / 20_000_000) * 1_000
    expect(performance.now() - startedAt).toBeGreaterThan(leastMs)
  })

  it('never overwrites the database, and says what is no database of ours', async () => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    await expect(backUp({ ...place, backup: place.file })).rejects.toThrow('the database itself')
    await expect(backUp({ ...place, backup: place.dataDir })).rejects.toThrow('is no file')
    const other = join(folder.path, 'other.db')
    const db = new Sqlite(other)
    db.exec('create table theirs (id integer)')
    db.close()
    await expect(backUp({ ...place, file: other })).rejects.toThrow('was not made by trunkline')
    await expect(backUp({ ...place, file: join(folder.path, 'none.db') })).rejects.toThrow(
      'there is no SQLite database',
    )
    expect(existsSync(place.backup)).toBe(false)
  })
})

describe('a restored database', () => {
  it('has all of the backup on a machine that has nothing', async () => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    await backUp(place)
    const dataDir = join(folder.path, 'new')
    mkdirSync(dataDir)
    const file = join(dataDir, 'trunkline.db')
    const restored = await restore(place, { dataDir, file })
    expect(restored.former).toBeUndefined()
    expect(readdirSync(dataDir, { recursive: true }).sort()).toEqual([
      'registry-tables',
      'registry-tables/prices.json',
      'trunkline.db',
      'vault.key',
    ])
    expect(readFileSync(join(dataDir, 'vault.key'), 'utf8')).toBe('the key')
    expect(statSync(join(dataDir, 'vault.key')).mode & 0o777).toBe(0o600)
    await using db = await openDatabase(file, MIGRATIONS)
    expect(countIn(file)).toBe(ROWS)
    await db.write((tx) =>
      tx.insertInto('live_dialogs').values({ callSid: 'CAnew', facts: '{}' }).execute(),
    )
  })

  it('leaves the former one and its log beside it, and a former key', async () => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    await backUp(place)
    insertDialogs(place.file, ROWS, ROWS + 5)
    // A killed server: its last rows are in the log alone.
    const killed = join(folder.path, 'killed')
    mkdirSync(killed)
    const writer = new Sqlite(place.file)
    writer.prepare("insert into live_dialogs values ('CAlast', '{}')").run()
    for (const name of ['trunkline.db', 'trunkline.db-wal'])
      copyFileSync(join(place.dataDir, name), join(killed, name))
    writer.close()
    writeFileSync(join(killed, 'vault.key'), 'another key')

    const file = join(killed, 'trunkline.db')
    const restored = await restore(place, { dataDir: killed, file })
    expect(countIn(file)).toBe(ROWS)
    expect(restored.former).toBe(`${file}.before-20261122T091500Z`)
    expect(countIn(restored.former ?? '')).toBe(ROWS + 6)
    expect(readFileSync(join(killed, 'vault.key'), 'utf8')).toBe('the key')
    expect(readFileSync(join(killed, 'vault.key.before-20261122T091500Z'), 'utf8')).toBe(
      'another key',
    )
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  it('replaces one that is damaged', async () => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    await backUp(place)
    writeFileSync(place.file, 'no database')
    writeFileSync(`${place.file}-wal`, 'no log')
    const { former } = await restore(place, place)
    expect(countIn(place.file)).toBe(ROWS)
    expect(readFileSync(former ?? '', 'utf8')).toBe('no database')
  })
})

describe('a backup that cannot be used changes nothing', () => {
  it.each<[string, (backup: string) => void, string | RegExp]>([
    [
      'one that was cut off',
      (file) => {
        truncateSync(file, 3_000_000)
      },
      /is (damaged|no intact)/,
    ],
    [
      'a text',
      (file) => {
        writeFileSync(file, 'x'.repeat(9_000))
      },
      'is no intact SQLite database',
    ],
    [
      'one with a damaged page',
      (file) => {
        damage(file)
      },
      'is damaged',
    ],
    [
      'a database of another program',
      (file) => {
        forget(file)
      },
      'is no backup of trunkline',
    ],
    [
      'one of a newer version',
      (file) => {
        age(file)
      },
      'was written by a newer trunkline',
    ],
  ])('%s', async (_title, spoil, reason) => {
    using folder = tempFolder()
    const place = await dataFolder(folder.path)
    await backUp(place)
    spoil(place.backup)
    const before = lastingFiles(place.dataDir)
    await expect(restore(place, place)).rejects.toThrow(reason)
    expect(lastingFiles(place.dataDir)).toEqual(before)
    expect(countIn(place.file)).toBe(ROWS)
  })

  /** SQLite keeps a log and an index beside a database for as long as somebody has it open. */
  const lastingFiles = (folder: string) =>
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => !/-(?:wal|shm)$/.test(name))
      .sort()

  const change = (file: string, statement: string): void => {
    const db = new Sqlite(file)
    db.exec(statement)
    db.close()
  }
  const forget = (file: string) => {
    change(file, 'drop table schema_migrations')
  }
  const age = (file: string) => {
    change(file, "insert into schema_migrations values ('queues/9-future')")
  }
  const damage = (file: string): void => {
    const bytes = readFileSync(file)
    bytes.fill(0x5a, 2_000_000, 2_100_000)
    writeFileSync(file, bytes)
  }
})
