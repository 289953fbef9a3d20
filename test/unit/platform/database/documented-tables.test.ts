import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tablesOf } from '../../../support/process/fill-tables.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

const ROOT = join(import.meta.dirname, '../../../..')

/** The folder of the feature that declares a migration, by the migration's name. */
function ownersOfMigrations(): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8')
    for (const [, name = ''] of text.matchAll(/: Migration = \{\s*name: '([^']+)'/g))
      owners.set(name, dirname(file).replace(/\/storage\/.*$/, ''))
  }
  return owners
}

/** Every table of a new database, with the folder of the feature whose migration makes it. */
async function tablesWithOwners(folder: string): Promise<readonly string[]> {
  const owners = ownersOfMigrations()
  const rows = ['schema_migrations platform/database']
  const known = new Set<string>()
  const file = join(folder, 'test.db')
  for (const [at, { name }] of MIGRATIONS.entries()) {
    await (await openDatabase(file, MIGRATIONS.slice(0, at + 1)))[Symbol.asyncDispose]()
    const db = new Sqlite(file, { readonly: true })
    for (const table of tablesOf(db).filter((each) => !known.has(each))) {
      known.add(table)
      rows.push(`${table} ${owners.get(name) ?? `no file declares ${name}`}`)
    }
    db.close()
  }
  return rows.toSorted()
}

it('docs/storage.md lists every table with its owner, what it holds and its growth', async () => {
  using folder = tempFolder()
  const text = readFileSync(join(ROOT, 'docs/storage.md'), 'utf8')
  const listed = [...text.matchAll(/^\| `(\w+)` \| `([\w/-]+)` \| ([^|]+) \| ([^|]+) \|$/gm)]
  expect(listed.map(([, table = '', owner = '']) => `${table} ${owner}`).toSorted()).toEqual(
    await tablesWithOwners(folder.path),
  )
  for (const [, table, , holds, rows] of listed) {
    expect(holds?.trim(), table).not.toBe('')
    expect(rows?.trim(), table).not.toBe('')
  }
})
