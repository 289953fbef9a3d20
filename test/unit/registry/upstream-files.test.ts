import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  carriedCampaign,
  loseAnswerOf,
  type TwoRegistries,
  twoRegistries,
} from '../../support/registry/two-registries.js'

/** The files of a campaign that went up, as the registry above has them. */
let two: TwoRegistries
beforeEach(async () => {
  two = await twoRegistries()
})
afterEach(() => two[Symbol.asyncDispose]())

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

describe('a file of a campaign', () => {
  const namesAbove = async (there: string, kind: string) => {
    const { body } = await two.above.call('GET', `/campaign/${there}/${kind}`)
    const files = Object.values(body) as { uuid: string; fileName: string }[]
    return files.sort((one, other) => (one.fileName < other.fileName ? -1 : 1))
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
    loseAnswerOf(two, 'DELETE', `/attachment/${logo?.uuid ?? ''}`)
    await remove(uuid)
    await two.goOn()
    await two.goOn()
    expect(await namesAbove(there, 'mms')).toMatchObject([{ fileName: 'other.png' }])
  })

  it('that went up before its identifier there was kept is deleted above, too', async () => {
    const { campaignId, there } = await carriedCampaign(two)
    const uuid = await add(campaignId, 'logo.png')
    await add(campaignId, 'logo.png')
    await two.goOn()
    await two.ours.db.write((tx) =>
      tx.updateTable('registry_attachments').set({ upstreamUuid: null }).execute(),
    )
    await remove(uuid)
    await two.goOn()
    expect(await namesAbove(there, 'mms')).toMatchObject([{ fileName: 'logo.png' }])
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
    loseAnswerOf(two, 'POST', `/campaign/${there}/mms`)
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
