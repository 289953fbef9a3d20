import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'

let fixture: RegistryFixture
let brandId: string
let campaignId: string
beforeEach(async () => {
  fixture = await registryFixture()
  brandId = (await fixture.call('POST', '/brand', privateBrand)).body.brandId
  await fixture.registry.settle()
  const answer = await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId })
  campaignId = answer.body.campaignId
})
afterEach(() => fixture[Symbol.asyncDispose]())

const addBrand = (change = {}, sid: string = fixture.account.sid) =>
  fixture.registry.messaging.addBrand(sid, {
    brandId,
    name: 'Acme',
    description: 'Sells anvils',
    ...change,
  })
const addCampaign = (change = {}, sid: string = fixture.account.sid) =>
  fixture.registry.messaging.addCampaign(sid, {
    campaignId,
    brandId,
    description: 'Notices of orders',
    ...change,
  })
const found = async (sid: string = fixture.account.sid) =>
  await fixture.registry.messaging.find(sid, [campaignId])
const refused = (code: number) => ({ problems: [{ code }] })

describe('a campaign that is registered for number provisioning', () => {
  it('has the class of its operator and the time of its registration', async () => {
    expect(await found()).toMatchObject([{ campaignId, brandId, registered: undefined }])
    await addBrand()
    await addCampaign()
    const startedAt = fixture.clock.now()
    await fixture.turn(1_000)
    await addCampaign({ description: 'Notices of deliveries' })
    expect(await found()).toMatchObject([
      { registered: { description: 'Notices of deliveries', className: 'E', startedAt } },
    ])
  })

  it('is shown with its last event, its numbers and the CNP with which it is shared', async () => {
    await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
    await fixture.registry.settle()
    await fixture.registry.numbers.provision(fixture.account.sid, campaignId, '+12025550199')
    const [shown] = await found()
    expect(shown).toMatchObject({ numbers: ['+12025550199'], upstreamCnpId: 'NORTH' })
    expect(shown?.status).toMatch(/^(MNO_)?CAMPAIGN_/)
  })

  it('needs a brand that is registered', async () => {
    await expect(addCampaign()).rejects.toMatchObject(refused(592))
    await addBrand()
    await expect(addCampaign({ brandId: 'B000000' })).rejects.toMatchObject(refused(501))
    await expect(addCampaign({ campaignId: 'C000000' })).rejects.toMatchObject(refused(502))
    expect(await found()).toMatchObject([{ registered: undefined }])
  })
})

describe('a brand that is registered for number provisioning', () => {
  it('has a name that no other brand of the account has', async () => {
    await addBrand()
    await addBrand({ description: 'Sells anvils and rockets' })
    const { body } = await fixture.call('POST', '/brand', { ...privateBrand, ein: '987654321' })
    const second = { brandId: body.brandId }
    await expect(addBrand({ ...second, name: 'ACME' })).rejects.toMatchObject(refused(503))
    await addBrand({ ...second, name: 'Acme Rockets' })
  })

  it('gives its name back when it is deleted', async () => {
    await addBrand()
    const { body } = await fixture.call('POST', '/brand', { ...privateBrand, ein: '987654321' })
    const second = { brandId: body.brandId }
    expect((await fixture.call('DELETE', `/campaign/${campaignId}`)).status).toBe(204)
    await expect(addBrand(second)).rejects.toMatchObject(refused(503))
    expect((await fixture.call('DELETE', `/brand/${brandId}`)).status).toBe(204)
    await addBrand(second)
    await expect(addBrand()).rejects.toMatchObject(refused(502))
  })

  it('is one of the account', async () => {
    const other = await fixture.another('Other')
    await fixture.call('GET', '/brand', undefined, other)
    await expect(addBrand({}, other.sid)).rejects.toMatchObject(refused(502))
    await expect(addCampaign({}, other.sid)).rejects.toMatchObject(refused(502))
    expect(await found(other.sid)).toEqual([])
  })
})
