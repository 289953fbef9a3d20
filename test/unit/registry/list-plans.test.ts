import BetterSqlite3 from 'better-sqlite3'
import { Kysely, type LogEvent, SqliteDialect } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase, type Reader } from '../../../src/platform/database/database.js'
import type { Schema } from '../../../src/platform/database/schema.js'
import { type BrandFilter, listBrands } from '../../../src/registry/storage/brands.js'
import { listCampaigns } from '../../../src/registry/storage/campaigns.js'
import { listResellers } from '../../../src/registry/storage/resellers.js'
import { listTags } from '../../../src/registry/storage/tags.js'
import { tempFolder } from '../../support/temp-folder.js'

const CSP = 'S000000'
const BATCH = 1_000
const BRANDS = 100_000
const deepPage = { offset: 50_000, limit: 100 }

let folder: ReturnType<typeof tempFolder>
let connection: BetterSqlite3.Database
let reader: Reader
let queries: { sql: string; parameters: readonly unknown[] }[]
beforeEach(async () => {
  folder = tempFolder()
  const file = `${folder.path}/test.db`
  await openDatabase(file)[Symbol.asyncDispose]()
  connection = new BetterSqlite3(file)
  queries = []
  const log = ({ level, query }: LogEvent): void => {
    if (level === 'query') queries.push(query)
  }
  reader = new Kysely<Schema>({ dialect: new SqliteDialect({ database: connection }), log })
})
afterEach(async () => {
  await reader.destroy()
  folder[Symbol.dispose]()
})

/** What SQLite does for each query that was made, one line a step. */
function plans(): string[] {
  return queries.flatMap(({ sql, parameters }) => {
    const steps = connection.prepare(`explain query plan ${sql}`).all(...parameters)
    return (steps as { detail: string }[]).map(({ detail }) => detail) // SQLite's own columns
  })
}

/** So many brands of one CSP, in batches. */
function fill(): void {
  const row = `(?, '${CSP}', 'ACTIVE', 'VERIFIED', 'PRIVATE_PROFIT', ?, 'TX', 'US', ?, null, null, ?, 0, 0, '{}', 0)`
  const insert = connection.prepare(
    `insert into registry_brands (brand_id, csp_id, status, identity_status, entity_type,
       display_key, state, country, ein, universal_ein, mobile_phone, reference_key, is_mock,
       is_auth_plus, record, created_at) values ${Array.from({ length: BATCH }, () => row).join()}`,
  )
  for (let at = 0; at < BRANDS; at += BATCH) {
    const values = Array.from({ length: BATCH }, (_, index) => at + index)
    insert.run(values.flatMap((n) => [`B${n}`, `acme ${n}`, String(n % 9_999), `ref ${n}`]))
  }
}

const active = { status: 'ACTIVE', tag: [] } as const
const brandFilters: readonly [string, BrandFilter][] = [
  ['nothing', active],
  ['its reference', { ...active, referenceId: 'ref 7' }],
  ['a part of its name', { ...active, displayName: 'acme' }],
  ['its EIN', { ...active, ein: '7' }],
  ['its universal EIN', { ...active, universalEin: '7' }],
  [
    'its type, state and country',
    { ...active, entityType: 'PRIVATE_PROFIT', state: 'TX', country: 'US' },
  ],
  ['its reseller', { ...active, resellerId: 'R000001' }],
  ['its tag', { ...active, tag: ['vip'] }],
  ['its flags', { ...active, mock: true, authenticationPlusCompliant: false }],
]

describe('a page of brands', () => {
  it.each(brandFilters)('by %s comes from an index', async (_name, filter) => {
    await listBrands(reader, CSP, filter, deepPage)
    expect(queries.length).toBeGreaterThan(0)
    expect(plans().filter((step) => step.startsWith('SCAN registry_'))).toEqual([])
  })

  it('far into 100,000 skips over index rows only, in their order, and counts none', async () => {
    fill()
    const { total } = await listBrands(reader, CSP, active, deepPage)
    expect(total).toBe(BRANDS)
    const [ids, ...others] = plans()
    expect(ids).toMatch(/^SEARCH registry_brands USING COVERING INDEX registry_brands_by_csp /)
    expect(others.filter((step) => /TEMP B-TREE|SCAN/.test(step))).toEqual([])
    expect(queries.filter(({ sql }) => /count\(\*\)/i.test(sql))).toEqual([])
  })
})

describe('a page', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['campaigns', () => listCampaigns(reader, CSP, {}, deepPage)],
    ['campaigns of a brand', () => listCampaigns(reader, CSP, { brandId: 'B1' }, deepPage)],
    ['resellers', () => listResellers(reader, CSP, undefined, deepPage)],
    ['resellers by name', () => listResellers(reader, CSP, 'a', deepPage)],
    ['tags', () => listTags(reader, CSP, {}, deepPage)],
    ['tags by name', () => listTags(reader, CSP, { name: 'vip' }, deepPage)],
  ])('of %s comes from an index', async (_name, list) => {
    await list()
    expect(queries.length).toBeGreaterThan(0)
    expect(plans().filter((step) => step.startsWith('SCAN registry_'))).toEqual([])
  })
})
