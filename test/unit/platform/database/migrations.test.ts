import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { Migration } from '../../../../src/platform/database/migration.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { SchemaMismatchError } from '../../../../src/platform/database/pending-migrations.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

/**
 * Columns, keys and indexes of every table. The list was read from a database that the seventeen
 * migrations before the baselines had made; a change of the schema since then changes it by hand.
 */
const EXPECTED = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../fixtures/baseline-schema.json'), 'utf8'),
) as Readonly<Record<string, TableShape>> // the shape that `shapeOf` answers

interface TableShape {
  readonly columns: readonly string[]
  readonly references?: readonly string[]
  readonly indexes: readonly string[]
  readonly withoutRowid?: true
}

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
}

function shapeOf(db: Sqlite.Database, table: string): TableShape {
  const all = <Row>(query: string, ...values: string[]) =>
    db.prepare<string[], Row>(query).all(...values)
  const columns = all<Column>('select * from pragma_table_xinfo(?)', table).map((column) => {
    // SQLite stores both alike; PostgreSQL needs the wider one for times.
    const type = column.type === 'bigint' ? 'INTEGER' : column.type.toUpperCase()
    const words = [column.name, type, column.notnull === 0 ? '' : 'not null']
    words.push(column.dflt_value === null ? '' : `default ${column.dflt_value}`)
    words.push(column.pk === 0 ? '' : `key ${column.pk}`)
    return words.filter((word) => word !== '').join(' ')
  })
  const references = all<{ from: string; table: string; to: string }>(
    'select * from pragma_foreign_key_list(?)',
    table,
  ).map((key) => `${key.from} -> ${key.table}.${key.to}`)
  const indexes = all<{ name: string; origin: string }>(
    'select * from pragma_index_list(?)',
    table,
  ).map(({ name, origin }) => {
    const [index] = all<{ sql: string | null }>(
      'select sql from sqlite_master where name = ?',
      name,
    )
    if (typeof index?.sql === 'string') return index.sql.replace(/\s+/g, ' ')
    const parts = all<{ name: string }>('select name from pragma_index_info(?)', name)
    const of = parts.map((part) => part.name).join(', ')
    return `${origin === 'pk' ? 'primary key' : 'unique'} (${of})`
  })
  const [own] = all<{ sql: string }>('select sql from sqlite_master where name = ?', table)
  const isWithoutRowid = own?.sql.endsWith('without rowid') === true
  return {
    columns: columns.sort(),
    ...(references.length > 0 && { references }),
    indexes: indexes.sort(),
    ...(isWithoutRowid && { withoutRowid: true }),
  }
}

const NOT_COMPARED = /^(sqlite_|schema_migrations$|registry_brand_names)/

describe('a new database', () => {
  it('has the columns, keys and indexes that the former migrations made', async () => {
    using folder = tempFolder()
    const file = join(folder.path, 'test.db')
    await (await openDatabase(file, MIGRATIONS))[Symbol.asyncDispose]()
    const db = new Sqlite(file, { readonly: true })
    const tables = db
      .prepare<[], string>("select name from sqlite_master where type = 'table'")
      .pluck()
      .all()
      .filter((name) => !NOT_COMPARED.test(name))
    const found = Object.fromEntries(tables.map((table) => [table, shapeOf(db, table)]))
    db.close()
    expect(found).toEqual(EXPECTED)
  })
})

describe('a database that exists', () => {
  const one: Migration = { name: 'a/1', statements: () => 'create table a (id integer);' }
  const two: Migration = { name: 'b/1', after: [one], statements: () => 'create table b (x text);' }
  const opened = async (file: string, migrations: readonly Migration[]): Promise<string[]> => {
    await (await openDatabase(file, migrations))[Symbol.asyncDispose]()
    const db = new Sqlite(file, { readonly: true })
    const names = db.prepare<[], string>('select name from schema_migrations').pluck().all()
    db.close()
    return names
  }

  it('gets what it does not have yet', async () => {
    using folder = tempFolder()
    const file = join(folder.path, 'test.db')
    expect(await opened(file, [one])).toEqual(['a/1'])
    expect(await opened(file, [one, two])).toEqual(['a/1', 'b/1'])
    expect(await opened(file, [one, two])).toEqual(['a/1', 'b/1'])
  })

  it('is left as it is when one of several migrations fails', async () => {
    using folder = tempFolder()
    const file = join(folder.path, 'test.db')
    const wrong: Migration = { name: 'c/1', statements: () => 'create tabel c (x text);' }
    await expect(openDatabase(file, [one, wrong])).rejects.toThrow('syntax error')
    expect(await opened(file, [one])).toEqual(['a/1'])
  })

  it('is refused when a newer version has written it', async () => {
    using folder = tempFolder()
    const file = join(folder.path, 'test.db')
    await opened(file, [one, two])
    await expect(openDatabase(file, [one])).rejects.toThrow(SchemaMismatchError)
    await expect(openDatabase(file, [one])).rejects.toThrow(
      `${file} was written by a newer trunkline (its schema has b/1`,
    )
  })

  it('is refused when a build from before the first release has written it', async () => {
    using folder = tempFolder()
    const file = join(folder.path, 'test.db')
    const db = new Sqlite(file)
    db.exec('create table calls (sid text primary key); pragma user_version = 17')
    db.close()
    await expect(openDatabase(file, MIGRATIONS)).rejects.toThrow(
      'before its first release, whose data cannot be taken over: move the data folder (DATA_DIR) away',
    )
  })
})

it('a migration cannot come before one that it builds on', async () => {
  using folder = tempFolder()
  const first: Migration = { name: 'a/1', statements: () => '' }
  const second: Migration = { name: 'b/1', after: [first], statements: () => '' }
  await expect(openDatabase(join(folder.path, 'test.db'), [second, first])).rejects.toThrow(
    'migration b/1 must come after a/1',
  )
})
