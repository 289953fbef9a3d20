import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { afterAll, expect, inject } from 'vitest'
import { ENGINE } from './test-database.js'

/**
 * Test files whose statements need not run on PostgreSQL: fuzzing filters by random fields, plan tests are
 * about SQLite, and tests of the database itself use statements that no feature does. Daily archives are tested
 * on PostgreSQL by `exports.e2e.test.ts`.
 */
const LEFT_OUT = /fuzz|list-plans|platform\/database\/|voice\/exports\//
/** Matches statements of the query builder, which quotes every name; the tests' own statements quote none. */
const BUILT = /^(?:select|insert|update|delete|with)\b[^]*"/

/** Statements since the end of this process's last test file. */
const ran = new Set<string>()
let isRecording = false

/** Records the statements of this file's tests in the run's folder. */
export function recordStatements(): void {
  // Long tests, and those on real servers, compare no engines.
  const folder = inject('statements') as string | undefined
  if (folder === undefined) return
  if (!isRecording) patchDrivers()
  isRecording = true
  afterAll(() => {
    const file = expect.getState().testPath ?? ''
    if (!LEFT_OUT.test(file)) {
      const kept = [...ran].map(shapeOf).filter((text) => BUILT.test(text))
      const place = join(folder, `${ENGINE}-${process.pid}`)
      appendFileSync(place, kept.map((text) => `${text}\n`).join(''))
    }
    ran.clear()
  })
}

/** One text per statement, regardless of the engine and the number of values. */
function shapeOf(statement: string): string {
  return statement
    .replace(/\$\d+/g, '?')
    .replace(/\s+/g, ' ')
    .replace(/\(\?(?:, \?)*\)(?:, \(\?(?:, \?)*\))*/g, '(?)')
    .trim()
    .toLowerCase()
}

function patchDrivers(): void {
  const sqlite = Sqlite.prototype as { prepare: (sql: string) => unknown }
  const { prepare } = sqlite
  sqlite.prepare = function (sql) {
    ran.add(sql)
    return prepare.call(this, sql)
  }
  const client = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown }
  const { query } = client
  client.query = function (...args) {
    const [asked] = args
    const text = typeof asked === 'string' ? asked : (asked as { text?: unknown } | null)?.text
    if (typeof text === 'string') ran.add(text)
    return query.apply(this, args)
  }
}
