import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compiledOnce } from '../../../../src/platform/database/compiled-once.js'
import type { Migration } from '../../../../src/platform/database/migration.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

const none: Migration = { name: 'none/1', statements: () => '' }

it('runs a statement that was built once with other values each time', async () => {
  using folder = tempFolder()
  await using db = await openDatabase(join(folder.path, 'test.db'), [none])
  let built = 0
  const rename = compiledOnce<{ readonly from: string; readonly to: string }>(
    ['from', 'to'],
    (query, { from, to }) => {
      built += 1
      return query.updateTable('schema_migrations').set({ name: to }).where('name', '=', from)
    },
  )
  const names = async () =>
    (await db.read.selectFrom('schema_migrations').select('name').execute()).map(({ name }) => name)
  expect(await db.write((tx) => rename(tx, { from: 'none/1', to: 'a' }))).toEqual({ changed: 1 })
  expect(await names()).toEqual(['a'])
  expect(await db.write((tx) => rename(tx, { from: 'a', to: 'b' }))).toEqual({ changed: 1 })
  expect(await db.write((tx) => rename(tx, { from: 'a', to: 'c' }))).toEqual({ changed: 0 })
  expect(await names()).toEqual(['b'])
  expect(built).toBe(1)
})
