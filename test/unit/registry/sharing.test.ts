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
    downstreamCnpId: partnerCnp,
    upstreamCnpId: 'NORTH',
    sharingStatus: 'PENDING',
  })
  await fixture.registry.settle()
  expect((await asPartner('GET', '/sharing')).body).toMatchObject({
    sharedWithMe: { sharingStatus: 'ACCEPTED' },
    sharedByMe: { upstreamCnpId: 'NORTH', sharingStatus: 'ACCEPTED' },
  })
  const accepted = { sharingStatus: 'ACCEPTED', explanation: null, rejectionCategory: [] }
  expect(await status()).toMatchObject(accepted)
  expect((await fixture.call('GET', `/campaign/${campaignId}/mnoIdsWithDcaElected`)).body).toEqual([
    10017, 10035, 10037, 10038,
  ])
  expect((await asPartner('GET', '/operationStatus')).body).toMatchObject({ 10017: 'REGISTERED' })
  expect((await asPartner('GET', '')).body).toMatchObject({ campaignId, messageFlow })
  const list = await fixture.call('GET', '/partnerCampaign/sharedWithMe', undefined, partner)
  expect(list.body).toMatchObject({ totalRecords: 1, records: [{ campaignId }] })
})

it('has no aggregator at an operator that the campaign was withdrawn from, until it is resubmitted', async () => {
  await share('NORTH')
  await fixture.registry.settle()
  const elected = async () =>
    (await fixture.call('GET', `/campaign/${campaignId}/mnoIdsWithDcaElected`)).body
  const withdrawal = { explanation: 'Not needed there.' }
  for (const mnoId of [10017, 10035, 10037, 10038])
    await fixture.call('DELETE', `/campaign/${campaignId}/operationStatus/${mnoId}`, withdrawal)
  expect(await elected()).toEqual([])
  const mnoIds = [10035]
  expect((await fixture.call('PUT', `/campaign/${campaignId}/resubmit`, { mnoIds })).status).toBe(
    200,
  )
  expect(await elected()).toEqual(mnoIds)
})

it('shows a share, a pair and a search in the shapes that public clients read', async () => {
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) as unknown
  const decision = expect.stringMatching(/^(PENDING|ACCEPTED)$/) as unknown
  const { cspId } = (await fixture.call('GET', '/csp/profile')).body
  const shape = (downstreamCnpId: unknown, upstreamCnpId: string, sharingStatus: string) => ({
    ...{ downstreamCnpId, upstreamCnpId, sharingStatus, cnpMigration: false },
    ...{ rejectionCategory: [], explanation: null, sharedDate: time, statusDate: time },
  })
  expect((await share(partnerCnp)).body).toEqual(shape(cspId, partnerCnp, 'PENDING'))
  expect((await fixture.call('GET', `/campaign/${campaignId}/sharing`)).body).toEqual({
    sharedWithMe: null,
    sharedByMe: shape(cspId, partnerCnp, 'PENDING'),
  })
  const accepted = await asPartner('PUT', '/sharing/NORTH')
  expect(accepted.body).toEqual(shape(partnerCnp, 'NORTH', 'PENDING'))
  const { brandId, createDate } = (await fixture.call('GET', `/campaign/${campaignId}`)).body
  const found = (of: object) => ({
    page: 1,
    totalRecords: 1,
    records: [
      { ...of, campaignId, brandId, createDate, status: 'ACTIVE', usecase: campaign.usecase },
    ],
  })
  const lists = [
    ['sharedWithMe', shape(cspId, partnerCnp, 'ACCEPTED')],
    // The aggregator may have decided by now.
    ['sharedByMe', { ...shape(partnerCnp, 'NORTH', ''), sharingStatus: decision }],
  ] as const
  for (const [name, of] of lists)
    for (const path of [`/partnerCampaign/${name}`, `/partnerCampaign/${name}/search`])
      expect((await fixture.call('GET', path, undefined, partner)).body).toEqual(found(of))
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
  expect((await asPartner('DELETE', '/sharing')).body).toMatchObject([
    { code: 501, fields: ['rejectionCategory'] },
  ])
  await fixture.call('DELETE', `/campaign/${campaignId}`)
  expect((await share('NORTH')).body).toMatchObject([{ code: 518 }])
})

