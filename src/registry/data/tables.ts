import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from '@hono/zod-openapi'
import { type TableName, tableSchemas } from './table-schemas.js'

export type Tables = { readonly [Name in TableName]: z.infer<(typeof tableSchemas)[Name]> }

/** The file name of a table: `mail-domains.json` for `mailDomains`. */
export function tableFile(name: string): string {
  return `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`
}

/**
 * Reads and checks all tables. A file of the same name in `overrides` replaces the whole built-in
 * table. Throws with the file's name when a table is invalid.
 */
export function loadTables(overrides?: string): Tables {
  const names = Object.keys(tableSchemas) as TableName[] // Object.keys forgets what it knows
  const entries = names.map((name) => [name, loadTable(name, overrides)])
  return Object.fromEntries(entries) as Tables // each entry was parsed by its own schema
}

function loadTable(name: TableName, overrides: string | undefined): unknown {
  const own = overrides === undefined ? undefined : join(overrides, tableFile(name))
  const file =
    own !== undefined && existsSync(own) ? own : new URL(tableFile(name), import.meta.url)
  const parsed = tableSchemas[name].safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (parsed.success) return withoutPrototypes(parsed.data)
  throw new Error(`${String(file)}: ${z.prettifyError(parsed.error)}`)
}

/** Removes prototypes: tables are searched for customers' texts, and `constructor` must not match. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, withoutPrototypes(each)])
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as unknown
}
