import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from '../../../src/platform/database/database.js'
import { type Brand, insertBrand, listBrands } from '../../../src/registry/storage/brands.js'
import { privateBrand } from '../../support/registry-samples.js'
import { tempFolder } from '../../support/temp-folder.js'

const BRANDS = 100_000
let folder: ReturnType<typeof tempFolder>
let db: ReturnType<typeof openDatabase>
beforeEach(() => {
  folder = tempFolder()
  db = openDatabase(`${folder.path}/test.db`)
})
afterEach(async () => {
  await db[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const brandAt = (index: number): Brand => ({
  brandId: `B${String(index).padStart(6, '0')}`,
  cspId: 'S000000',
  status: 'ACTIVE',
  identityStatus: 'VERIFIED',
  details: { ...privateBrand, entityType: 'PRIVATE_PROFIT', displayName: `Acme ${index}` },
  isMock: false,
  createdAt: index,
  scoring: 'finished',
  feedback: [],
  explanation: [],
  scoredInformation: '',
  hasPoliticalVet: false,
})

it('pages through 100,000 brands', async () => {
  await db.write(async (tx) => {
    for (let index = 0; index < BRANDS; index += 1) await insertBrand(tx, brandAt(index))
  })
  const filter = { status: 'ACTIVE', tag: [] } as const
  for (const offset of [0, 50_000, BRANDS - 100]) {
    const page = await listBrands(db.read, 'S000000', filter, { offset, limit: 100 })
    expect(page.total).toBe(BRANDS)
    expect(page.items.map(({ brandId }) => brandId)).toEqual(
      Array.from({ length: 100 }, (_, index) => brandAt(offset + index).brandId),
    )
  }
  const named = { ...filter, displayName: 'acme 9999' }
  const found = await listBrands(db.read, 'S000000', named, { offset: 0, limit: 100 })
  expect(found.total).toBe(11)
}, 120_000)
