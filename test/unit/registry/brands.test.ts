import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadTables } from '../../../src/registry/data/tables.js'
import { createEmbeddedRegistry } from '../../../src/registry/providers/embedded-registry.js'
import type { Brand } from '../../../src/registry/storage/brands.js'
import {
  DAY,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import {
  brands,
  campaign,
  privateBrand,
  soleProprietor,
} from '../../support/registry/registry-samples.js'

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

/** Opens a registry that lets `happen` happen once between a score and its storing. */
async function meanwhile(happen: (brand: Brand) => unknown): Promise<void> {
  const embedded = createEmbeddedRegistry(loadTables())
  let hasHappened = false
  await fixture[Symbol.asyncDispose]()
  fixture = await registryFixture({
    judge: {
      scoreBrand: async (brand, signal) => {
        const outcome = await embedded.scoreBrand(brand, signal)
        if (!hasHappened) {
          hasHappened = true
          await happen(brand)
        }
        return outcome
      },
    },
  })
}

describe('a brand', () => {
  it.each(
    Object.entries(brands),
  )('of entity type %s is registered and scored', async (type, body) => {
    const added = await fixture.call('POST', '/brand/nonBlocking', body)
    expect(added).toMatchObject({ status: 200, body: { ...body, status: 'ACTIVE' } })
    expect(added.body.brandId).toMatch(/^B[A-Z0-9]{6}$/)
    await fixture.registry.settle()
    const { body: brand } = await fixture.call('GET', `/brand/${added.body.brandId}`)
    expect(brand.identityStatus).toBe(type === 'SOLE_PROPRIETOR' ? 'SELF_DECLARED' : 'VERIFIED')
    expect(await fixture.call('GET', `/brand/feedback/${added.body.brandId}`)).toMatchObject({
      status: 200,
      body: { brandId: added.body.brandId, category: [] },
    })
  })

  it('has a reference that no other brand of the CSP has, whatever its case', async () => {
    const first = { ...privateBrand, referenceId: 'Ref-1' }
    await fixture.call('POST', '/brand', first)
    const second = await fixture.call('POST', '/brand', { ...first, referenceId: 'rEF-1' })
    expect(second).toMatchObject({ status: 400, body: [{ code: 503, fields: ['referenceId'] }] })
    const empty = { ...privateBrand, referenceId: '' }
    expect((await fixture.call('POST', '/brand', empty)).status).toBe(200)
    expect((await fixture.call('POST', '/brand', empty)).status).toBe(200)
    const other = await fixture.another('Another CSP')
    expect((await fixture.call('POST', '/brand', first, other)).status).toBe(200)
  })

  it('has a US tax ID of nine digits, whether or not a hyphen is written in it', async () => {
    const hyphened = { ...privateBrand, ein: '12-3456789' }
    const { body } = await fixture.call('POST', '/brand', hyphened)
    expect(body['ein']).toBe('123456789')
    await fixture.registry.settle()
    const same = await fixture.call('PUT', `/brand/${body.brandId}`, hyphened)
    expect(same).toMatchObject({ status: 200, body: { identityStatus: 'VERIFIED' } })
    for (const ein of ['123456789', '12-3456789'])
      expect((await fixture.call('GET', `/brand?ein=${ein}`)).body.totalRecords).toBe(1)
    const foreign = { ...hyphened, einIssuingCountry: 'DE' }
    expect((await fixture.call('POST', '/brand', foreign)).body['ein']).toBe('12-3456789')
    const odd = await fixture.call('POST', '/brand', { ...privateBrand, ein: '1-23456789' })
    expect(odd).toMatchObject({ status: 400, body: [{ code: 501, fields: ['ein'] }] })
  })

  it('takes an attribute as its value, and shows it as an object', async () => {
    const optionalAttributes = { russell3000: true, taxExemptStatus: { value: '501c3' } }
    const added = await fixture.call('POST', '/brand', { ...privateBrand, optionalAttributes })
    const shown = { russell3000: { value: true }, taxExemptStatus: { value: '501c3' } }
    expect(added).toMatchObject({ status: 200, body: { optionalAttributes: shown } })
    for (const russell3000 of [[true], 'perhaps', { value: 3000 }]) {
      const odd = { ...privateBrand, optionalAttributes: { russell3000 } }
      expect(await fixture.call('POST', '/brand', odd)).toMatchObject({
        status: 400,
        body: [{ code: 501, fields: ['optionalAttributes'] }],
      })
    }
  })

  it('with an attribute that is nested too deeply is refused', async () => {
    const nested = (levels: number) =>
      JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown
    const add = (levels: number) => {
      const optionalAttributes = { russell3000: { value: true, note: nested(levels) } }
      return fixture.call('POST', '/brand', { ...privateBrand, optionalAttributes })
    }
    expect((await add(50)).status).toBe(200)
    expect(await add(1_000)).toMatchObject({ status: 400, body: [{ code: 501, fields: ['body'] }] })
  })

  it('of another CSP looks like none', async () => {
    const { body } = await fixture.call('POST', '/brand', privateBrand)
    const other = await fixture.another('Another CSP')
    const seen = await fixture.call('GET', `/brand/${body.brandId}`, undefined, other)
    expect(seen).toMatchObject({ status: 400, body: [{ code: 502, fields: ['brandId'] }] })
  })

  it('that contradicts itself is unverified, with feedback that says why', async () => {
    const wrong = { ...privateBrand, ein: '070000001', postalCode: '10001' }
    const { body } = await fixture.call('POST', '/brand', wrong)
    await fixture.registry.settle()
    const { body: brand } = await fixture.call('GET', `/brand/${body.brandId}`)
    expect(brand.identityStatus).toBe('UNVERIFIED')
    const { body: feedback } = await fixture.call('GET', `/brand/feedback/${body.brandId}`)
    expect(feedback.category).toMatchObject([
      { id: 'TAX_ID', errors: [{ code: 'TFTI01' }, { code: 'TFTI03' }] },
    ])
  })

  it('that was corrected is scored again once, not twice the same', async () => {
    const { body } = await fixture.call('POST', '/brand', { ...privateBrand, ein: '070000001' })
    const path = `/brand/${body.brandId}`
    await fixture.registry.settle()
    expect(await fixture.call('PUT', `${path}/revet`)).toMatchObject({ body: [{ code: 525 }] })
    await fixture.call('PUT', path, privateBrand)
    expect(await fixture.call('PUT', `${path}/revet`)).toMatchObject({ status: 200 })
    await fixture.registry.settle()
    expect((await fixture.call('GET', path)).body.identityStatus).toBe('VERIFIED')
  })

  it.each([
    null,
    '',
    'US',
  ])('stays what it is when the country of its tax ID is given as %j: the US is the default', async (einIssuingCountry) => {
    const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
    await fixture.registry.settle()
    await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId })
    const update = { ...privateBrand, einIssuingCountry }
    expect(await fixture.call('PUT', `/brand/${brandId}`, update)).toMatchObject({
      status: 200,
      body: { einIssuingCountry: 'US', identityStatus: 'VERIFIED' },
    })
  })

  it('has an object of optional attributes, also without any', async () => {
    const { body } = await fixture.call('POST', '/brand', privateBrand)
    expect(body['optionalAttributes']).toEqual({})
  })

  it('refuses a PUT of what it would leave as it is', async () => {
    const given = { ...privateBrand, tag: ['retail'] }
    const { brandId } = (await fixture.call('POST', '/brand', given)).body
    const put = (change: object) =>
      fixture.call('PUT', `/brand/${brandId}`, { ...privateBrand, ...change })
    expect((await put({ tag: ['Retail'], mock: false })).status).toBe(200)
    expect((await put({ tag: [], mock: true })).body).toMatchObject([
      { code: 501, fields: ['tag'] },
      { code: 501, fields: ['mock'] },
    ])
  })

  it.each(['999.1.1.1', 'localhost', '10.0.0'])('has no IP address %s', async (ipAddress) => {
    const added = await fixture.call('POST', '/brand', { ...privateBrand, ipAddress })
    expect(added.body).toMatchObject([{ code: 501, fields: ['ipAddress'] }])
  })

  it.each([
    '192.0.2.7',
    '2001:db8::7',
    '',
    null,
  ])('may have the IP address %s', async (ipAddress) => {
    expect((await fixture.call('POST', '/brand', { ...privateBrand, ipAddress })).status).toBe(200)
  })

  it('becomes unverified when what identifies it changes', async () => {
    const { body } = await fixture.call('POST', '/brand', privateBrand)
    await fixture.registry.settle()
    const changed = { ...privateBrand, companyName: 'Acme Limited' }
    const update = await fixture.call('PUT', `/brand/${body.brandId}`, changed)
    expect(update.body.identityStatus).toBe('UNVERIFIED')
    const told = async () => {
      const path = `/webhook/event?brandId=${body.brandId}&recordsPerPage=100`
      const { records } = (await fixture.call('GET', path)).body
      return records.filter(({ eventType }) => eventType === 'BRAND_IDENTITY_STATUS_UPDATE').length
    }
    expect(await told()).toBe(2)
    const renamed = { ...changed, displayName: 'Acme 2' }
    expect((await fixture.call('PUT', `/brand/${body.brandId}`, renamed)).body.displayName).toBe(
      'Acme 2',
    )
    expect(await told()).toBe(2)
  })

  it('is scored by the facts that it has, when they change while it is scored', async () => {
    const change = { ...privateBrand, ein: '000000000' }
    await meanwhile(({ brandId }) => fixture.call('PUT', `/brand/${brandId}`, change))
    const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
    await fixture.registry.settle()
    const { body } = await fixture.call('GET', `/brand/${brandId}`)
    expect(body).toMatchObject({ ein: '000000000', identityStatus: 'UNVERIFIED' })
    expect(body['universalEin']).toBe('US_000000000')
    const feedback = await fixture.call('GET', `/brand/feedback/${brandId}`)
    expect(feedback.body.category).toMatchObject([{ errors: [{ code: 'TFTI01' }] }])
  })

  it('keeps what an operator decides while it is scored', async () => {
    await meanwhile(({ brandId }) =>
      fixture.operator.request(`/brands/${brandId}/identity`, {
        method: 'PUT',
        body: JSON.stringify({ identityStatus: 'UNVERIFIED', explanation: 'No such company.' }),
      }),
    )
    const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
    await fixture.registry.settle()
    const { body } = await fixture.call('GET', `/brand/${brandId}`)
    expect(body.identityStatus).toBe('UNVERIFIED')
  })

  it('is refused with a required text of spaces alone', async () => {
    expect(
      await fixture.call('POST', '/brand', { ...privateBrand, displayName: '   ' }),
    ).toMatchObject({
      status: 400,
      body: [{ code: 501, fields: ['displayName'] }],
    })
  })

  it('may change its relationship once every three months', async () => {
    const { body } = await fixture.call('POST', '/brand', privateBrand)
    const path = `/brand/${body.brandId}`
    const put = (brandRelationship: string) =>
      fixture.call('PUT', path, { ...privateBrand, brandRelationship })
    expect((await put('MEDIUM_ACCOUNT')).status).toBe(200)
    await fixture.turn(80 * DAY)
    expect(await put('KEY_ACCOUNT')).toMatchObject({
      status: 400,
      body: [{ code: 528, fields: ['brandRelationship'] }],
    })
    await fixture.turn(11 * DAY)
    expect((await put('KEY_ACCOUNT')).status).toBe(200)
  })

  it('uses a mobile phone that at most two other sole proprietors use', async () => {
    for (let times = 0; times < 3; times += 1)
      expect((await fixture.call('POST', '/brand', soleProprietor)).status).toBe(200)
    expect(await fixture.call('POST', '/brand', soleProprietor)).toMatchObject({
      status: 400,
      body: [{ code: 550, fields: ['mobilePhone'] }],
    })
  })

  it('is deleted, and its reference is free again', async () => {
    const first = { ...privateBrand, referenceId: 'R1' }
    const { body } = await fixture.call('POST', '/brand', first)
    expect((await fixture.call('DELETE', `/brand/${body.brandId}`)).status).toBe(204)
    expect((await fixture.call('GET', '/brand')).body.totalRecords).toBe(0)
    expect((await fixture.call('GET', '/brand?status=DELETED')).body.totalRecords).toBe(1)
    expect((await fixture.call('POST', '/brand', first)).status).toBe(200)
  })
})