it('is declined without an explanation', async () => {
  await share(partnerCnp)
  const declined = await asPartner('DELETE', '/sharing?rejectionCategory=CALL_TO_ACTION')
  expect(declined.status).toBe(204)
  expect(await status()).toMatchObject({ sharingStatus: 'DECLINED', explanation: null })
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

it('tells the partner above and the owner of a nudge of an operator', async () => {
  await share(partnerCnp)
  await asPartner('PUT', '/sharing/NORTH')
  await fixture.registry.settle()
  await fixture.operator.request(`/campaigns/${campaignId}/operations/10017`, {
    method: 'PUT',
    body: JSON.stringify({ status: 'REVIEW' }),
  })
  const nudges = async (as?: Account) => {
    const path = `/webhook/event?recordsPerPage=500&campaignId=${campaignId}`
    const { records } = (await fixture.call('GET', path, undefined, as)).body
    return records.filter((event) => event['eventType'] === 'CAMPAIGN_NUDGE').length
  }
  const nudge = { nudgeIntent: 'REVIEW' }
  expect((await fixture.call('POST', `/campaign/${campaignId}/nudge`, nudge)).status).toBe(200)
  expect([await nudges(), await nudges(partner)]).toEqual([1, 1])
  await fixture.call('POST', `/campaign/${campaignId}/nudge`, nudge, partner)
  expect([await nudges(), await nudges(partner)]).toEqual([2, 2])
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

it('migrates to a partner only once the aggregator above the partner has accepted', async () => {
  await share('NORTH')
  await fixture.registry.settle()
  const path = `/campaign/${campaignId}/migrateCnp`
  expect((await fixture.call('POST', `${path}/${partnerCnp}`)).status).toBe(204)
  // What the aggregator decides waits in the queue, as a person's decision would.
  const asked = (await asPartner('PUT', '/sharing/SOUTH')).body
  expect(asked).toMatchObject({ upstreamCnpId: 'SOUTH', sharingStatus: 'PENDING' })
  const migrated = (await fixture.call('GET', path)).body.status
  const { sharedByMe } = (await asPartner('GET', '/sharing')).body as {
    readonly sharedByMe?: { readonly sharingStatus: string } | null
  }
  // The decision may have come between these requests, but never after the migration.
  if (migrated === 'COMPLETED') expect(sharedByMe?.sharingStatus).toBe('ACCEPTED')
  else expect(migrated).toBe('ACTIVE')
  await fixture.registry.settle()
  expect((await fixture.call('GET', path)).body.status).toBe('COMPLETED')
  expect(await status()).toMatchObject({ upstreamCnpId: partnerCnp, cnpMigration: false })
  expect((await asPartner('GET', '/sharing')).body).toMatchObject({
    sharedWithMe: { sharingStatus: 'ACCEPTED', cnpMigration: false },
    sharedByMe: { upstreamCnpId: 'SOUTH', sharingStatus: 'ACCEPTED', cnpMigration: false },
  })
})

it('completes a migration by hand when the owner wants to say when', async () => {
  await fixture.call('PUT', '/settings/cnpMigration', { migrationAutoComplete: false })
  await share('NORTH')
  await fixture.registry.settle()
  const path = `/campaign/${campaignId}/migrateCnp`
  await fixture.call('POST', `${path}/${partnerCnp}`)
  await asPartner('PUT', '/sharing/SOUTH')
  await fixture.registry.settle()
  expect((await fixture.call('GET', path)).body.status).toBe('ACTIVE')
  const elected = `/campaign/${campaignId}/mnoIdsWithDcaElected?cnpMigration=true`
  expect((await fixture.call('GET', elected)).body).toHaveLength(4)
  expect((await fixture.call('POST', path)).status).toBe(204)
  expect((await fixture.call('GET', path)).body.status).toBe('COMPLETED')
})

it('is migrated no further once it has expired', async () => {
  await fixture.call('PUT', '/settings/cnpMigration', { migrationAutoComplete: false })
  await share('NORTH')
  await fixture.registry.settle()
  const path = `/campaign/${campaignId}/migrateCnp`
  await fixture.call('POST', `${path}/SOUTH`)
  await fixture.registry.settle()
  expect((await fixture.call('DELETE', `/campaign/${campaignId}`)).status).toBe(204)
  const completed = await fixture.call('POST', path)
  expect(completed.body).toMatchObject([{ code: 518, fields: ['campaignId'] }])
  const everything = `/webhook/event?campaignId=${campaignId}&recordsPerPage=100`
  const events = await fixture.call('GET', everything)
  expect(events.body.records.at(-1)).toMatchObject({ eventType: 'CAMPAIGN_EXPIRED' })
  // Its owner may still end the migration.
  expect((await fixture.call('DELETE', path)).status).toBe(204)
})

it('is declined by no partner once it has expired', async () => {
  await share(partnerCnp)
  expect((await fixture.call('DELETE', `/campaign/${campaignId}`)).status).toBe(204)
  const query = 'explanation=No%20opt-in&rejectionCategory=CALL_TO_ACTION'
  const declined = await asPartner('DELETE', `/sharing?${query}`)
  expect(declined.body).toMatchObject([{ code: 518, fields: ['campaignId'] }])
})

/** The types of the campaign's events in the history of a CSP, in order. */
const typesOf = async (account?: Account) => {
  const path = `/webhook/event?campaignId=${campaignId}&recordsPerPage=100`
  const { body } = await fixture.call('GET', path, undefined, account)
  return body.records.map(({ eventType }) => eventType)
}

it('ends a pending share with the campaign, and tells the partner', async () => {
  await share(partnerCnp)
  expect((await fixture.call('DELETE', `/campaign/${campaignId}`)).status).toBe(204)
  const ended = { sharingStatus: 'DECLINED', explanation: 'the campaign has expired' }
  expect(await status()).toMatchObject(ended)
  expect(await typesOf(partner)).toEqual([
    'CAMPAIGN_SHARE_ADD',
    'CAMPAIGN_SHARE_DELETE',
    'CAMPAIGN_EXPIRED',
  ])
  const pending = '/partnerCampaign/sharedWithMe?sharingStatus=PENDING'
  const list = await fixture.call('GET', pending, undefined, partner)
  expect(list.body).toMatchObject({ totalRecords: 0 })
})

it('tells every partner above of a suspension, of its end and of the expiry, once', async () => {
  await share(partnerCnp)
  await asPartner('PUT', '/sharing/NORTH')
  await fixture.registry.settle()
  const before = (await typesOf(partner)).length
  for (const decided of ['SUSPENDED', 'REGISTERED'] as const)
    await fixture.operator.request(`/campaigns/${campaignId}/operations/10035`, {
      method: 'PUT',
      body: JSON.stringify({ status: decided }),
    })
  await fixture.call('DELETE', `/campaign/${campaignId}`)
  const told = [
    'MNO_CAMPAIGN_OPERATION_SUSPENDED',
    'MNO_CAMPAIGN_OPERATION_UNSUSPENDED',
    'CAMPAIGN_EXPIRED',
  ]
  expect((await typesOf(partner)).slice(before)).toEqual(told)
  expect((await typesOf()).slice(-3)).toEqual(told)
})

it('tells a partner that has declined a campaign no more of it', async () => {
  await share(partnerCnp)
  await asPartner('DELETE', '/sharing?explanation=No&rejectionCategory=CALL_TO_ACTION')
  const before = await typesOf(partner)
  await fixture.call('DELETE', `/campaign/${campaignId}`)
  expect(await typesOf(partner)).toEqual(before)
})

it('lists shares by CNP, brand, status and day, and refuses what it does not know', async () => {
  await share(partnerCnp)
  const owner = (await fixture.call('GET', '/csp/profile')).body.cspId
  const { brandId } = (await fixture.call('GET', `/campaign/${campaignId}`)).body
  const withPartner = async (query: string) =>
    (await fixture.call('GET', `/partnerCampaign/sharedWithMe?${query}`, undefined, partner)).body
  const byOwner = async (query: string) =>
    (await fixture.call('GET', `/partnerCampaign/sharedByMe/search?${query}`)).body
  const [day, later] = ['2026-01-15', '2026-01-16']
  for (const query of [
    `brandId=${brandId}`,
    `downstreamCnpId=${owner}`,
    'sharingStatus=PENDING&sharingStatus=ACCEPTED',
    `startDate=${day}&endDate=${day}`,
  ])
    expect(await withPartner(query), query).toMatchObject({
      totalRecords: 1,
      records: [{ campaignId, brandId, usecase: 'ACCOUNT_NOTIFICATION', status: 'ACTIVE' }],
    })
  for (const query of ['brandId=B000000', 'downstreamCnpId=NORTH', 'sharingStatus=ACCEPTED'])
    expect(await withPartner(query), query).toMatchObject({ totalRecords: 0 })
  for (const query of [`startDate=${later}`, 'endDate=2026-01-14', 'upstreamCnpId=NORTH'])
    expect(await byOwner(query), query).toMatchObject({ totalRecords: 0 })
  expect(await byOwner(`upstreamCnpId=${partnerCnp}`)).toMatchObject({ totalRecords: 1 })
  expect(await byOwner('startDate=yesterday')).toMatchObject([{ code: 501, fields: ['startDate'] }])
  expect(await byOwner('color=blue')).toMatchObject([{ code: 501, fields: ['color'] }])
})
