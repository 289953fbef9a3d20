import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  handOverNumber,
  isFreeOrTheirs,
  releaseNumber,
  withdrawNumber,
} from '../../../src/numbers/held-numbers.js'
import { takeNumber } from '../../../src/numbers/take-number.js'
import { portedNumbers } from '../../../src/porting/porting-accounts.js'
import { hold } from '../../support/numbers/stock.js'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

const NUMBER = '+12025550199'
async function carried(): Promise<string> {
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await fixture.registry.settle()
  const body = { ...campaign, brandId }
  const { campaignId } = (await fixture.call('POST', '/campaignBuilder', body)).body
  await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
  await fixture.registry.settle()
  return campaignId
}
const decide = (campaignId: string, mnoId: number, status: string) =>
  fixture.operator.request(`/campaigns/${campaignId}/operations/${mnoId}`, {
    method: 'PUT',
    body: JSON.stringify({ status, explanation: 'spam' }),
  })

it('belongs to one campaign at a time, and its history stays', async () => {
  const { numbers } = fixture.registry
  const [first, second] = [await carried(), await carried()]
  await numbers.provision(fixture.account.sid, first, NUMBER)
  await numbers.provision(fixture.account.sid, second, NUMBER)
  const phones = (id: string, query = '') =>
    fixture.call('GET', `/campaign/${id}/osr/phones${query}`)
  expect((await phones(first)).body.records).toMatchObject([{ current: false }])
  expect((await phones(first, '?current=true')).body.totalRecords).toBe(0)
  expect((await phones(second)).body.records).toMatchObject([{ current: true, nnid: '100001' }])
  expect(await fixture.registry.maySend(NUMBER)).toMatchObject({ campaignId: second })
  await numbers.release(fixture.account.sid, NUMBER)
  expect(await fixture.registry.maySend(NUMBER)).toMatchObject({ reason: 'not-provisioned' })
  expect(await fixture.registry.maySend('+12025550198')).toMatchObject({ reason: 'no-campaign' })
  await expect(numbers.release(fixture.account.sid, NUMBER)).rejects.toMatchObject({
    problems: [{ code: 502 }],
  })
})

it('can join a campaign of its account that has not ended, carried or not', async () => {
  const { account, db, registry } = fixture
  const refused = async (sid: string, id: string) =>
    await registry.numbers.refuseDead(db.read, sid, id).catch((error: unknown) => error)
  const campaignId = await carried()
  expect(await refused(account.sid, campaignId)).toBeUndefined()
  const other = await fixture.another('Another')
  const unknown = { problems: [{ code: 502 }] }
  expect(await refused(other.sid, campaignId)).toMatchObject(unknown)
  expect(await refused(account.sid, 'C000000')).toMatchObject(unknown)
  await fixture.call('DELETE', `/campaign/${campaignId}`)
  expect(await refused(account.sid, campaignId)).toMatchObject({ problems: [{ code: 518 }] })
})

it.each([
  ['given back', releaseNumber],
  ['taken by another carrier', handOverNumber],
  ['moved to another account', withdrawNumber],
])('leaves its campaign when it is %s, and makes room for another', async (_, give) => {
  const { db, account, registry } = fixture
  const campaignId = await carried()
  const provision = (e164: string) => registry.numbers.provision(account.sid, campaignId, e164)
  const held = await hold(db, account.sid, NUMBER)
  await provision(NUMBER)
  for (let index = 1; index < 50; index += 1) await provision(`+1202555${1000 + index}`)
  await db.write(async (tx) => {
    await give(tx, held, fixture.clock.now())
  })
  const phones = await fixture.call('GET', `/campaign/${campaignId}/osr/phones`)
  expect(phones.body.records[0]).toMatchObject({ phoneNumber: NUMBER, current: false })
  await provision('+12025550198')
})

