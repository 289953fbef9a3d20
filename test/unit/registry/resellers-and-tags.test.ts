import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'

const reseller = {
  companyName: 'Partner GmbH',
  phone: '+12025550143',
  email: 'office@partner.example',
}

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

async function newReseller(companyName = reseller.companyName): Promise<string> {
  const { body } = await fixture.call('POST', '/reseller', { ...reseller, companyName })
  return body.resellerId
}

async function newBrand(): Promise<string> {
  const { body } = await fixture.call('POST', '/brand', privateBrand)
  await fixture.registry.settle()
  return body.brandId
}

async function newCampaign(extra: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const brandId = await newBrand()
  const { body } = await fixture.call('POST', '/campaignBuilder', {
    ...campaign,
    brandId,
    ...extra,
  })
  return body.campaignId
}

describe('a reseller', () => {
  it('is created, read, changed and deleted', async () => {
    const added = await fixture.call('POST', '/reseller', reseller)
    expect(added).toMatchObject({ status: 200, body: reseller })
    expect(added.body.resellerId).toMatch(/^R[A-Z0-9]{6}$/)
    expect(added.body.cspId).toMatch(/^S[A-Z0-9]{6}$/)
    const path = `/reseller/${added.body.resellerId}`
    expect((await fixture.call('GET', path)).body).toEqual(added.body)
    const changed = { ...reseller, companyName: 'Partner AG' }
    expect(await fixture.call('PUT', path, changed)).toMatchObject({ status: 200, body: changed })
    expect((await fixture.call('GET', path)).body).toMatchObject(changed)
    expect((await fixture.call('DELETE', path)).status).toBe(204)
    expect(await fixture.call('GET', path)).toMatchObject({
      status: 400,
      body: [{ code: 502, fields: ['resellerId'] }],
    })
  })

  it.each([
    ['companyName', undefined],
    ['companyName', ''],
    ['companyName', '   '],
    ['companyName', 'x'.repeat(101)],
    ['phone', undefined],
    ['phone', '202-555-0143'],
    ['phone', '+120255501430000000000'],
    ['email', undefined],
    ['email', 'office'],
    ['email', `${'x'.repeat(100)}@partner.example`],
  ])('is refused with %s %s', async (field, value) => {
    const refused = { status: 400, body: [{ code: 501, fields: [field] }] }
    const body = { ...reseller, [field]: value }
    expect(await fixture.call('POST', '/reseller', body)).toMatchObject(refused)
    const path = `/reseller/${await newReseller()}`
    expect(await fixture.call('PUT', path, body)).toMatchObject(refused)
  })

  it('has a company name that no other one of the CSP has, whatever its case', async () => {
    await newReseller('Partner')
    const duplicate = { status: 400, body: [{ code: 503, fields: ['companyName'] }] }
    const same = { ...reseller, companyName: 'pARTNER' }
    expect(await fixture.call('POST', '/reseller', same)).toMatchObject(duplicate)
    const second = await newReseller('Partner 2')
    expect(await fixture.call('PUT', `/reseller/${second}`, same)).toMatchObject(duplicate)
    const itself = { ...same, companyName: 'PARTNER 2' }
    expect((await fixture.call('PUT', `/reseller/${second}`, itself)).status).toBe(200)
    const other = await fixture.another('Another CSP')
    expect((await fixture.call('POST', '/reseller', same, other)).status).toBe(200)
  })

  it('stays while a campaign uses it', async () => {
    const resellerId = await newReseller()
    const campaignId = await newCampaign({ resellerId })
    const path = `/reseller/${resellerId}`
    expect(await fixture.call('DELETE', path)).toMatchObject({
      status: 400,
      body: [{ code: 592, fields: ['resellerId'] }],
    })
    expect((await fixture.call('GET', path)).status).toBe(200)
    const moved = await fixture.call('PUT', `/campaign/${campaignId}`, { resellerId: 'R000000' })
    expect(moved.status).toBe(200)
    expect((await fixture.call('DELETE', path)).status).toBe(204)
  })

  it('of another CSP looks like none', async () => {
    const path = `/reseller/${await newReseller()}`
    const other = await fixture.another('Another CSP')
    const none = { status: 400, body: [{ code: 502, fields: ['resellerId'] }] }
    expect(await fixture.call('GET', path, undefined, other)).toMatchObject(none)
    expect(await fixture.call('PUT', path, reseller, other)).toMatchObject(none)
    expect(await fixture.call('DELETE', path, undefined, other)).toMatchObject(none)
    expect((await fixture.call('GET', '/reseller', undefined, other)).body.totalRecords).toBe(0)
  })

  it('is found by a part of its name, page by page', async () => {
    for (let index = 0; index < 12; index += 1) await newReseller(`Partner ${index}`)
    const first = await fixture.call('GET', '/reseller')
    expect(first.body).toMatchObject({ page: 1, totalRecords: 12 })
    expect(first.body.records).toHaveLength(10)
    const second = await fixture.call('GET', '/reseller?page=2&recordsPerPage=5')
    expect(second.body.records.map((each) => each['companyName'])).toEqual(
      [5, 6, 7, 8, 9].map((index) => `Partner ${index}`),
    )
    const part = await fixture.call('GET', '/reseller?companyName=pArTnEr%201')
    expect(part.body.totalRecords).toBe(3)
    expect((await fixture.call('GET', '/reseller?companyName=%25')).body.totalRecords).toBe(0)
    expect((await fixture.call('GET', '/reseller?page=9')).body).toMatchObject({
      records: [],
      totalRecords: 12,
    })
  })

  it.each([
    'page=0',
    'page=x',
    'recordsPerPage=501',
    'recordsPerPage=0',
  ])('is not searched with %s', async (query) => {
    expect(await fixture.call('GET', `/reseller?${query}`)).toMatchObject({
      status: 400,
      body: [{ code: 501, fields: [query.split('=')[0]] }],
    })
  })
})

