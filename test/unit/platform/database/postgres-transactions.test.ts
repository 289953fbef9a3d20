import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { SerialQueue } from '../../../../src/platform/async/serial-queue.js'
import {
  Reruns,
  runTransaction,
} from '../../../../src/platform/database/postgres/postgres-transactions.js'
import { StorageBusyError } from '../../../../src/platform/database/storage-error.js'
import type { Tables } from '../../../../src/platform/database/tables.js'

/** Answers every statement with nothing, so that only the work decides. */
function emptyPostgres(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

function crossed(): Error {
  const error = new pg.DatabaseError('could not serialize access', 0, 'error')
  error.code = '40001'
  return error
}

it('runs crossed work again, and says that the storage is busy when it always crosses', async () => {
  let runs = 0
  const writer = emptyPostgres()
  const twice = runTransaction(writer, () => {
    runs += 1
    return runs < 3 ? Promise.reject(crossed()) : Promise.resolve('stored')
  })
  expect(await twice).toBe('stored')
  expect(runs).toBe(3)
  const never = runTransaction(writer, () => Promise.reject(crossed()))
  await expect(never).rejects.toBeInstanceOf(StorageBusyError)
})

it('lets writes that cross again and again run one after the other', async () => {
  const writer = emptyPostgres()
  const shared = { reruns: new Reruns(), turns: new SerialQueue() }
  let now = 0
  let most = 0
  const crossing = async (): Promise<number> => {
    let runs = 0
    await runTransaction(
      writer,
      async () => {
        runs += 1
        if (runs <= 2) throw crossed()
        now += 1
        most = Math.max(most, now)
        await new Promise(setImmediate)
        now -= 1
        if (runs === 3) throw crossed()
      },
      'serializable',
      shared,
    )
    return runs
  }
  const runs = await Promise.all(Array.from({ length: 20 }, crossing))
  expect(runs).toEqual(runs.map(() => 4))
  expect(most).toBe(1)
})
