import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'
import {
  carriedCampaign,
  sentUp,
  shareUp,
  type TwoRegistries,
  twoRegistries,
} from '../../support/registry/two-registries.js'

let two: TwoRegistries
beforeEach(async () => {
  two = await twoRegistries()
})
afterEach(() => two[Symbol.asyncDispose]())

/** Lets the registry above refuse what is sent to the paths that begin so. */
function refuse(refused: string, code: number): void {
  const problem = { code, description: 'not like this', fields: [] }
  two.answer = (_, { method, path }) =>
    Promise.resolve(
      method !== 'GET' && path.startsWith(refused)
        ? Response.json([problem], { status: 400 })
        : undefined,
    )
}

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

describe('a share that the registry above refuses', () => {
  const shareOf = async (campaignId: string) =>
    (await two.ours.call('GET', `/campaign/${campaignId}/sharing`)).body['sharedByMe']

  it.each([
    ['the brand', '/brand', 'BRAND_INCONSISTENCIES'],
    ['the campaign', '/campaignBuilder', 'CAMPAIGN_DESCRIPTION_OR_ATTRIBUTES'],
    ['the share itself', '/campaign/', 'OTHER'],
  ])('because of %s is declined with its reason, and goes up when it is mended', async (...of) => {
    const [, refused, rejectionCategory] = of
    refuse(refused, 501)
    const { campaignId, brandId } = await shareUp(two)
    expect(await shareOf(campaignId)).toMatchObject({
      sharingStatus: 'DECLINED',
      rejectionCategory: [rejectionCategory],
      explanation: expect.stringContaining('not like this') as string,
    })
    two.answer = undefined
    await two.ours.call('PUT', `/brand/${brandId}`, { ...privateBrand, website: null })
    const nudge = { nudgeIntent: 'APPEAL_REJECTION', description: 'It is mended.' }
    expect((await two.ours.call('POST', `/campaign/${campaignId}/nudge`, nudge)).status).toBe(200)
    for (let times = 0; times < 3; times += 1) await two.goOn()
    const query = `/campaign?referenceId=${campaignId}`
    const { records } = (await two.above.call('GET', query)).body
    const sharing = `/campaign/${records[0]?.campaignId ?? ''}/sharing`
    expect((await two.above.call('GET', sharing)).body['sharedByMe']).toMatchObject({
      sharingStatus: 'PENDING',
    })
    const brands = (await two.above.call('GET', `/brand?referenceId=${brandId}`)).body.records
    expect(brands).toMatchObject([{ website: null }])
  })
})

it('a file that is too large for the way up holds back no other one, and no later change', async () => {
  const { ours, above } = two
  const { campaignId, there } = await carriedCampaign(two)
  two.answer = async (request, { method }) => {
    if (method !== 'POST' || !(await request.clone().text()).includes('large.png')) return undefined
    return new Response('too large', { status: 413 })
  }
  const path = `/campaign/${campaignId}`
  two.isAboveUp = false
  await ours.upload(`${path}/mms`, 'large.png', png)
  await ours.upload(`${path}/mms`, 'small.png', png)
  await ours.upload(`${path}/supportingDocument`, 'terms.txt', Buffer.from('a'))
  await ours.call('DELETE', `${path}/operationStatus/10035`, { explanation: 'No traffic there' })
  await ours.call('PUT', `${path}/resubmit`, { mnoIds: [10035] })
  two.isAboveUp = true
  await two.goOn()
  expect((await above.call('GET', `/campaign/${there}/mms`)).body).toMatchObject([
    { fileName: 'small.png' },
  ])
  expect((await above.call('GET', `/campaign/${there}/supportingDocument`)).body).toMatchObject([
    { fileName: 'terms.txt' },
  ])
  expect(sentUp(two, 'DELETE', `/campaign/${there}/operationStatus`)).toHaveLength(1)
  expect(sentUp(two, 'PUT', `/campaign/${there}/resubmit`)).toHaveLength(1)
})

