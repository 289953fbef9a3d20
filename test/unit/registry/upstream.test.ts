import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/accounts.js'
import type { RegistryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'
import { type TwoRegistries, twoRegistries } from '../../support/registry/two-registries.js'

let two: TwoRegistries
let above: RegistryFixture
let ours: RegistryFixture
let decider: Account
beforeEach(async () => {
  two = await twoRegistries()
  ;({ above, ours, decider } = two)
})
afterEach(() => two[Symbol.asyncDispose]())
const goOn = (): Promise<void> => two.goOn()

it('registers nothing there of a campaign that was deactivated before', async () => {
  const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
  await ours.registry.settle()
  const { campaignId } = (await ours.call('POST', '/campaignBuilder', { ...campaign, brandId }))
    .body
  two.isAboveUp = false
  expect((await ours.call('PUT', `/campaign/${campaignId}/sharing/ABOVE`)).status).toBe(200)
  await ours.registry.settle()
  two.isAboveUp = true
  expect((await ours.call('DELETE', `/campaign/${campaignId}`)).status).toBe(204)
  await goOn()
  await goOn()
  expect((await above.call('GET', '/brand')).body.records).toEqual([])
  expect((await above.call('GET', '/campaign')).body.records).toEqual([])
})

it('shares a campaign up, has it declined, corrects it, nudges, and has it accepted', async () => {
  const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
  await ours.registry.settle()
  const { campaignId } = (await ours.call('POST', '/campaignBuilder', { ...campaign, brandId }))
    .body
  const path = `/campaign/${campaignId}`
  expect((await ours.call('PUT', `${path}/sharing/ABOVE`)).status).toBe(200)
  await ours.registry.settle()
  await goOn()
  await goOn()
  const { records } = (await above.call('GET', `/campaign?referenceId=${campaignId}`)).body
  const there = records[0]?.campaignId ?? ''
  const decline = 'sharing?explanation=Say%20more&rejectionCategory=CALL_TO_ACTION'
  const declined = await above.call(
    'DELETE',
    `/partnerCampaign/${there}/${decline}`,
    undefined,
    decider,
  )
  expect(declined.status).toBe(204)
  await goOn()
  const sharing = async () => (await ours.call('GET', `${path}/sharing`)).body['sharedByMe']
  expect(await sharing()).toMatchObject({
    upstreamCnpId: 'ABOVE',
    sharingStatus: 'DECLINED',
    rejectionCategory: ['CALL_TO_ACTION'],
    explanation: 'Say more',
  })
  const messageFlow = 'Customers tick an empty box on our checkout page to opt in.'
  await ours.call('PUT', path, { messageFlow })
  const nudge = { nudgeIntent: 'APPEAL_REJECTION', description: 'More is said now.' }
  expect((await ours.call('POST', `${path}/nudge`, nudge)).status).toBe(200)
  await goOn()
  expect(
    (await above.call('GET', `/partnerCampaign/${there}`, undefined, decider)).body,
  ).toMatchObject({ messageFlow })
  const accepted = await above.call('PUT', `/partnerCampaign/${there}/sharing/NORTH`, {}, decider)
  expect(accepted.status).toBe(200)
  await goOn()
  expect(await sharing()).toMatchObject({ sharingStatus: 'ACCEPTED' })
  expect((await ours.call('GET', `${path}/mnoIdsWithDcaElected`)).body).toHaveLength(4)
  await ours.call('DELETE', path)
  await goOn()
  expect((await above.call('GET', `/campaign/${there}`)).body.status).toBe('EXPIRED')
  const brands = await above.call('GET', '/brand')
  expect(brands.body.totalRecords).toBe(1)
})

it('asks about a share once at a time, however often it was nudged', async () => {
  const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
  await ours.registry.settle()
  const { campaignId } = (await ours.call('POST', '/campaignBuilder', { ...campaign, brandId }))
    .body
  const path = `/campaign/${campaignId}`
  expect((await ours.call('PUT', `${path}/sharing/ABOVE`)).status).toBe(200)
  await ours.registry.settle()
  await goOn()
  await goOn()
  const nudge = { nudgeIntent: 'REVIEW', description: 'Please look.' }
  for (let times = 0; times < 3; times += 1) {
    expect((await ours.call('POST', `${path}/nudge`, nudge)).status).toBe(200)
    await goOn()
  }
  const jobs = ours.db.read.selectFrom('registry_jobs').select('kind')
  expect(await jobs.where('kind', 'like', '%-upstream').execute()).toEqual([
    { kind: 'share-upstream' },
  ])
})

/** The campaign's identifiers here and above, accepted there by NORTH. */
async function accepted(): Promise<{ campaignId: string; there: string }> {
  const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
  await ours.registry.settle()
  const { campaignId } = (await ours.call('POST', '/campaignBuilder', { ...campaign, brandId }))
    .body
  await ours.upload(`/campaign/${campaignId}/mms`, 'logo.png', png)
  await ours.upload(`/campaign/${campaignId}/supportingDocument`, 'terms.txt', Buffer.from('a'))
  await ours.call('PUT', `/campaign/${campaignId}/sharing/ABOVE`)
  await goOn()
  await goOn()
  await goOn()
  const { records } = (await above.call('GET', `/campaign?referenceId=${campaignId}`)).body
  const there = records[0]?.campaignId ?? ''
  await above.call('PUT', `/partnerCampaign/${there}/sharing/NORTH`, {}, decider)
  await goOn()
  return { campaignId, there }
}
const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

it('sends MMS samples and documents up, also those that come later, each once', async () => {
  const { campaignId, there } = await accepted()
  await ours.upload(`/campaign/${campaignId}/mms`, 'later.png', png)
  await goOn()
  await goOn()
  const samples = (await above.call('GET', `/campaign/${there}/mms`)).body as unknown as {
    fileName: string
    mimeType: string
  }[] // a list, this answer
  expect(samples.map(({ fileName, mimeType }) => `${fileName} ${mimeType}`).sort()).toEqual([
    'later.png image/png',
    'logo.png image/png',
  ])
  expect((await above.call('GET', `/campaign/${there}/supportingDocument`)).body).toMatchObject([
    { fileName: 'terms.txt' },
  ])
})

it('brings down what an operator decides above: a suspension and its end', async () => {
  const { campaignId, there } = await accepted()
  const decide = async (status: string) => {
    const path = `/campaigns/${there}/operations/10035`
    const body = JSON.stringify({ status })
    const { status: answered } = await above.operator.request(path, {
      method: 'PUT',
      body,
    })
    expect(answered).toBe(204)
    await goOn()
  }
  const operation = async () =>
    (await ours.call('GET', `/campaign/${campaignId}/operationStatus`)).body['10035']
  await decide('SUSPENDED')
  expect(await operation()).toBe('SUSPENDED')
  await decide('REGISTERED')
  expect(await operation()).toBe('REGISTERED')
  const events = (
    await ours.call('GET', `/webhook/event?campaignId=${campaignId}&recordsPerPage=500`)
  ).body.records.map((event) => event['eventType'])
  expect(events.slice(-2)).toEqual([
    'MNO_CAMPAIGN_OPERATION_SUSPENDED',
    'MNO_CAMPAIGN_OPERATION_UNSUSPENDED',
  ])
  await above.call('DELETE', `/campaign/${there}`)
  await goOn()
  expect(await operation()).toBe('SUSPENDED')
})

it('is submitted there again, corrected, to an operator that has rejected it there', async () => {
  const { campaignId, there } = await accepted()
  const path = `/campaign/${campaignId}`
  const decide = async (status: string) => {
    const body = JSON.stringify({ status })
    const target = `/campaigns/${there}/operations/10035`
    expect((await above.operator.request(target, { method: 'PUT', body })).status).toBe(204)
    await goOn()
  }
  const operation = async () => (await ours.call('GET', `${path}/operationStatus`)).body['10035']
  await decide('REJECTED')
  expect(await operation()).toBe('REJECTED')
  two.isAboveUp = false
  const sample1 = 'Your parcel comes today. Reply STOP to end.'
  await ours.call('PUT', path, { sample1 })
  expect((await ours.call('PUT', `${path}/resubmit`, { mnoIds: [10035] })).status).toBe(200)
  await ours.turn(60_000)
  two.isAboveUp = true
  await goOn()
  const shown = (await above.call('GET', `/campaign/${there}`)).body
  expect(shown).toMatchObject({ sample1 })
  const statuses = (await above.call('GET', `/campaign/${there}/operationStatus`)).body
  expect(statuses['10035']).toBe('REVIEW')
  expect(await operation()).toBe('REVIEW')
  await decide('REGISTERED')
  expect(await operation()).toBe('REGISTERED')
})

/** The status of the campaign in the registry above. */
async function statusAbove(there: string): Promise<unknown> {
  return (await above.call('GET', `/campaign/${there}`)).body.status
}

it('ends a campaign there that has migrated to another CNP, also when it was away', async () => {
  const { campaignId, there } = await accepted()
  const path = `/campaign/${campaignId}`
  two.isAboveUp = false
  await ours.call('PUT', path, { sample2: 'Your parcel comes today. Reply STOP to end.' })
  expect((await ours.call('POST', `${path}/migrateCnp/NORTH`)).status).toBe(204)
  await ours.turn(600_000)
  expect((await ours.call('GET', `${path}/migrateCnp`)).body.status).toBe('COMPLETED')
  expect(await statusAbove(there)).toBe('ACTIVE')
  two.isAboveUp = true
  await goOn()
  expect(await statusAbove(there)).toBe('EXPIRED')
  await goOn()
  expect((await ours.call('GET', path)).body.status).toBe('ACTIVE')
  expect((await ours.call('GET', `${path}/operationStatus`)).body['10035']).toBe('REGISTERED')
  const jobs = ours.db.read.selectFrom('registry_jobs').select('kind')
  expect(await jobs.where('kind', 'like', '%-upstream').execute()).toEqual([])
})

it('registers a campaign there anew that migrates back before it was ended', async () => {
  const { campaignId, there } = await accepted()
  const path = `/campaign/${campaignId}`
  two.isAboveUp = false
  await ours.call('POST', `${path}/migrateCnp/NORTH`)
  await ours.turn(60_000)
  expect((await ours.call('POST', `${path}/migrateCnp/ABOVE`)).status).toBe(204)
  two.isAboveUp = true
  await goOn()
  await goOn()
  await goOn()
  expect(await statusAbove(there)).toBe('EXPIRED')
  const { records } = (await above.call('GET', `/campaign?referenceId=${campaignId}`)).body
  const again = records[0]?.campaignId ?? ''
  await above.call('PUT', `/partnerCampaign/${again}/sharing/NORTH`, {}, decider)
  await goOn()
  expect((await ours.call('GET', `${path}/migrateCnp`)).body.status).toBe('COMPLETED')
  expect(await statusAbove(again)).toBe('ACTIVE')
  expect((await ours.call('GET', `${path}/sharing`)).body['sharedByMe']).toMatchObject({
    upstreamCnpId: 'ABOVE',
    sharingStatus: 'ACCEPTED',
  })
})

it('ends a campaign there whose migration there was cancelled', async () => {
  const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
  await ours.registry.settle()
  const { campaignId } = (await ours.call('POST', '/campaignBuilder', { ...campaign, brandId }))
    .body
  const path = `/campaign/${campaignId}`
  await ours.call('PUT', `${path}/sharing/NORTH`)
  await ours.registry.settle()
  expect((await ours.call('POST', `${path}/migrateCnp/ABOVE`)).status).toBe(204)
  await goOn()
  await goOn()
  const { records } = (await above.call('GET', `/campaign?referenceId=${campaignId}`)).body
  const there = records[0]?.campaignId ?? ''
  expect(await statusAbove(there)).toBe('ACTIVE')
  expect((await ours.call('DELETE', `${path}/migrateCnp`)).status).toBe(204)
  await goOn()
  expect(await statusAbove(there)).toBe('EXPIRED')
  expect((await ours.call('GET', path)).body.status).toBe('ACTIVE')
})

it('ends a campaign there that was declined there and then shared elsewhere', async () => {
  const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
  await ours.registry.settle()
  const { campaignId } = (await ours.call('POST', '/campaignBuilder', { ...campaign, brandId }))
    .body
  const path = `/campaign/${campaignId}`
  await ours.call('PUT', `${path}/sharing/ABOVE`)
  await goOn()
  await goOn()
  const { records } = (await above.call('GET', `/campaign?referenceId=${campaignId}`)).body
  const there = records[0]?.campaignId ?? ''
  const decline = 'sharing?explanation=No&rejectionCategory=CALL_TO_ACTION'
  await above.call('DELETE', `/partnerCampaign/${there}/${decline}`, undefined, decider)
  await goOn()
  expect((await ours.call('PUT', `${path}/sharing/NORTH`)).status).toBe(200)
  await goOn()
  expect(await statusAbove(there)).toBe('EXPIRED')
  expect((await ours.call('GET', `${path}/sharing`)).body['sharedByMe']).toMatchObject({
    upstreamCnpId: 'NORTH',
    sharingStatus: 'ACCEPTED',
  })
})
