import { expect, it } from 'vitest'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

const row = (key: string, status = 0) => ({
  caller: 'AC1',
  key,
  request: '',
  status,
  outcome: '',
  createdAt: 1,
})

/** Two nodes of one database, and the keys that a reader saw when an effect ran. */
async function setUp() {
  const disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  const db = disposer.use(await openDatabase(place, MIGRATIONS, 'a'))
  const other = disposer.use(await openDatabase(place, MIGRATIONS, 'b'))
  const keys = async () => {
    const rows = await other.read.selectFrom('idempotent_requests').select('key').execute()
    return rows.map(({ key }) => key)
  }
  return { db, other, keys, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}

it('an effect of a commit sees what was committed', async () => {
  await using t = await setUp()
  let seen: Promise<string[]> | undefined
  await t.db.write(async (tx) => {
    t.db.onCommit(tx, () => {
      seen = t.keys()
    })
    await tx.insertInto('idempotent_requests').values(row('one')).execute()
    expect(seen).toBeUndefined()
  })
  expect(await seen).toEqual(['one'])
})

it('an effect of a commit never runs when the write fails', async () => {
  await using t = await setUp()
  const ran: string[] = []
  const failing = t.db.write((tx) => {
    t.db.onCommit(tx, () => ran.push('failing'))
    return Promise.reject(new Error('refused'))
  })
  await expect(failing).rejects.toThrow('refused')
  await t.db.write((tx) => {
    t.db.onCommit(tx, () => ran.push('stored'))
    return tx.insertInto('idempotent_requests').values(row('one')).execute()
  })
  expect(ran).toEqual(['stored'])
})

it('an effect of a write within one commit waits for the whole', async () => {
  await using t = await setUp()
  const ran: string[] = []
  await t.db.inOneCommit(async () => {
    await t.db.write((tx) => {
      t.db.onCommit(tx, () => ran.push('inner'))
      return tx.insertInto('idempotent_requests').values(row('one')).execute()
    })
    expect(ran).toEqual([])
  })
  expect(ran).toEqual(['inner'])
})

it('each of many writes at once has its effect once, however often its work ran', async () => {
  await using t = await setUp()
  await t.db.write((tx) => tx.insertInto('idempotent_requests').values(row('n')).execute())
  const ran: number[] = []
  const writes = Array.from({ length: 20 }, (_, index) => {
    const db = index % 2 === 0 ? t.db : t.other
    return db.write(async (tx) => {
      db.onCommit(tx, () => ran.push(index))
      await tx
        .updateTable('idempotent_requests')
        .set((set) => ({ status: set('status', '+', 1) }))
        .where('key', '=', 'n')
        .execute()
    })
  })
  await Promise.all(writes)
  expect(ran.sort((a, b) => a - b)).toEqual(writes.map((_, index) => index))
})
