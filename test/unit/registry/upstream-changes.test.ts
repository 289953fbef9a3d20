import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'
import {
  carriedCampaign,
  loseAnswerOf,
  sentUp,
  shareUp,
  type TwoRegistries,
  twoRegistries,
} from '../../support/registry/two-registries.js'

/** What customers change about a campaign that went up, as the registry above has it. */
let two: TwoRegistries
beforeEach(async () => {
  two = await twoRegistries()
})
afterEach(() => two[Symbol.asyncDispose]())

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
const MNO = 10035

async function operationAbove(there: string): Promise<unknown> {
  return (await two.above.call('GET', `/campaign/${there}/operationStatus`)).body[String(MNO)]
}

async function withdraw(campaignId: string): Promise<number> {
  const path = `/campaign/${campaignId}/operationStatus/${MNO}`
  return (await two.ours.call('DELETE', path, { explanation: 'No traffic there' })).status
}

describe('a withdrawal from an operator', () => {
  it('is made above too, once, though its answer was lost', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    expect(await operationAbove(there)).toBe('REGISTERED')
    loseAnswerOf(two, 'DELETE', `/campaign/${there}/operationStatus`)
    expect(await withdraw(campaignId)).toBe(204)
    await two.goOn()
    await two.goOn()
    expect(await operationAbove(there)).toBeUndefined()
    const path = `/webhook/event?campaignId=${there}&recordsPerPage=500`
    const events = await two.above.call('GET', path)
    const updates = events.body.records.filter((each) => each['eventType'] === 'CAMPAIGN_UPDATE')
    expect(updates).toHaveLength(1)
  })

  it('goes up before the resubmission that follows it, also when the registry was away', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    two.isAboveUp = false
    expect(await withdraw(campaignId)).toBe(204)
    await two.ours.registry.settle()
    const resubmit = { mnoIds: [MNO] }
    expect((await two.ours.call('PUT', `/campaign/${campaignId}/resubmit`, resubmit)).status).toBe(
      200,
    )
    await two.ours.registry.settle()
    two.isAboveUp = true
    await two.goOn()
    expect(await operationAbove(there)).toBe('REGISTERED')
    expect(await withdraw(campaignId)).toBe(204)
    await two.goOn()
    expect(await operationAbove(there)).toBeUndefined()
    const path = `/campaign/${there}`
    const sent = two.written.filter((each) => each.path.startsWith(path))
    expect(sent.map((each) => `${each.method} ${each.path.slice(path.length)}`).slice(-3)).toEqual([
      `DELETE /operationStatus/${MNO}`,
      'PUT /resubmit',
      `DELETE /operationStatus/${MNO}`,
    ])
  })

  it('holds for a campaign that is registered above later', async () => {
    const { ours, above } = two
    const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
    await ours.registry.settle()
    const created = await ours.call('POST', '/campaignBuilder', { ...campaign, brandId })
    const { campaignId } = created.body
    await ours.call('PUT', `/campaign/${campaignId}/sharing/ABOVE`)
    expect(await withdraw(campaignId)).toBe(204)
    for (let times = 0; times < 3; times += 1) await two.goOn()
    const { records } = (await above.call('GET', `/campaign?referenceId=${campaignId}`)).body
    const { status, body } = await above.call(
      'GET',
      `/campaign/${records[0]?.campaignId ?? ''}/operationStatus`,
    )
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['10017', '10037', '10038'])
  })

  it('waits for a number registry above that is down, and for the next process', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    const refusal = [{ code: 630, description: 'try again later', fields: [] }]
    two.answer = (_, { method }) =>
      Promise.resolve(method === 'DELETE' ? Response.json(refusal, { status: 400 }) : undefined)
    expect(await withdraw(campaignId)).toBe(204)
    await two.goOn()
    two.answer = undefined
    const { upstream } = two
    const { folder } = two.ours
    await using next = await registryFixture(
      upstream === undefined ? { folder } : { folder, upstream },
    )
    await next.turn(24 * 3_600_000)
    expect(await operationAbove(there)).toBeUndefined()
  })
})

describe('a correction of a campaign', () => {
  it('takes away above what it takes away here, in one request', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    await two.ours.call('PUT', `/campaign/${campaignId}`, { sample2: null, embeddedPhone: true })
    await two.goOn()
    const shown = (await two.above.call('GET', `/campaign/${there}`)).body
    expect(shown).toMatchObject({ sample2: null, embeddedPhone: true })
    expect(sentUp(two, 'PUT', `/campaign/${there}`).slice(1)).toHaveLength(1)
  })

  it('that comes while the campaign is registered above goes up after that', async () => {
    const { ours, above } = two
    const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
    await ours.registry.settle()
    const created = await ours.call('POST', '/campaignBuilder', { ...campaign, brandId })
    const path = `/campaign/${created.body.campaignId}`
    const messageFlow = 'Customers tick an empty box on our checkout page to opt in.'
    two.answer = async (request, { method, path: sentTo }) => {
      if (method !== 'POST' || sentTo !== '/campaignBuilder') return undefined
      const answer = await above.app.fetch(request)
      expect((await ours.call('PUT', path, { messageFlow })).status).toBe(200)
      await ours.upload(`${path}/mms`, 'logo.png', png)
      return answer
    }
    await ours.call('PUT', `${path}/sharing/ABOVE`)
    for (let times = 0; times < 3; times += 1) await two.goOn()
    const { records } = (
      await above.call('GET', `/campaign?referenceId=${created.body.campaignId}`)
    ).body
    expect(records).toMatchObject([{ messageFlow }])
    const files = await above.call('GET', `/campaign/${records[0]?.campaignId ?? ''}/mms`)
    expect(files.body).toMatchObject([{ fileName: 'logo.png' }])
  })
})

it('is told above of a nudge of the operators that review the campaign there', async () => {
  const { campaignId, there } = await carriedCampaign(two)
  const body = JSON.stringify({ status: 'REVIEW' })
  const target = `/campaigns/${there}/operations/${MNO}`
  await two.above.operator.request(target, { method: 'PUT', body })
  await two.goOn()
  const nudge = { nudgeIntent: 'REVIEW', description: 'Please look.' }
  expect((await two.ours.call('POST', `/campaign/${campaignId}/nudge`, nudge)).status).toBe(200)
  await two.goOn()
  expect(sentUp(two, 'POST', `/campaign/${there}/nudge`)).toHaveLength(1)
})

it('leaves nothing to do once everything went up', async () => {
  const { campaignId } = await shareUp(two)
  await two.ours.call('PUT', `/campaign/${campaignId}`, { sample2: null })
  await withdraw(campaignId)
  await two.goOn()
  const jobs = two.ours.db.read.selectFrom('registry_jobs').select('kind')
  expect(await jobs.where('kind', 'like', '%-upstream').execute()).toEqual([
    { kind: 'share-upstream' },
  ])
})
