import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'
import {
  carriedCampaign,
  type SentUp,
  shareUp,
  type TwoRegistries,
  twoRegistries,
} from '../../support/registry/two-registries.js'

/** The changes that customers make here after a campaign went up, as the registry above has them. */
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

const wereSent = (method: string, path: string): SentUp[] =>
  two.written.filter((sent) => sent.method === method && sent.path.startsWith(path))

/** Loses the answer of the first request that matches: the change is made above all the same. */
function loseAnswerOf(method: string, path: string): void {
  let isLost = false
  two.answer = async (request, sent) => {
    if (isLost || sent.method !== method || !sent.path.startsWith(path)) return undefined
    isLost = true
    await two.above.app.fetch(request)
    return new Response('lost', { status: 502 })
  }
}

describe('a withdrawal from an operator', () => {
  it('is made above too, once, though its answer was lost', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    expect(await operationAbove(there)).toBe('REGISTERED')
    loseAnswerOf('DELETE', `/campaign/${there}/operationStatus`)
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

describe('a file of a campaign', () => {
  const namesAbove = async (there: string, kind: string) => {
    const { body } = await two.above.call('GET', `/campaign/${there}/${kind}`)
    return (body as unknown as { uuid: string; fileName: string }[]).sort((one, other) =>
      one.fileName < other.fileName ? -1 : 1,
    ) // a list, this answer
  }
  const contentAbove = async (uuid = '') => {
    const response = await two.above.app.request(`/v2/csp/attachment/${uuid}`, {
      headers: { authorization: `Bearer ${two.above.account.secret}` },
    })
    return Buffer.from(await response.arrayBuffer())
  }
  const add = async (campaignId: string, name: string, content = png) =>
    (await two.ours.upload(`/campaign/${campaignId}/mms`, name, content)).body.uuid
  const remove = async (uuid: string) => {
    expect((await two.ours.call('DELETE', `/attachment/${uuid}`)).status).toBe(204)
  }

  it('that is deleted here is deleted above, and no other', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    const uuid = await add(campaignId, 'logo.png')
    await add(campaignId, 'other.png')
    await two.goOn()
    const [logo] = await namesAbove(there, 'mms')
    loseAnswerOf('DELETE', `/attachment/${logo?.uuid ?? ''}`)
    await remove(uuid)
    await two.goOn()
    await two.goOn()
    expect(await namesAbove(there, 'mms')).toMatchObject([{ fileName: 'other.png' }])
  })

  it('that is replaced by one of the same name is replaced above', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    const uuid = await add(campaignId, 'logo.png')
    await two.goOn()
    two.isAboveUp = false
    await remove(uuid)
    const content = Buffer.concat([png, Buffer.from('second')])
    await add(campaignId, 'logo.png', content)
    await two.ours.registry.settle()
    two.isAboveUp = true
    await two.goOn()
    const files = await namesAbove(there, 'mms')
    expect(files).toMatchObject([{ fileName: 'logo.png' }])
    expect(await contentAbove(files[0]?.uuid)).toEqual(content)
  })

  it('that is deleted while it is sent is deleted above', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    let uuid = ''
    two.answer = async (request, { method, path }) => {
      if (method !== 'POST' || path !== `/campaign/${there}/mms`) return undefined
      const answer = await two.above.app.fetch(request)
      if (uuid !== '') await remove(uuid)
      uuid = ''
      return answer
    }
    two.isAboveUp = false
    uuid = await add(campaignId, 'logo.png')
    await two.ours.registry.settle()
    two.isAboveUp = true
    await two.goOn()
    await two.goOn()
    expect(await namesAbove(there, 'mms')).toEqual([])
  })

  it('goes up once, though the answer to it was lost, and once more to a new registration', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    loseAnswerOf('POST', `/campaign/${there}/mms`)
    await add(campaignId, 'logo.png')
    await two.goOn()
    await two.goOn()
    expect(await namesAbove(there, 'mms')).toMatchObject([{ fileName: 'logo.png' }])
    const path = `/campaign/${campaignId}`
    await two.ours.call('POST', `${path}/migrateCnp/NORTH`)
    await two.goOn()
    await two.ours.call('POST', `${path}/migrateCnp/ABOVE`)
    for (let times = 0; times < 3; times += 1) await two.goOn()
    const { records } = (await two.above.call('GET', `/campaign?referenceId=${campaignId}`)).body
    const again = records[0]?.campaignId ?? ''
    expect(again).not.toBe(there)
    expect(await namesAbove(again, 'mms')).toMatchObject([{ fileName: 'logo.png' }])
  })
})

describe('a correction of a campaign', () => {
  it('takes away above what it takes away here, in one request', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    await two.ours.call('PUT', `/campaign/${campaignId}`, { sample2: null, embeddedPhone: true })
    await two.goOn()
    const shown = (await two.above.call('GET', `/campaign/${there}`)).body
    expect(shown).toMatchObject({ sample2: null, embeddedPhone: true })
    expect(wereSent('PUT', `/campaign/${there}`).slice(1)).toHaveLength(1)
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
    loseAnswerOf('PUT', `/brand/${brandThere}`)
    await two.goOn()
    await two.goOn()
    expect(await brandAbove(brandThere)).toMatchObject({
      email: 'help@acme.example',
      website: null,
      // Our identifier; the customer's own reference stays here.
      referenceId: brandId,
    })
    expect(wereSent('PUT', `/brand/${brandThere}`)).toHaveLength(1)
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

it('is told above of a nudge of the operators that review the campaign there', async () => {
  const { campaignId, there } = await carriedCampaign(two)
  const body = JSON.stringify({ status: 'REVIEW' })
  const target = `/campaigns/${there}/operations/${MNO}`
  await two.above.operator.request(target, { method: 'PUT', body })
  await two.goOn()
  const nudge = { nudgeIntent: 'REVIEW', description: 'Please look.' }
  expect((await two.ours.call('POST', `/campaign/${campaignId}/nudge`, nudge)).status).toBe(200)
  await two.goOn()
  expect(wereSent('POST', `/campaign/${there}/nudge`)).toHaveLength(1)
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