it('a correction that is refused above holds back no file that is added after it', async () => {
  const { campaignId, there } = await carriedCampaign(two)
  two.answer = async (request, { method, path }) => {
    if (method !== 'PUT' || path !== `/campaign/${there}`) return undefined
    await request.text()
    return Response.json([{ code: 509, description: 'no', fields: [] }], { status: 400 })
  }
  await two.ours.call('PUT', `/campaign/${campaignId}`, { ageGated: true })
  await two.goOn()
  await two.ours.upload(`/campaign/${campaignId}/mms`, 'logo.png', png)
  await two.goOn()
  expect((await two.above.call('GET', `/campaign/${there}/mms`)).body).toMatchObject([
    { fileName: 'logo.png' },
  ])
})

it('files that are refused above are told once each, and sent once', async () => {
  const { campaignId, there } = await carriedCampaign(two)
  refuse(`/campaign/${there}`, 544)
  two.isAboveUp = false
  await two.ours.upload(`/campaign/${campaignId}/mms`, 'one.png', png)
  await two.ours.upload(`/campaign/${campaignId}/mms`, 'two.png', png)
  two.isAboveUp = true
  await two.goOn()
  await two.ours.call('PUT', `/campaign/${campaignId}`, { ageGated: true })
  await two.goOn()
  await two.ours.call('PUT', `/campaign/${campaignId}`, { ageGated: false })
  await two.goOn()
  expect(sentUp(two, 'POST', `/campaign/${there}/mms`)).toHaveLength(2)
  // Two files and the first correction; the second one takes it back.
  expect(await refusals(`campaignId=${campaignId}`)).toHaveLength(3)
})

describe('a file that is missing on our disk', () => {
  const addLost = async (campaignId: string) => {
    const path = `/campaign/${campaignId}/mms`
    const { uuid } = (await two.ours.upload(path, 'lost.png', png)).body
    rmSync(join(two.ours.folder, 'registry', 'attachments', uuid))
  }

  it('holds back no other file, and no later change of its campaign', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    two.isAboveUp = false
    await addLost(campaignId)
    await two.ours.upload(`/campaign/${campaignId}/mms`, 'kept.png', png)
    const explanation = 'No traffic there'
    await two.ours.call('DELETE', `/campaign/${campaignId}/operationStatus/10035`, { explanation })
    two.isAboveUp = true
    await two.goOn()
    expect((await two.above.call('GET', `/campaign/${there}/mms`)).body).toMatchObject([
      { fileName: 'kept.png' },
    ])
    expect(sentUp(two, 'DELETE', `/campaign/${there}/operationStatus`)).toHaveLength(1)
    const [told] = await refusals(`campaignId=${campaignId}`)
    expect(told).toMatchObject({
      change: 'UPDATE',
      explanation: expect.stringContaining('lost.png') as string,
    })
  })

  it('is told once, whatever is changed later', async () => {
    const { campaignId } = await carriedCampaign(two)
    await addLost(campaignId)
    await two.goOn()
    await two.ours.upload(`/campaign/${campaignId}/mms`, 'kept.png', png)
    await two.goOn()
    await two.ours.call('PUT', `/campaign/${campaignId}`, { ageGated: true })
    await two.goOn()
    const explanation = expect.stringContaining('lost.png') as string
    expect(await refusals(`campaignId=${campaignId}`)).toMatchObject([{ explanation }])
  })

  it('declines a share of its campaign with the reason', async () => {
    const { ours } = two
    const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
    await ours.registry.settle()
    const created = await ours.call('POST', '/campaignBuilder', { ...campaign, brandId })
    const { campaignId } = created.body
    await addLost(campaignId)
    await ours.call('PUT', `/campaign/${campaignId}/sharing/ABOVE`)
    for (let times = 0; times < 3; times += 1) await two.goOn()
    const sharing = (await ours.call('GET', `/campaign/${campaignId}/sharing`)).body
    expect(sharing['sharedByMe']).toMatchObject({
      sharingStatus: 'DECLINED',
      explanation: expect.stringContaining('lost.png') as string,
    })
  })
})

