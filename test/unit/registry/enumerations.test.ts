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
  expect((await fixture.call('GET', '/enum/mno')).body).toMatchObject({
    10035: { displayName: 'T-Mobile', osrBitmaskIndex: 2 },
  })
  expect((await fixture.call('GET', '/error')).body).toMatchObject({ 501: 'Invalid parameter' })
  expect((await fixture.call('GET', '/version')).body['text']).toBe('0.0.0')
})