describe('the list of brands', () => {
  it('pages and filters', async () => {
    for (let index = 0; index < 12; index += 1)
      await fixture.call('POST', '/brand', { ...privateBrand, displayName: `Acme ${index}` })
    await fixture.call('POST', '/brand', { ...soleProprietor, tag: ['vip'], mock: true })
    const second = await fixture.call('GET', '/brand?page=2')
    expect(second.body).toMatchObject({ page: 2, totalRecords: 13 })
    expect(second.body.records).toHaveLength(3)
    const count = async (query: string) =>
      (await fixture.call('GET', `/brand?${query}`)).body.totalRecords
    expect(await count('displayName=acme%201')).toBe(3)
    expect(await count('displayName=%25')).toBe(0)
    expect(await count('entityType=SOLE_PROPRIETOR')).toBe(1)
    expect(await count('tag=vip')).toBe(1)
    expect(await count('mock=true')).toBe(1)
    expect(await count('mock=')).toBe(13)
    expect(await count('state=TX&country=US&ein=123456789')).toBe(12)
  })

  it.each([
    ['page=0'],
    ['recordsPerPage=501'],
    ['entityType=BANK'],
    ['mock=maybe'],
  ])('refuses %s', async (query) => {
    const answer = await fixture.call('GET', `/brand?${query}`)
    expect(answer).toMatchObject({
      status: 400,
      body: [{ code: 501, fields: [query.split('=')[0]] }],
    })
  })
})

