import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listCampaigns } from '../../../src/registry/storage/campaigns.js'
import { type BrandFilter, listBrands } from '../../../src/registry/storage/list-brands.js'
import { listResellers } from '../../../src/registry/storage/resellers.js'
import { listTags } from '../../../src/registry/storage/tags.js'
import { listUpstreamRefusals } from '../../../src/registry/storage/upstream-refusals.js'
import { type NotedDatabase, openNotedDatabase } from '../../support/process/query-plans.js'

const CSP = 'S000000'
const BATCH = 1_000
const BLOCK = 1_024
const deepPage = { offset: 50_000, limit: 100 }

let db: NotedDatabase
beforeEach(async () => {
  db = await openNotedDatabase()
})
afterEach(() => db[Symbol.asyncDispose]())

/** Tables that are read from end to end; trigrams that are matched are not. */
function scans(): string[] {
  return db.plans().filter((step) => /^SCAN registry_(?!.*VIRTUAL TABLE INDEX 0:M)/.test(step))
}

/** So many brands of one CSP, in batches, every second one beside one of another CSP's. */
function fill(brands: number): void {
  const row = (csp: string) =>
    `(?, '${csp}', 'ACTIVE', 'VERIFIED', 'PRIVATE_PROFIT', ?, 'TX', 'US', ?, null, null, ?, 0, 0, 'finished', ?, 0)`
  const insertInto = (csp: string, rows: number) =>
    db.connection.prepare(
      `insert into registry_brands (brandId, cspId, status, identityStatus, entityType,
       displayKey, state, country, ein, universalEin, mobilePhone, referenceKey, isMock,
       isAuthPlus, scoring, record, createdAt) values ${Array.from({ length: rows }, () => row(csp)).join()}`,
    )
  const own = insertInto(CSP, BATCH)
  const other = insertInto('S999999', BATCH)
  const values = (prefix: string, from: number) =>
    Array.from({ length: BATCH }, (_, index) => from + index).flatMap((n) => {
      const brandId = `${prefix}${n}`
      return [brandId, `acme ${n}`, String(n % 9_999), `ref ${n}`, JSON.stringify({ brandId })]
    })
  db.connection.transaction(() => {
    for (let at = 0; at < brands; at += BATCH) {
      own.run(values('B', at))
      other.run(values('X', at))
    }
  })()
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
    await listBrands(db.reader, CSP, filter, deepPage)
    expect(db.queries.length).toBeGreaterThan(0)
    expect(scans()).toEqual([])
  })

  it.each([1_000, 100_000])('of %i costs the same wherever it is', async (brands) => {
    fill(brands)
    const limit = 100
    const figures: string[] = []
    const measured = async (name: string, filter: BrandFilter, offset: number) => {
      db.forget()
      const from = performance.now()
      const page = await listBrands(db.reader, CSP, filter, { offset, limit })
      figures.push(`${name} ${(performance.now() - from).toFixed(1)} ms`)
      expect(
        db.plans().filter((step) => /TEMP B-TREE|SCAN registry_brands( |$)/.test(step)),
      ).toEqual([])
      return page
    }
    for (const [name, offset] of [
      ['first page', 0],
      ['middle', brands / 2],
      ['last', brands - limit],
    ] as const) {
      const page = await measured(name, active, offset)
      expect(page.total).toBe(brands)
      expect(page.items.map(({ brandId }) => brandId)).toEqual(
        Array.from({ length: limit }, (_, index) => `B${offset + index}`),
      )
      expect(db.queries.filter(({ sql }) => /count\(\*\)/i.test(sql))).toEqual([])
      expect(db.plans()).toContainEqual(
        expect.stringMatching(
          /^SEARCH registry_brands USING COVERING INDEX registry_brands_listed /,
        ),
      )
      // What is skipped row by row, whatever the page: less than a block.
      const skipped = db.queries.flatMap(({ sql, parameters }) =>
        sql.includes(' offset ') ? [Number(parameters.at(-1))] : [],
      )
      expect(skipped).toHaveLength(1)
      expect(Math.max(...skipped)).toBeLessThan(BLOCK)
    }
    const rare = await measured('rare name', { ...active, displayName: 'ACME 999' }, 0)
    expect(rare.total).toBe(brands === 1_000 ? 1 : 111)
    expect(db.plans().join('\n')).toMatch(/registry_brand_names VIRTUAL TABLE INDEX/)
    const common = await measured('common name', { ...active, displayName: 'acme' }, brands - limit)
    expect(common.total).toBe(brands)
    expect(common.items).toHaveLength(limit)
    const short = await measured('two letters', { ...active, displayName: 'e 7' }, 0)
    expect(short.items[0]?.brandId).toBe('B7')
    const state = await measured('state', { ...active, state: 'TX' }, brands - limit)
    expect(state.items[0]?.brandId).toBe(`B${brands - limit}`)
    process.stdout.write(`${brands} brands: ${figures.join(', ')}\n`)
  })

  it('stays right while brands are deleted and renamed', async () => {
    fill(3_000)
    db.connection.exec(
      "update registry_brands set status = 'DELETED' where cspId = 'S000000' and id % 3 = 0",
    )
    db.connection.exec("update registry_brands set displayKey = 'zebra' where brandId = 'B2000'")
    const ids = db.connection
      .prepare(
        "select brandId from registry_brands where cspId = ? and status = 'ACTIVE' order by id",
      )
      .pluck()
      .all(CSP) as string[] // its one column is text
    for (const offset of [0, 700, ids.length - 10, ids.length, ids.length + 5]) {
      const page = await listBrands(db.reader, CSP, active, { offset, limit: 50 })
      expect(page.total).toBe(ids.length)
      expect(page.items.map(({ brandId }) => brandId)).toEqual(ids.slice(offset, offset + 50))
    }
    const found = async (displayName: string) =>
      (await listBrands(db.reader, CSP, { ...active, displayName }, { offset: 0, limit: 10 })).total
    expect(await found('zebra')).toBe(1)
    expect(await found('acme 2000')).toBe(0)
    expect(await found('"acme" or 1')).toBe(0)
    expect(await found('a\0cme')).toBe(0)
  })
})

describe('a page', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['campaigns', () => listCampaigns(db.reader, CSP, {}, deepPage)],
    ['campaigns of a brand', () => listCampaigns(db.reader, CSP, { brandId: 'B1' }, deepPage)],
    ['resellers', () => listResellers(db.reader, CSP, undefined, deepPage)],
    ['resellers by name', () => listResellers(db.reader, CSP, 'a', deepPage)],
    ['tags', () => listTags(db.reader, CSP, {}, deepPage)],
    ['tags by name', () => listTags(db.reader, CSP, { name: 'vip' }, deepPage)],
  ])('of %s comes from an index', async (_name, list) => {
    await list()
    expect(db.queries.length).toBeGreaterThan(0)
    expect(scans()).toEqual([])
  })

  it('of refusals by the registry above comes from the index that has them alone', async () => {
    await listUpstreamRefusals(db.reader, {}, deepPage)
    const plans = db.plans().filter((step) => step.includes('registry_events'))
    expect(plans).toHaveLength(2)
    for (const plan of plans)
      expect(plan).toMatch(/USING (COVERING )?INDEX registry_events_refused/)
  })
})
