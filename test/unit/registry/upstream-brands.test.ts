import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'
import {
  carriedCampaign,
  loseAnswerOf,
  sentUp,
  type TwoRegistries,
  twoRegistries,
} from '../../support/registry/two-registries.js'

/** The brand of a campaign that went up, as the registry above has it. */
let two: TwoRegistries
beforeEach(async () => {
  two = await twoRegistries()
})
afterEach(() => two[Symbol.asyncDispose]())

describe('a brand', () => {
  const brandAbove = async (brandThere: string) =>
    (await two.above.call('GET', `/brand/${brandThere}`)).body

  it('that is changed is changed above, once, also after the registry was away', async () => {
    const { brandId, brandThere } = await carriedCampaign(two)
    const { ein: _, companyName: __, ...required } = privateBrand
    two.isAboveUp = false
    const change = { ...required, email: 'help@acme.example', website: null, referenceId: 'mine' }
    expect((await two.ours.call('PUT', `/brand/${brandId}`, change)).status).toBe(200)
    await two.ours.registry.settle()
    two.isAboveUp = true
    loseAnswerOf(two, 'PUT', `/brand/${brandThere}`)
    await two.goOn()
    await two.goOn()
    expect(await brandAbove(brandThere)).toMatchObject({
      email: 'help@acme.example',
      website: null,
      // Our identifier; the customer's own reference stays here.
      referenceId: brandId,
    })
    expect(sentUp(two, 'PUT', `/brand/${brandThere}`)).toHaveLength(1)
  })

  it('that is changed is changed above, though its campaign has ended there', async () => {
    const { brandId, campaignId, brandThere, there } = await carriedCampaign(two)
    await two.above.call('DELETE', `/campaign/${there}`)
    await two.ours.call('PUT', `/campaign/${campaignId}`, { sample2: null })
    await two.ours.call('PUT', `/brand/${brandId}`, { ...privateBrand, website: null })
    await two.goOn()
    expect(await brandAbove(brandThere)).toMatchObject({ website: null })
  })

  it('that nobody has shared up is not spoken of above', async () => {
    const { brandId } = (await two.ours.call('POST', '/brand', privateBrand)).body
    await two.ours.registry.settle()
    await two.ours.call('PUT', `/brand/${brandId}`, { ...privateBrand, website: null })
    await two.ours.call('DELETE', `/brand/${brandId}`)
    const jobs = two.ours.db.read.selectFrom('registry_jobs').select('kind')
    expect(await jobs.where('kind', 'like', '%-upstream').execute()).toEqual([])
  })

  it('that is identified anew is re-vetted above, after its campaigns have ended there', async () => {
    const { brandId, campaignId, brandThere, there } = await carriedCampaign(two)
    two.isAboveUp = false
    await two.ours.call('DELETE', `/campaign/${campaignId}`)
    await two.ours.registry.settle()
    const change = { ...privateBrand, companyName: 'Acme Holding Incorporated' }
    expect((await two.ours.call('PUT', `/brand/${brandId}`, change)).status).toBe(200)
    expect((await two.ours.call('PUT', `/brand/${brandId}/revet`)).status).toBe(200)
    await two.ours.registry.settle()
    two.isAboveUp = true
    await two.goOn()
    expect((await two.above.call('GET', `/campaign/${there}`)).body.status).toBe('EXPIRED')
    expect(await brandAbove(brandThere)).toMatchObject({
      companyName: 'Acme Holding Incorporated',
      identityStatus: 'VERIFIED',
    })
    const sent = two.written.slice(-3).map(({ method, path }) => `${method} ${path}`)
    expect(sent).toEqual([
      `DELETE /campaign/${there}`,
      `PUT /brand/${brandThere}`,
      `PUT /brand/${brandThere}/revet`,
    ])
  })

  it('is re-vetted above once, though that registry is busy and an answer is lost', async () => {
    const { brandId, campaignId, brandThere } = await carriedCampaign(two)
    await two.ours.call('DELETE', `/campaign/${campaignId}`)
    const change = { ...privateBrand, companyName: 'Acme Holding Incorporated' }
    await two.ours.call('PUT', `/brand/${brandId}`, change)
    const path = `/brand/${brandThere}/revet`
    const busy = [{ code: 527, description: 'scoring has not finished', fields: [] }]
    two.answer = (_, sent) => {
      if (sent.path !== path) return Promise.resolve(undefined)
      loseAnswerOf(two, 'PUT', path)
      return Promise.resolve(Response.json(busy, { status: 400 }))
    }
    expect((await two.ours.call('PUT', `/brand/${brandId}/revet`)).status).toBe(200)
    for (let times = 0; times < 3; times += 1) await two.goOn()
    expect(await brandAbove(brandThere)).toMatchObject({ identityStatus: 'VERIFIED' })
    expect(sentUp(two, 'PUT', path).length).toBeGreaterThan(2)
    const { cspId } = (await two.above.call('GET', '/csp/profile')).body
    const answer = await two.above.operator.request(`/csps/${cspId}/charges`)
    const { charges } = (await answer.json()) as { charges: { kind: string }[] }
    expect(charges.filter(({ kind }) => kind === 'revet')).toHaveLength(1)
    const jobs = two.ours.db.read.selectFrom('registry_jobs').select('kind')
    expect(await jobs.where('kind', 'like', '%-upstream').execute()).toEqual([])
  })

  it('that is deleted is deleted above, after its campaigns have ended there', async () => {
    const { brandId, campaignId, brandThere, there } = await carriedCampaign(two)
    two.isAboveUp = false
    await two.ours.call('DELETE', `/campaign/${campaignId}`)
    await two.ours.registry.settle()
    expect((await two.ours.call('DELETE', `/brand/${brandId}`)).status).toBe(204)
    await two.ours.registry.settle()
    two.isAboveUp = true
    await two.goOn()
    expect((await two.above.call('GET', `/campaign/${there}`)).body.status).toBe('EXPIRED')
    expect(await brandAbove(brandThere)).toMatchObject({ status: 'DELETED' })
  })

  it('that is deleted while it is registered above is deleted there afterwards', async () => {
    const { ours, above } = two
    const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
    await ours.registry.settle()
    const created = await ours.call('POST', '/campaignBuilder', { ...campaign, brandId })
    const path = `/campaign/${created.body.campaignId}`
    two.answer = async (request, { method, path: sentTo }) => {
      if (method !== 'POST' || sentTo !== '/campaignBuilder') return undefined
      const answer = await above.app.fetch(request)
      expect((await ours.call('DELETE', path)).status).toBe(204)
      expect((await ours.call('DELETE', `/brand/${brandId}`)).status).toBe(204)
      return answer
    }
    await ours.call('PUT', `${path}/sharing/ABOVE`)
    for (let times = 0; times < 4; times += 1) await two.goOn()
    const brands = (await above.call('GET', '/brand?status=DELETED')).body.records
    expect(brands).toHaveLength(1)
    const jobs = ours.db.read.selectFrom('registry_jobs').select('kind')
    expect(await jobs.where('kind', 'like', '%-upstream').execute()).toEqual([])
  })
})
