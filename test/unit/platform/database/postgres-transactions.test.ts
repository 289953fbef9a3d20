import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { runTransaction } from '../../../../src/platform/database/postgres/postgres-transactions.js'
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
