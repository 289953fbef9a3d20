import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { expect, it } from 'vitest'
import { withStatementCache } from '../../../../../src/platform/database/sqlite/sqlite-statements.js'

const STATEMENT: SqliteStatement = {
  reader: true,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
}

function counted() {
  const prepared: string[] = []
  let closes = 0
  const database: SqliteDatabase = {
    close: () => {
      closes += 1
    },
    prepare: (sql) => {
      prepared.push(sql)
      return { ...STATEMENT }
    },
  }
  return { database, prepared, closes: () => closes }
}

it('prepares a text once', () => {
  const { database, prepared } = counted()
  const cached = withStatementCache(database)
  expect(cached.prepare('select 1')).toBe(cached.prepare('select 1'))
  cached.prepare('select 2')
  expect(prepared).toEqual(['select 1', 'select 2'])
})

it('keeps neither long texts nor more than some hundreds', () => {
  const { database, prepared } = counted()
  const cached = withStatementCache(database)
  const long = `select '${'x'.repeat(5_000)}'`
  expect(cached.prepare(long)).not.toBe(cached.prepare(long))
  const first = cached.prepare('select 0')
  for (let index = 1; index <= 1_000; index += 1) cached.prepare(`select ${index}`)
  expect(cached.prepare('select 0')).not.toBe(first)
  expect(prepared).toHaveLength(2 + 1 + 1_000 + 1)
})

it('closes what it wraps', () => {
  const { database, closes } = counted()
  withStatementCache(database).close()
  expect(closes()).toBe(1)
})
