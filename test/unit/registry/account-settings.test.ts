import { afterEach, beforeEach, expect, it } from 'vitest'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand, soleProprietor } from '../../support/registry/registry-samples.js'

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

async function setCsp(change: object): Promise<void> {
  const { cspId } = (await fixture.call('GET', '/csp/profile')).body
  const response = await fixture.operator.request(`/csps/${cspId}`, {
    method: 'PATCH',
    body: JSON.stringify(change),
  })
  expect(response.status).toBe(200)
}

it('shows and updates the profile', async () => {
  const { body } = await fixture.call('PUT', '/csp/profile', { email: 'ops@acme.example' })
  expect(body).toMatchObject({
    email: 'ops@acme.example',
    escalateEmail: null,
    techEmail: null,
    financeEmail: null,
    soleProprietorEnabled: true,
    platformFreeTrialEnabled: false,
    ucaasEnabled: false,
    publicSafetyEnabled: false,
    dpaSigned: true,
  })
  expect((await fixture.call('PUT', '/csp/profile', { techEmail: 'x' })).body).toMatchObject([
    { code: 501, fields: ['techEmail'] },
  ])
})

it('shows and updates the migration settings', async () => {
  const change = { migrationSupported: false }
  expect((await fixture.call('PUT', '/settings/cnpMigration', change)).body).toEqual({
    migrationSupported: false,
    migrationAutoComplete: true,
  })
  expect((await fixture.call('GET', '/settings/cnpMigration')).body).toMatchObject(change)
})

it('lets a suspended CSP read brands, and nothing be written', async () => {
  await setCsp({ status: 'SUSPENDED' })
  expect((await fixture.call('GET', '/brand')).status).toBe(200)
  expect((await fixture.call('GET', '/csp/profile')).body).toMatchObject([{ code: 504 }])
  expect((await fixture.call('POST', '/brand', privateBrand)).body).toMatchObject([{ code: 504 }])
})

it('refuses sole proprietors where they are not enabled', async () => {
  await setCsp({ soleProprietorEnabled: false })
  expect((await fixture.call('POST', '/brand', soleProprietor)).body).toMatchObject([
    { code: 534, fields: ['entityType'] },
  ])
})

it('lets no brand become a sole proprietor where they are not enabled', async () => {
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  const person = (await fixture.call('POST', '/brand', soleProprietor)).body
  await fixture.registry.settle()
  await setCsp({ soleProprietorEnabled: false })
  expect((await fixture.call('PUT', `/brand/${brandId}`, soleProprietor)).body).toMatchObject([
    { code: 534, fields: ['entityType'] },
  ])
  expect((await fixture.call('GET', `/brand/${brandId}`)).body).toMatchObject({
    entityType: 'PRIVATE_PROFIT',
  })
  // One that is one already may still be corrected.
  const corrected = { ...soleProprietor, city: 'Dallas' }
  expect((await fixture.call('PUT', `/brand/${person.brandId}`, corrected)).status).toBe(200)
})

it('is named as its account is, also after that has another name', async () => {
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await fixture.rename('Renamed CSP')
  expect((await fixture.call('GET', `/brand/${brandId}`)).body).toMatchObject({
    cspName: 'Renamed CSP',
  })
  const listed: unknown = await (await fixture.operator.request('/csps')).json()
  expect(listed).toMatchObject({ csps: [{ name: 'Renamed CSP' }] })
})

it('names the CSP of the free-trial brand, which is another one', async () => {
  const support = await fixture.another('Registry support')
  const { brandId, cspId } = (await fixture.call('POST', '/brand', privateBrand, support)).body
  await setCsp({ platformFreeTrialEnabled: true, freeTrialBrandId: brandId })
  expect((await fixture.call('GET', '/pft/brand')).body).toMatchObject({
    ...{ brandId, cspId, cspName: 'Registry support' },
  })
})

it('serves the free trial with the brand that was provisioned for it', async () => {
  expect((await fixture.call('GET', '/pft/brand')).body).toMatchObject([{ code: 502 }])
  await setCsp({ platformFreeTrialEnabled: true })
  expect((await fixture.call('GET', '/pft/brand')).body).toMatchObject([{ code: 502 }])
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await fixture.registry.settle()
  await setCsp({ freeTrialBrandId: brandId })
  expect((await fixture.call('GET', '/pft/brand')).body).toMatchObject({ brandId })
  const trial = { ...campaign, brandId, usecase: 'TRIAL' }
  const created = await fixture.call('POST', '/campaignBuilder', trial)
  expect(created.body.mnoMetadata).toMatchObject({
    10017: { msgClass: 'Z', mnoReview: true },
    10037: { mnoSupport: false },
  })
})

it('tells what operators make of a trial under another CSP’s free-trial brand', async () => {
  const host = await fixture.another('Registry support')
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand, host)).body
  await fixture.registry.settle()
  const path = `/campaignBuilder/brand/${brandId}/usecase/TRIAL`
  expect((await fixture.call('GET', path)).body).toMatchObject([{ code: 502 }])
  await setCsp({ platformFreeTrialEnabled: true, freeTrialBrandId: brandId })
  expect(await fixture.call('GET', path)).toMatchObject({
    status: 200,
    body: { usecase: 'TRIAL', mnoMetadata: { 10017: { msgClass: 'Z', qualify: true } } },
  })
})

it('takes TRIAL campaigns only under another CSP’s free-trial brand', async () => {
  const host = await fixture.another('Registry support')
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand, host)).body
  await fixture.registry.settle()
  await setCsp({ platformFreeTrialEnabled: true, freeTrialBrandId: brandId })
  const create = (usecase: string) =>
    fixture.call('POST', '/campaignBuilder', { ...campaign, brandId, usecase })
  expect((await create('MARKETING')).body).toMatchObject([{ code: 501, fields: ['usecase'] }])
  expect((await create('TRIAL')).status).toBe(200)
  await setCsp({ platformFreeTrialEnabled: false })
  expect((await create('MARKETING')).body).toMatchObject([{ code: 502, fields: ['brandId'] }])
  await setCsp({ platformFreeTrialEnabled: true })
  const campaigns = (await fixture.call('GET', '/campaign')).body.records
  for (const each of campaigns) await fixture.call('DELETE', `/campaign/${each.campaignId}`)
  expect((await fixture.call('DELETE', `/brand/${brandId}`, undefined, host)).status).toBe(204)
  expect((await create('TRIAL')).body).toMatchObject([{ code: 502 }])
})