/** What the customer is told was refused above, oldest first. */
async function refusals(query: string): Promise<unknown[]> {
  const { records } = (await two.ours.call('GET', `/webhook/event?${query}&recordsPerPage=500`))
    .body
  const type = 'UPSTREAM_CHANGE_REFUSED'
  return records.filter((each) => each['eventType'] === type).map((each) => each['body'])
}

describe('a change that the registry above refuses', () => {
  const shownToOperator = async (query = '') => {
    const answer = await two.ours.operator.request(`/upstreamRefusals${query}`)
    return (await answer.json()) as { records: object[]; totalRecords: number } // a list
  }

  it.each([
    ['a brand', 537, 'brand', 'UPDATE_BRAND'],
    ['a brand', 528, 'brand', 'UPDATE_BRAND'],
    ['a campaign', 509, 'campaign', 'UPDATE'],
  ])('of %s with %i is told to the customer and to the operator', async (...of) => {
    const [, code, record, change] = of
    const { brandId, campaignId, brandThere, there } = await carriedCampaign(two)
    refuse(record === 'brand' ? `/brand/${brandThere}` : `/campaign/${there}`, code)
    const id = record === 'brand' ? { brandId } : { brandId, campaignId }
    const { status } =
      record === 'brand'
        ? await two.ours.call('PUT', `/brand/${brandId}`, { ...privateBrand, website: null })
        : await two.ours.call('PUT', `/campaign/${campaignId}`, { ageGated: true })
    expect(status).toBe(200)
    await two.goOn()
    const explanation = expect.stringContaining(`"code":${code}`) as string
    expect(await refusals(`brandId=${brandId}`)).toMatchObject([{ ...id, change, explanation }])
    const shown = { ...id, change, explanation, campaignId: 'campaignId' in id ? campaignId : null }
    expect(await shownToOperator()).toMatchObject({ totalRecords: 1, records: [shown] })
    expect(await shownToOperator(`?brandId=${brandId}`)).toMatchObject({ totalRecords: 1 })
    expect(await shownToOperator('?cspId=S000000')).toMatchObject({ totalRecords: 0 })
  })

  it('of what identifies a brand that was vetted there holds back no other field of it', async () => {
    const { ours, above } = two
    const { brandId, campaignId, brandThere } = await carriedCampaign(two)
    const order = { evpId: 'AEGIS', vettingClass: 'STANDARD' }
    await above.call('POST', `/brand/${brandThere}/externalVetting`, order)
    await ours.call('DELETE', `/campaign/${campaignId}`)
    const renamed = { ...privateBrand, companyName: 'Acme Holding Incorporated' }
    expect((await ours.call('PUT', `/brand/${brandId}`, renamed)).status).toBe(200)
    await two.goOn()
    const email = 'help@acme.example'
    expect((await ours.call('PUT', `/brand/${brandId}`, { ...renamed, email })).status).toBe(200)
    await two.goOn()
    expect((await above.call('GET', `/brand/${brandThere}`)).body).toMatchObject({
      companyName: privateBrand.companyName,
      email,
    })
    expect(await refusals(`brandId=${brandId}`)).toHaveLength(2)
  })

  it('is no status of its campaign', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    refuse(`/campaign/${there}`, 509)
    await two.ours.call('PUT', `/campaign/${campaignId}`, { ageGated: true })
    await two.goOn()
    expect(await refusals(`campaignId=${campaignId}`)).toHaveLength(1)
    const campaigns = two.ours.db.read.selectFrom('registry_campaigns').select('lastEvent')
    expect(await campaigns.execute()).toEqual([{ lastEvent: 'CAMPAIGN_UPDATE' }])
  })

  it('as a nudge is told to the customer', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    const review = { method: 'PUT', body: JSON.stringify({ status: 'REVIEW' }) }
    await two.above.operator.request(`/campaigns/${there}/operations/10035`, review)
    await two.goOn()
    refuse(`/campaign/${there}/nudge`, 592)
    await two.ours.call('POST', `/campaign/${campaignId}/nudge`, { nudgeIntent: 'REVIEW' })
    await two.goOn()
    expect(await refusals(`campaignId=${campaignId}`)).toMatchObject([{ change: 'NUDGE' }])
  })
})