it('is not put under a campaign when another account takes it at that moment', async () => {
  await fixture[Symbol.asyncDispose]()
  fixture = await registryFixture({ numberSource: { mayProvision: isFreeOrTheirs } })
  const { db, operator } = fixture
  const campaignId = await carried()
  const { cspId } = (await fixture.call('GET', '/csp/profile')).body
  const another = await fixture.another('Another')
  const write = db.write.bind(db)
  vi.spyOn(db, 'write').mockImplementationOnce(async (...work) => {
    await hold(db, another.sid, NUMBER)
    return await write(...work)
  })
  const path = `/csps/${cspId}/campaigns/${campaignId}/numbers/${NUMBER}`
  const answer = await operator.request(path, { method: 'PUT' })
  expect(await answer.json()).toMatchObject([{ code: 502, fields: ['phoneNumber'] }])
  const phones = await fixture.call('GET', `/campaign/${campaignId}/osr/phones`)
  expect(phones.body.totalRecords).toBe(0)
})

it.each([
  ['another account', false],
  ['the account of the campaign', true],
  ['a sub-account of it', true],
])('that nobody held is under its campaign when %s takes it: %s', async (holder, stays) => {
  const { account, db, registry } = fixture
  const campaignId = await carried()
  await registry.numbers.provision(account.sid, campaignId, NUMBER)
  const other = await fixture.another('Another', stays ? { masterSid: account.sid } : {})
  await hold(db, holder === 'the account of the campaign' ? account.sid : other.sid, NUMBER)
  const phones = await fixture.call('GET', `/campaign/${campaignId}/osr/phones`)
  expect(phones.body.records).toMatchObject([{ phoneNumber: NUMBER, current: stays }])
})

it('that nobody held stays under its campaign when an order of another account fails', async () => {
  const { account, db, registry } = fixture
  const campaignId = await carried()
  await registry.numbers.provision(account.sid, campaignId, NUMBER)
  const other = await fixture.another('Another')
  const capabilities = { voice: true, sms: true, mms: false, fax: false }
  const wanted = { e164: NUMBER, route: 4, campaignId: 'C000000' }
  const deps = {
    gateways: { addressOf: () => Promise.resolve(undefined) },
    ported: portedNumbers,
    joinCampaign: () => Promise.resolve('there is no campaign C000000'),
  }
  const taking = { accountSid: other.sid, wanted, capabilities, now: fixture.clock.now() }
  const taken = await db.write((tx) => takeNumber(tx, taking, deps))
  expect(taken).toMatchObject({ code: 'no-campaign' })
  const phones = await fixture.call('GET', `/campaign/${campaignId}/osr/phones`)
  expect(phones.body.records).toMatchObject([{ phoneNumber: NUMBER, current: true }])
})

it('is one of 50 unless the campaign has a pool', async () => {
  const campaignId = await carried()
  const provision = (index: number) =>
    fixture.registry.numbers.provision(fixture.account.sid, campaignId, `+1202555${1000 + index}`)
  for (let index = 0; index < 50; index += 1) await provision(index)
  await expect(provision(51)).rejects.toMatchObject({ problems: [{ code: 592 }] })
  await fixture.call('PUT', `/campaign/${campaignId}`, { numberPool: true })
  await provision(51)
  const withoutPool = () => fixture.call('PUT', `/campaign/${campaignId}`, { numberPool: false })
  expect((await withoutPool()).body).toMatchObject([{ code: 592, fields: ['numberPool'] }])
  await fixture.registry.numbers.release(fixture.account.sid, '+12025551051')
  expect((await withoutPool()).status).toBe(200)
})

it('sends at the rate of each operator that has the campaign registered', async () => {
  const campaignId = await carried()
  await fixture.registry.numbers.provision(fixture.account.sid, campaignId, NUMBER)
  expect((await decide(campaignId, 10017, 'SUSPENDED')).status).toBe(204)
  expect(await fixture.registry.maySend(NUMBER)).toMatchObject({
    isAllowed: true,
    operators: [
      { mnoId: 10017, isAllowed: false, status: 'SUSPENDED', smsPerMinute: 240 },
      { mnoId: 10035, isAllowed: true, brandDailyCap: 2_000 },
      { mnoId: 10037, isAllowed: true },
      { mnoId: 10038, isAllowed: true },
    ],
  })
  await decide(campaignId, 10017, 'REGISTERED')
  const { records } = (
    await fixture.call('GET', `/webhook/event?campaignId=${campaignId}&recordsPerPage=100`)
  ).body
  expect(records.slice(-2).map((event) => event['eventType'])).toEqual([
    'MNO_CAMPAIGN_OPERATION_SUSPENDED',
    'MNO_CAMPAIGN_OPERATION_UNSUSPENDED',
  ])
})
