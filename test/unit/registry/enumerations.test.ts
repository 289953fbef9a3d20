import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

const NAMES =
  'altBusinessIdType approvedPublicCompany assetAppealCategory brandAppealCategory brandIdentityStatus brandRelationship brandStatus campaignStatus cnp country dca entityType extVettingAppealCategory extVettingProvider mno nudgeIntent operationStatus optionalAttributeNames rejectionCategory stockExchange suspensionCategory usecase usState vertical vettingClass vettingFeedbackCode vettingStatus'

it.each(NAMES.split(' '))('serves /enum/%s', async (name) => {
  const { status, body } = await fixture.call('GET', `/enum/${name}`)
  expect(status).toBe(200)
  expect(Object.keys(body).length).toBeGreaterThan(0)
})

it('knows what it does not know', async () => {
  expect((await fixture.call('GET', '/enum/fun')).body).toMatchObject([{ code: 502 }])
  expect(await fixture.call('GET', '/fun')).toMatchObject({ status: 404, body: [{ code: 502 }] })
})

it('serves full sets, maps, filters, texts and its version', async () => {
  expect((await fixture.call('GET', '/enum/nudgeIntent')).body).toEqual([
    'APPEAL_REJECTION',
    'REVIEW',
  ])
  expect((await fixture.call('GET', '/enum/entityType')).body).toContain('SOLE_PROPRIETOR')
  expect(Object.keys((await fixture.call('GET', '/enum/usecase')).body)).toHaveLength(28)
  const subs = await fixture.call('GET', '/enum/usecase?validSubUsecase=true')
  expect(Object.keys(subs.body)).toHaveLength(10)
  expect((await fixture.call('GET', '/enum/mno')).body).toContainEqual({
    networkId: 10035,
    displayName: 'T-Mobile',
    osrBitmaskIndex: 2,
  })
  expect((await fixture.call('GET', '/error')).body).toMatchObject({ 501: 'Invalid parameter' })
  expect((await fixture.call('GET', '/version')).body['text']).toBe('0.0.0')
})

it('answers enumerations in the shapes that clients of this family parse', async () => {
  const list = async (name: string) =>
    (await fixture.call('GET', `/enum/${name}`)).body as unknown as object[] // lists, these
  expect(await list('dca')).toContainEqual({ id: 'NORTH', displayName: 'Northern Direct Connect' })
  expect(await list('extVettingProvider')).toContainEqual({
    evpId: 'WMC',
    displayName: 'WMC Global',
    vettingClasses: ['STANDARD'],
  })
  expect(await list('optionalAttributeNames')).toContainEqual({
    id: 'governmentEntity',
    dataType: 'BOOLEAN',
    description: 'Government entity',
  })
  expect(await list('vettingFeedbackCode')).toContainEqual(
    expect.objectContaining({ code: 'TFGE01', category: 'GOVERNMENT_ENTITY' }),
  )
  expect((await fixture.call('GET', '/enum/cnp')).body).toMatchObject({
    NORTH: 'Northern Direct Connect',
  })
  const company = 'displayName=telephone&symbol=EXTC&exchange=NASDAQ'
  expect((await fixture.call('GET', `/enum/approvedPublicCompany?${company}`)).body).toMatchObject({
    records: [{ displayName: 'Example Telephone Corporation', symbol: 'EXTC', exchange: 'NASDAQ' }],
  })
})
