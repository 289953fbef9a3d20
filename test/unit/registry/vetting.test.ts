import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { schedule } from '../../../src/registry/jobs/jobs.js'
import {
  DAY,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import { privateBrand, soleProprietor } from '../../support/registry/registry-samples.js'

/** A list of one appeal that waits. */
const oneAppeal = z.tuple([
  z.looseObject({ appealId: z.string().min(1), appealStatus: z.literal('PENDING') }),
])

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

async function register(body: object = privateBrand): Promise<string> {
  const { brandId } = (await fixture.call('POST', '/brand', body)).body
  await fixture.registry.settle()
  return brandId
}
const decide = (vettingId: string, score: number | null) =>
  fixture.operator.request(`/vettings/${vettingId}`, {
    method: 'PUT',
    body: JSON.stringify({ score }),
  })
const order = (brandId: string, vettingClass = 'STANDARD', evpId = 'AEGIS') =>
  fixture.call('POST', `/brand/${brandId}/externalVetting`, { evpId, vettingClass })

describe('an external vetting', () => {
  it('scores the brand, says why, and locks what was vetted', async () => {
    const brandId = await register()
    const { vettingId } = (await order(brandId)).body
    await fixture.registry.settle()
    const path = `/brand/${brandId}/externalVetting`
    expect((await fixture.call('GET', `${path}?vettingStatus=ACTIVE`)).body).toMatchObject([
      {
        vettingId,
        vettingScore: 70,
        reasons: expect.arrayContaining(['+15 has a website']) as unknown,
      },
    ])
    expect((await fixture.call('GET', path)).body).toMatchObject([{ code: 501 }])
    expect((await fixture.call('GET', `/brand/${brandId}`)).body).toMatchObject({
      identityStatus: 'VETTED_VERIFIED',
      evpVettingScore: 70,
    })
    const changed = { ...privateBrand, ein: '123456780' }
    expect((await fixture.call('PUT', `/brand/${brandId}`, changed)).body).toMatchObject([
      { code: 537, fields: ['ein'] },
    ])
    expect((await order(brandId)).body).toMatchObject([{ code: 549 }])
    await fixture.turn(31 * DAY)
    expect((await order(brandId)).status).toBe(200)
  })

  it('that has lost its score locks what was vetted, since it may get another one', async () => {
    const brandId = await register()
    const { vettingId } = (await order(brandId)).body
    await fixture.registry.settle()
    expect((await decide(vettingId, null)).status).toBe(204)
    const changed = { ...privateBrand, companyName: 'Another Company', ein: '123456780' }
    expect((await fixture.call('PUT', `/brand/${brandId}`, changed)).body).toMatchObject([
      { code: 537, fields: ['companyName', 'ein'] },
    ])
    expect((await decide(vettingId, 80)).status).toBe(204)
    expect((await fixture.call('GET', `/brand/${brandId}`)).body).toMatchObject({
      identityStatus: 'VETTED_VERIFIED',
      companyName: privateBrand.companyName,
    })
  })

  it('of politics expires after a year', async () => {
    const brandId = await register()
    await order(brandId, 'POLITICAL', 'CV')
    await fixture.registry.settle()
    expect((await fixture.call('GET', `/brand/${brandId}`)).body['politicalVettingId']).toEqual(
      expect.any(String),
    )
    await fixture.turn(366 * DAY)
    const path = `/brand/${brandId}/externalVetting`
    expect((await fixture.call('GET', `${path}?vettingStatus=EXPIRED`)).body).toHaveLength(1)
  })

  it('of politics that has lost its score expires then too, and locks nothing any more', async () => {
    const brandId = await register()
    const { vettingId } = (await order(brandId, 'POLITICAL', 'CV')).body
    await fixture.registry.settle()
    expect((await decide(vettingId, null)).status).toBe(204)
    await fixture.turn(366 * DAY)
    const path = `/brand/${brandId}/externalVetting`
    expect((await fixture.call('GET', `${path}?vettingStatus=EXPIRED`)).body).toHaveLength(1)
    const late = await decide(vettingId, 80)
    expect(await late.json()).toMatchObject([{ code: 592, fields: ['vettingId'] }])
    const changed = { ...privateBrand, ein: '123456780' }
    expect((await fixture.call('PUT', `/brand/${brandId}`, changed)).status).toBe(200)
  })

  it('that was imported expires with the one that it was taken from', async () => {
    const { vettingId } = (await order(await register(), 'POLITICAL', 'CV')).body
    await fixture.registry.settle()
    await fixture.turn(200 * DAY)
    const brandId = await register()
    const path = `/brand/${brandId}/externalVetting`
    expect((await fixture.call('PUT', path, { evpId: 'CV', vettingId })).status).toBe(200)
    await fixture.turn(200 * DAY)
    expect((await fixture.call('GET', `${path}?vettingStatus=EXPIRED`)).body).toHaveLength(1)
    expect((await fixture.call('GET', `/brand/${brandId}`)).body).toMatchObject({
      identityStatus: 'VERIFIED',
      evpVettingScore: null,
    })
  })

  it('in depth has a report', async () => {
    const brandId = await register()
    const { vettingId } = (await order(brandId, 'ENHANCED')).body
    await fixture.registry.settle()
    const path = `/brand/${brandId}/externalVetting/enhancedVettingReport`
    expect((await fixture.call('GET', path)).body).toMatchObject({
      vettingId,
      vettingClass: 'ENHANCED',
      vettingScore: 70,
      reasons: expect.arrayContaining(['+15 has a website']) as unknown,
    })
  })

  it('is ordered where it is offered, for brands that can have one', async () => {
    const brandId = await register()
    expect((await order(brandId, 'STANDARD', 'X')).body).toMatchObject([
      { code: 501, fields: ['evpId'] },
    ])
    expect((await order(brandId, 'POLITICAL', 'WMC')).body).toMatchObject([
      { code: 501, fields: ['vettingClass'] },
    ])
    expect((await order(await register(soleProprietor))).body).toMatchObject([{ code: 541 }])
  })

  it('is imported for the same company only', async () => {
    const { vettingId } = (await order(await register())).body
    await fixture.registry.settle()
    const put = async (brand: object, id = vettingId) =>
      fixture.call('PUT', `/brand/${await register(brand)}/externalVetting`, {
        evpId: 'AEGIS',
        vettingId: id,
      })
    expect((await put(privateBrand)).status).toBe(200)
    expect((await put(privateBrand, 'x')).body).toMatchObject([{ code: 539 }])
    expect((await put({ ...privateBrand, ein: '123456780' })).body).toMatchObject([{ code: 543 }])
    expect((await put({ ...privateBrand, companyName: 'B' })).body).toMatchObject([{ code: 538 }])
  })
})

describe('the import of a vetting', () => {
  const imported = (brandId: string, vettingId: string) =>
    fixture.call('PUT', `/brand/${brandId}/externalVetting`, { evpId: 'AEGIS', vettingId })
  const active = async (brandId: string) =>
    (await fixture.call('GET', `/brand/${brandId}/externalVetting?vettingStatus=ACTIVE`)).body

  it('that has lost its score is refused, and leaves the brand as it was', async () => {
    const [first, second] = [await register(), await register()]
    const { vettingId } = (await order(first)).body
    await fixture.registry.settle()
    expect((await decide(vettingId, null)).status).toBe(204)
    expect(await imported(second, vettingId)).toMatchObject({ status: 400, body: [{ code: 539 }] })
    const changed = { ...privateBrand, ein: '123456780' }
    expect((await fixture.call('PUT', `/brand/${second}`, changed)).status).toBe(200)
  })

  it('happens once, also by way of a third brand', async () => {
    const [first, second, third] = [await register(), await register(), await register()]
    const { vettingId } = (await order(first)).body
    await fixture.registry.settle()
    const copy = (await imported(second, vettingId)).body
    expect((await imported(third, copy.vettingId)).status).toBe(200)
    for (const [brandId, id] of [
      [second, vettingId],
      [third, vettingId],
      [third, copy.vettingId],
      [first, copy.vettingId],
    ] as const)
      expect((await imported(brandId, id)).body).toMatchObject([{ code: 549 }])
    expect(await active(second)).toHaveLength(1)
    expect(await active(third)).toHaveLength(1)
  })
})

describe('an appeal', () => {
  it('with evidence is granted by an operator', async () => {
    const brandId = await register({ ...privateBrand, ein: '070000001' })
    const path = `/brand/${brandId}/appeal`
    const pdf = Buffer.from('%PDF-1.7')
    const { uuid } = (await fixture.upload(`${path}/evidence`, 'ein.pdf', pdf)).body
    expect((await fixture.call('GET', `${path}/evidence`)).body).toMatchObject([{ uuid }])
    const appeal = { appealCategories: ['VERIFY_TAX_ID'], attachmentUuids: [uuid] }
    const wrong = { ...appeal, appealCategories: ['FUN'] }
    expect((await fixture.call('POST', path, wrong)).body).toMatchObject([{ code: 559 }])
    expect((await fixture.call('POST', path, appeal)).status).toBe(204)
    const [pending] = oneAppeal.parse((await fixture.call('GET', path)).body)
    expect(pending).toMatchObject({
      appealStatus: 'PENDING',
      categoryList: ['VERIFY_TAX_ID'],
      attachmentUuidList: [uuid],
      appealOutcome: null,
    })
    expect((await fixture.call('POST', path, appeal)).body).toMatchObject([{ code: 592 }])
    const evidence = `/attachment/${uuid}`
    expect(await fixture.call('DELETE', evidence)).toMatchObject({
      status: 400,
      body: [{ code: 592, fields: ['attachmentId'] }],
    })
    await fixture.operator.request(`/appeals/${pending.appealId}`, {
      method: 'PUT',
      body: JSON.stringify({ isGranted: true }),
    })
    expect((await fixture.call('GET', path)).body).toMatchObject([
      { appealStatus: 'COMPLETE', appealOutcome: { isGranted: true } },
    ])
    expect((await fixture.call('GET', `/brand/${brandId}`)).body.identityStatus).toBe('VERIFIED')
    expect((await fixture.call('DELETE', evidence)).status).toBe(204)
  })

  it('ends when the facts change that it is about', async () => {
    const wrong = { ...privateBrand, ein: '070000001' }
    const brandId = await register(wrong)
    const path = `/brand/${brandId}/appeal`
    const appeal = { appealCategories: ['VERIFY_TAX_ID'] }
    expect((await fixture.call('POST', path, appeal)).status).toBe(204)
    const [{ appealId }] = oneAppeal.parse((await fixture.call('GET', path)).body)
    const other = { ...wrong, companyName: 'Another Company', ein: '070000002' }
    expect((await fixture.call('PUT', `/brand/${brandId}`, other)).status).toBe(200)
    const decided = await fixture.operator.request(`/appeals/${appealId}`, {
      method: 'PUT',
      body: JSON.stringify({ isGranted: true }),
    })
    expect(await decided.json()).toMatchObject([{ code: 592 }])
    expect((await fixture.call('GET', path)).body).toMatchObject([
      { appealStatus: 'COMPLETE', appealOutcome: { isGranted: false } },
    ])
    expect((await fixture.call('GET', `/brand/${brandId}`)).body.identityStatus).toBe('UNVERIFIED')
  })

  it('ends when its brand is deleted, and nobody grants it afterwards', async () => {
    const brandId = await register({ ...privateBrand, ein: '070000001' })
    const path = `/brand/${brandId}/appeal`
    const appeal = { appealCategories: ['VERIFY_TAX_ID'] }
    expect((await fixture.call('POST', path, appeal)).status).toBe(204)
    const [{ appealId }] = oneAppeal.parse((await fixture.call('GET', path)).body)
    const grantAt = (dueAt: number) =>
      fixture.db.write((tx) => schedule(tx, 'grant-appeal', appealId, dueAt))
    await grantAt(fixture.clock.now() + DAY)
    expect((await fixture.call('DELETE', `/brand/${brandId}`)).status).toBe(204)
    // As an earlier version left it.
    await grantAt(fixture.clock.now())
    await fixture.turn(1)
    const jobs = fixture.db.read.selectFrom('registry_jobs').select('kind')
    expect(await jobs.where('kind', '=', 'grant-appeal').execute()).toEqual([])
    const outcome = { isGranted: false, explanation: 'the brand was deleted' }
    expect((await fixture.call('GET', path)).body).toMatchObject([
      { appealId, appealStatus: 'COMPLETE', appealOutcome: outcome },
    ])
    const waiting = await fixture.operator.request('/appeals?appealStatus=PENDING')
    expect(await waiting.json()).toMatchObject({ totalRecords: 0 })
  })

  it('comes within 45 days, against something', async () => {
    const appeal = { appealCategories: ['VERIFY_TAX_ID'] }
    const good = await register()
    expect((await fixture.call('POST', `/brand/${good}/appeal`, appeal)).body).toMatchObject([
      { code: 592 },
    ])
    const bad = await register({ ...privateBrand, ein: '070000001' })
    await fixture.turn(46 * DAY)
    expect((await fixture.call('POST', `/brand/${bad}/appeal`, appeal)).body).toMatchObject([
      { code: 592 },
    ])
    const ofVetting = { evpId: 'AEGIS', vettingId: 'x', appealCategories: ['LOW_SCORE'] }
    const path = `/brand/${good}/externalVetting/appeal`
    expect((await fixture.call('POST', path, ofVetting)).body).toMatchObject([{ code: 520 }])
    const { vettingId } = (await order(good)).body
    await fixture.registry.settle()
    const ofAnother = { ...ofVetting, evpId: 'CV', vettingId }
    expect((await fixture.call('POST', path, ofAnother)).body).toMatchObject([{ code: 520 }])
    expect((await fixture.call('GET', path)).body).toEqual([])
  })

  it('against a vetting is listed with its provider and class, whatever its category', async () => {
    const brandId = await register()
    const { vettingId } = (await order(brandId)).body
    await fixture.registry.settle()
    const both = `/brand/${brandId}/externalVetting?vettingStatus=ACTIVE&vettingStatus=PENDING`
    const found = await fixture.call('GET', both)
    expect(found.body).toMatchObject([{ vettingId }])
    const path = `/brand/${brandId}/externalVetting/appeal`
    const appeal = { evpId: 'AEGIS', vettingId, appealCategories: ['VERIFY_GOVERNMENT'] }
    expect((await fixture.call('POST', path, appeal)).status).toBe(204)
    expect((await fixture.call('GET', path)).body).toMatchObject([
      { brandId, vettingId, evpId: 'AEGIS', vettingClass: expect.any(String) as unknown },
    ])
  })
})
