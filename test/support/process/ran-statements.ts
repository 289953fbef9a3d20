import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { afterAll, expect, inject } from 'vitest'
import { ENGINE } from './test-database.js'

/**
 * Their statements are not asked of PostgreSQL: fuzz draws what it filters by, the tests of plans ask
 * SQLite how it would run lists, and those of the database itself ask what no feature asks. Archives of a
 * day are built on PostgreSQL by `exports.e2e.test.ts`.
 */
const LEFT_OUT = /fuzz|list-plans|platform\/database\/|voice\/exports\//
/** The query builder quotes every name; statements of the tests themselves have none quoted. */
const BUILT = /^(?:select|insert|update|delete|with)\b[^]*"/

/** The statements that ran since the last test file of this process ended. */
const ran = new Set<string>()
let isRecording = false

/** Keeps which statements the tests of this file run, in the folder of the run. */
export function recordStatements(): void {
  // The long tests and those on real servers compare no engines.
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

/** One text for a statement of either engine, however many values it has. */
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