describe('every request', () => {
  it('needs a key', async () => {
    const response = await fixture.app.request('/v2/csp/brand')
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject([{ code: 202, fields: [] }])
  })

  it('may send its sid and key as Basic credentials, as clients of the public registry do', async () => {
    const basic = (secret: string) => ({
      headers: { authorization: `Basic ${btoa(`${fixture.account.sid}:${secret}`)}` },
    })
    const { secret } = fixture.account
    expect((await fixture.app.request('/v2/csp/brand', basic(secret))).status).toBe(200)
    const wrong = await fixture.app.request('/v2/csp/brand', basic('0'.repeat(32)))
    expect(wrong.status).toBe(401)
    expect(wrong.headers.get('www-authenticate')).toContain('Basic')
  })

  it.each(['Bearer   ', 'bearer ', ' Bearer '])('may write its key behind "%s"', async (scheme) => {
    const headers = { authorization: `${scheme}${fixture.account.secret} ` }
    const response = await fixture.app.request('/v2/csp/brand', { headers })
    expect(response.status).toBe(200)
  })

  it('with an idempotency key happens once', async () => {
    const send = (body: unknown) =>
      fixture.app.request('/v2/csp/brand', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          authorization: `Bearer ${fixture.account.secret}`,
          'idempotency-key': 'k1',
        },
      })
    const first: unknown = await (await send(privateBrand)).json()
    const again = await send(privateBrand)
    expect(await again.json()).toEqual(first)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await fixture.call('GET', '/brand')).body.totalRecords).toBe(1)
    const other = await send({ ...privateBrand, displayName: 'Other' })
    expect(other.status).toBe(409)
  })
})
