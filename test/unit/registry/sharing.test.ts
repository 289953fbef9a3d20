import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/accounts.js'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'

let fixture: RegistryFixture
let partner: Account
let partnerCnp: string
let campaignId: string

beforeEach(async () => {
  fixture = await registryFixture()
  partner = await fixture.another('Partner')
  partnerCnp = (await fixture.call('GET', '/csp/profile', undefined, partner)).body.cspId
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await fixture.registry.settle()
  const created = await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId })
  campaignId = created.body.campaignId
})
afterEach(() => fixture[Symbol.asyncDispose]())

const share = (to: string) => fixture.call('PUT', `/campaign/${campaignId}/sharing/${to}`)
const asPartner = (method: string, path: string, body?: unknown) =>
  fixture.call(method, `/partnerCampaign/${campaignId}${path}`, body, partner)
const status = async () =>
  (await fixture.call('GET', `/campaign/${campaignId}/sharing`)).body['sharedByMe']

it('goes up a chain, is declined, corrected, nudged and accepted', async () => {
  expect((await share(partnerCnp)).status).toBe(200)
  expect((await share('NORTH')).body).toMatchObject([{ code: 592 }])
  const query = 'explanation=No%20opt-in&rejectionCategory=CALL_TO_ACTION'
  expect((await asPartner('DELETE', `/sharing?${query}`)).status).toBe(204)
  expect(await status()).toMatchObject({
    sharingStatus: 'DECLINED',
    explanation: 'No opt-in',
    rejectionCategory: ['CALL_TO_ACTION'],
  })
  expect((await share(partnerCnp)).body).toMatchObject([{ code: 522 }])
  const messageFlow = 'Customers tick an empty box on our checkout page to opt in.'
  expect((await fixture.call('PUT', `/campaign/${campaignId}`, { messageFlow })).status).toBe(200)
  const nudge = { nudgeIntent: 'APPEAL_REJECTION', description: 'The box is described now.' }
  expect((await fixture.call('POST', `/campaign/${campaignId}/nudge`, nudge)).body).toEqual({
    message: 'Nudge successful',
  })
  expect((await asPartner('PUT', '/sharing/NORTH')).body).toMatchObject({
    sharedWithMe: { sharingStatus: 'ACCEPTED' },
    sharedByMe: { upstreamCnpId: 'NORTH', sharingStatus: 'PENDING' },
  })
  await fixture.registry.settle()
  expect(await status()).toMatchObject({ sharingStatus: 'ACCEPTED' })
  expect((await fixture.call('GET', `/campaign/${campaignId}/mnoIdsWithDcaElected`)).body).toEqual([
    10017, 10035, 10037, 10038,
  ])
  expect((await asPartner('GET', '/operationStatus')).body).toMatchObject({ 10017: 'REGISTERED' })
  expect((await asPartner('GET', '')).body).toMatchObject({ campaignId, messageFlow })
  const list = await fixture.call('GET', '/partnerCampaign/sharedWithMe', undefined, partner)
  expect(list.body).toMatchObject({ totalRecords: 1, records: [{ campaignId }] })
})

it('refuses loops, strangers and what is over', async () => {
  expect((await share('NOBODY')).body).toMatchObject([{ code: 501, fields: ['upstreamCnpId'] }])
  const own = (await fixture.call('GET', '/csp/profile')).body.cspId
  expect((await share(own)).body).toMatchObject([{ code: 523 }])
  expect((await asPartner('GET', '/sharing')).body).toMatchObject([{ code: 502 }])
  await share(partnerCnp)
  expect((await asPartner('PUT', `/sharing/${own}`)).body).toMatchObject([{ code: 523 }])
  const bad = await asPartner('DELETE', '/sharing?explanation=x&rejectionCategory=NONE')
  expect(bad.body).toMatchObject([{ code: 501, fields: ['rejectionCategory'] }])
  expect((await asPartner('DELETE', '/sharing')).body).toMatchObject([{ code: 501 }, { code: 501 }])
  await fixture.call('DELETE', `/campaign/${campaignId}`)
  expect((await share('NORTH')).body).toMatchObject([{ code: 518 }])
})

it('nudges only who has to decide', async () => {
  const nudge = (nudgeIntent: string) =>
    fixture.call('POST', `/campaign/${campaignId}/nudge`, { nudgeIntent })
  expect((await nudge('REVIEW')).body).toMatchObject([{ code: 592 }])
  expect((await nudge('HURRY')).body).toMatchObject([{ code: 501, fields: ['nudgeIntent'] }])
  await share(partnerCnp)
  expect((await nudge('APPEAL_REJECTION')).body).toMatchObject([{ code: 592 }])
  expect((await nudge('REVIEW')).status).toBe(200)
})

it('moves to another CNP while the present one carries it', async () => {
  await share('NORTH')
  await fixture.registry.settle()
  const path = `/campaign/${campaignId}/migrateCnp`
  expect((await fixture.call('GET', path)).body).toMatchObject([{ code: 502 }])
  expect((await fixture.call('POST', `${path}/${partnerCnp}`)).status).toBe(204)
  expect((await fixture.call('POST', `${path}/SOUTH`)).body).toMatchObject([{ code: 592 }])
  expect(
    (await fixture.call('GET', `/campaign/${campaignId}/sharing?cnpMigration=true`)).body,
  ).toMatchObject({ sharedByMe: { upstreamCnpId: partnerCnp, cnpMigration: true } })
  expect((await fixture.call('DELETE', path)).status).toBe(204)
  expect((await fixture.call('GET', path)).body.status).toBe('CANCELLED')
  expect((await fixture.call('POST', `${path}/SOUTH`)).status).toBe(204)
  await fixture.registry.settle()
  expect((await fixture.call('GET', path)).body).toMatchObject({
    status: 'COMPLETED',
    upstreamCnpId: 'SOUTH',
  })
  expect(await status()).toMatchObject({ upstreamCnpId: 'SOUTH', cnpMigration: false })
})
