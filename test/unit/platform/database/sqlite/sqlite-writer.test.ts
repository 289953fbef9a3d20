import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compiledOnce } from '../../../../../src/platform/database/compiled-once.js'
import type { Database, Writer } from '../../../../../src/platform/database/database.js'
import type { Migration } from '../../../../../src/platform/database/migration.js'
import { openDatabase } from '../../../../../src/platform/database/open-database.js'
import { tempFolder } from '../../../../support/process/temp-folder.js'

const none: Migration = { name: 'none/1', statements: () => '' }

const rename = compiledOnce<{ readonly to: string }>(['to'], (query, { to }) =>
  query.updateTable('schema_migrations').set({ name: to }),
)

async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  using folder = tempFolder()
  await using db = await openDatabase(join(folder.path, 'test.db'), [none])
  await work(db)
}

const nameIn = async (db: Database) =>
  (await db.read.selectFrom('schema_migrations').select('name').executeTakeFirstOrThrow()).name

it('undoes what a failed write did, alone in its transaction or beside others', async () => {
  await withDatabase(async (db) => {
    const fail = () =>
      db.write(async (tx) => {
        await rename(tx, { to: 'undone' })
        throw new Error('no')
      })
    await expect(fail()).rejects.toThrow('no')
    expect(await nameIn(db)).toBe('none/1')
    const both = [db.write((tx) => rename(tx, { to: 'kept' })), fail()]
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
    ])
    expect(await nameIn(db)).toBe('kept')
  })
})

it('lets nothing be written by a transaction that is over', async () => {
  await withDatabase(async (db) => {
    let late: Writer | undefined
    await db.write((tx) => {
      late = tx
      return Promise.resolve()
    })
    if (late === undefined) throw new Error('no transaction')
    await expect(rename(late, { to: 'late' })).rejects.toThrow('the transaction is over')
    const built = late.updateTable('schema_migrations').set({ name: 'late' }).execute()
    await expect(built).rejects.toThrow('the transaction is over')
    expect(await nameIn(db)).toBe('none/1')
  })
})
