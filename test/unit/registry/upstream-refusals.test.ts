import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { privateBrand } from '../../support/registry/registry-samples.js'
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

describe('a share that the registry above refuses', () => {
  const refuse = (refused: string, code: number) => {
    const problem = { code, description: 'not like this', fields: [] }
    two.answer = (_, { method, path }) =>
      Promise.resolve(
        method !== 'GET' && path.startsWith(refused)
          ? Response.json([problem], { status: 400 })
          : undefined,
      )
  }
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
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
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