describe('a tag', () => {
  const put = (name: unknown, recordId: string, recordType = 'BRAND') =>
    fixture.call('PUT', '/tag', { name, recordType, recordId })
  const remove = (name: string, recordId: string, recordType = 'BRAND') =>
    fixture.call(
      'DELETE',
      `/tag/name/${encodeURIComponent(name)}/recordType/${recordType}/recordId/${recordId}`,
    )

  it('is kept in lower case, listed with its record, and deleted', async () => {
    const brandId = await newBrand()
    expect(await put('VIP', brandId)).toMatchObject({
      status: 200,
      body: { name: 'vip', recordType: 'BRAND', recordId: brandId },
    })
    expect((await fixture.call('GET', `/brand/${brandId}`)).body['tag']).toEqual(['vip'])
    expect((await remove('Vip', brandId)).status).toBe(204)
    expect(await remove('vip', brandId)).toMatchObject({ status: 400, body: [{ code: 502 }] })
    expect((await fixture.call('GET', '/tag')).body.totalRecords).toBe(0)
  })

  it('of a campaign is one of its own', async () => {
    const campaignId = await newCampaign()
    expect((await put('winter', campaignId, 'CAMPAIGN')).status).toBe(200)
    expect(await put('winter', campaignId, 'BRAND')).toMatchObject({
      status: 400,
      body: [{ code: 531, fields: ['recordId'] }],
    })
    expect((await fixture.call('GET', `/campaign/${campaignId}`)).body['tag']).toEqual(['winter'])
  })

  it('of a campaign is found by its name, however long that is', async () => {
    const name = 'w'.repeat(255)
    const recordId = await newCampaign({ tag: [name] })
    const found = await fixture.call('GET', `/tag?name=${name}`)
    expect(found.body.records).toEqual([{ name, recordType: 'CAMPAIGN', recordId }])
  })

  it('is one tag, whether its letters are composed or not', async () => {
    const composed = 'caf\u00e9'
    const decomposed = 'cafe\u0301'
    const { body } = await fixture.call('POST', '/brand', {
      ...privateBrand,
      tag: [composed, decomposed],
    })
    expect(body['tag']).toEqual([composed])
    expect((await put(decomposed, body.brandId)).body).toMatchObject({ name: composed })
    const campaignId = await newCampaign({ tag: [decomposed] })
    const found = async (path: string) =>
      (await fixture.call('GET', `${path}=${encodeURIComponent(decomposed)}`)).body.totalRecords
    expect(await found('/tag?name')).toBe(2)
    expect(await found('/brand?tag')).toBe(1)
    expect(await found('/campaign/search?tag')).toBe(1)
    expect((await remove(decomposed, campaignId, 'CAMPAIGN')).status).toBe(204)
    expect(await found('/tag?name')).toBe(1)
  })

  it.each(['日本語', 'größe', 'a'.repeat(50), '2026'])('may be %s', async (name) => {
    const brandId = await newBrand()
    expect(await put(name, brandId)).toMatchObject({ status: 200, body: { name } })
    expect((await remove(name, brandId)).status).toBe(204)
  })

  it.each([
    '',
    'two words',
    'a-b',
    'a.b',
    'a'.repeat(51),
    'tab\t',
    '‽',
  ])('may not be %j', async (name) => {
    expect(await put(name, await newBrand())).toMatchObject({
      status: 400,
      body: [{ code: 501, fields: ['name'] }],
    })
  })

  it('is the eleventh of a brand: refused, while one it has already is not', async () => {
    const brandId = await newBrand()
    for (let index = 0; index < 10; index += 1)
      expect((await put(`tag${index}`, brandId)).status).toBe(200)
    expect(await put('eleventh', brandId)).toMatchObject({ status: 400, body: [{ code: 530 }] })
    expect((await put('TAG9', brandId)).status).toBe(200)
    expect((await fixture.call('GET', '/tag')).body.totalRecords).toBe(10)
  })

  it('needs a record of the CSP that is there', async () => {
    const brandId = await newBrand()
    const other = await fixture.another('Another CSP')
    const tag = { name: 'vip', recordType: 'BRAND', recordId: brandId }
    const none = { status: 400, body: [{ code: 531, fields: ['recordId'] }] }
    expect(await fixture.call('PUT', '/tag', tag, other)).toMatchObject(none)
    expect(await put('vip', 'B000000')).toMatchObject(none)
    await fixture.call('DELETE', `/brand/${brandId}`)
    expect(await put('vip', brandId)).toMatchObject(none)
    expect(await put('vip', brandId, 'RESELLER')).toMatchObject({
      status: 400,
      body: [{ code: 501, fields: ['recordType'] }],
    })
    expect(await remove('vip', brandId, 'RESELLER')).toMatchObject({ body: [{ code: 501 }] })
  })

  it('is listed by name, record and type, and only to its CSP', async () => {
    const [first, second] = [await newBrand(), await newBrand()]
    for (const [name, recordId] of [
      ['vip', first],
      ['vip', second],
      ['trial', second],
    ] as const)
      await put(name, recordId)
    const count = async (query: string) =>
      (await fixture.call('GET', `/tag?${query}`)).body.totalRecords
    expect(await count('')).toBe(3)
    expect(await count('name=VIP')).toBe(2)
    expect(await count(`recordId=${second}`)).toBe(2)
    expect(await count(`name=vip&recordId=${second}&recordType=BRAND`)).toBe(1)
    expect(await count('recordType=CAMPAIGN')).toBe(0)
    const paged = await fixture.call('GET', '/tag?page=2&recordsPerPage=2')
    expect(paged.body.records).toEqual([{ name: 'trial', recordType: 'BRAND', recordId: second }])
    const other = await fixture.another('Another CSP')
    expect((await fixture.call('GET', '/tag', undefined, other)).body.totalRecords).toBe(0)
  })
})
