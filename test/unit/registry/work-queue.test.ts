import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadTables } from '../../../src/registry/data/tables.js'
import { schedule } from '../../../src/registry/jobs/jobs.js'
import { sharesOf } from '../../../src/registry/storage/shares.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'

/** A registry in which a person decides everything. */
let folder: ReturnType<typeof tempFolder>
let fixture: RegistryFixture
beforeEach(async () => {
  folder = tempFolder()
  const tablesFolder = `${folder.path}/tables`
  mkdirSync(tablesFolder)
  const decisions = {
    ...loadTables().decisions,
    brand: 'MANUAL',
    shareByDca: 'MANUAL',
    vetting: 'MANUAL',
  }
  writeFileSync(`${tablesFolder}/decisions.json`, JSON.stringify(decisions))
  fixture = await registryFixture({ tablesFolder })
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function queue(path: string) {
  const response = await fixture.operator.request(path)
  const body = (await response.json()) as { totalRecords: number; records: object[] } // as below
  return { status: response.status, body }
}
async function decide(path: string, decision: object): Promise<void> {
  const init = { method: 'PUT', body: JSON.stringify(decision) }
  expect((await fixture.operator.request(path, init)).status).toBe(204)
  await fixture.registry.settle()
}
const waiting = async (path: string) => (await queue(path)).body.totalRecords

it('shows an operator what waits for a decision, until it is decided', async () => {
  const { brandId } = (await fixture.call('POST', '/brand', { ...privateBrand, ein: '070000001' }))
    .body
  const brands = '/brands?scoring=pending'
  expect((await queue(brands)).body).toMatchObject({
    totalRecords: 1,
    records: [{ brandId, displayName: 'Acme', scoring: 'pending' }],
  })
  await decide(`/brands/${brandId}/identity`, { identityStatus: 'UNVERIFIED' })
  expect(await waiting(brands)).toBe(0)
  expect(await waiting('/brands?identityStatus=UNVERIFIED')).toBe(1)

  const appeal = { appealCategories: ['VERIFY_TAX_ID'], explanation: 'See the letter.' }
  expect((await fixture.call('POST', `/brand/${brandId}/appeal`, appeal)).status).toBe(204)
  const appeals = await queue('/appeals?appealStatus=PENDING')
  expect(appeals.body.records).toMatchObject([{ brandId, explanation: 'See the letter.' }])
  const [{ appealId }] = appeals.body.records as [{ appealId: string }]
  await decide(`/appeals/${appealId}`, { isGranted: true })
  expect(await waiting('/appeals?appealStatus=PENDING')).toBe(0)

  const path = `/brand/${brandId}/externalVetting`
  const order = { evpId: 'AEGIS', vettingClass: 'STANDARD' }
  const { vettingId } = (await fixture.call('POST', path, order)).body
  const vettings = await queue('/vettings?vettingStatus=PENDING')
  expect(vettings.body.records).toMatchObject([{ vettingId, brandId, evpId: 'AEGIS' }])
  await decide(`/vettings/${vettingId}`, { score: 60 })
  expect(await waiting(`/vettings?vettingStatus=PENDING&brandId=${brandId}`)).toBe(0)

  const special = { ...campaign, brandId, usecase: 'SWEEPSTAKE' }
  const { campaignId } = (await fixture.call('POST', '/campaignBuilder', special)).body
  expect((await queue('/campaigns?inReview=true')).body.records).toMatchObject([
    { campaignId, brandId, operations: { 10017: 'REVIEW' } },
  ])
  for (const mnoId of [10017, 10035, 10037, 10038])
    await decide(`/campaigns/${campaignId}/operations/${mnoId}`, { status: 'REGISTERED' })
  expect(await waiting('/campaigns?inReview=true')).toBe(0)
  await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
  expect(await waiting('/campaigns?pendingAt=NORTH')).toBe(1)
  expect(await waiting('/campaigns?pendingAt=SOUTH')).toBe(0)
  await decide(`/campaigns/${campaignId}/sharing/NORTH`, { decision: 'ACCEPT' })
  expect(await waiting('/campaigns?pendingAt=NORTH')).toBe(0)
})

it('accepts no share of a campaign that was deactivated while it waited', async () => {
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await decide(`/brands/${brandId}/identity`, { identityStatus: 'VERIFIED' })
  const { campaignId } = (await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId }))
    .body
  await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
  expect((await fixture.call('DELETE', `/campaign/${campaignId}`)).status).toBe(204)
  // The job of an aggregator that decides by itself, which comes too late.
  await fixture.db.write(async (tx) => {
    const [share] = await sharesOf(tx, campaignId)
    await schedule(tx, 'accept-share', String(share?.id), fixture.clock.now())
  })
  await fixture.registry.settle()
  const { sharedByMe } = (await fixture.call('GET', `/campaign/${campaignId}/sharing`)).body
  expect(sharedByMe).toMatchObject({ sharingStatus: 'DECLINED' })
  const elected = await fixture.call('GET', `/campaign/${campaignId}/mnoIdsWithDcaElected`)
  expect(elected.body).toEqual([])
  const events = await fixture.call('GET', `/webhook/event?campaignId=${campaignId}`)
  const types = events.body.records.map((event) => event['eventType'])
  expect(types).toContain('CAMPAIGN_EXPIRED')
  expect(types).not.toContain('CAMPAIGN_DCA_COMPLETE')
  const decided = await fixture.operator.request(`/campaigns/${campaignId}/sharing/NORTH`, {
    method: 'PUT',
    body: JSON.stringify({ decision: 'ACCEPT' }),
  })
  expect(await decided.json()).toMatchObject([{ code: 518, fields: ['campaignId'] }])
})

it('lets no vetting be imported before it has a result, and leaves the other brand as it was', async () => {
  const register = async () => {
    const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
    await decide(`/brands/${brandId}/identity`, { identityStatus: 'VERIFIED' })
    return brandId
  }
  const [first, second] = [await register(), await register()]
  const order = { evpId: 'AEGIS', vettingClass: 'STANDARD' }
  const { vettingId } = (await fixture.call('POST', `/brand/${first}/externalVetting`, order)).body
  const wanted = { evpId: 'AEGIS', vettingId }
  const imported = await fixture.call('PUT', `/brand/${second}/externalVetting`, wanted)
  expect(imported).toMatchObject({ status: 400, body: [{ code: 539 }] })
  const changed = { ...privateBrand, ein: '123456780' }
  expect((await fixture.call('PUT', `/brand/${second}`, changed)).status).toBe(200)
})

it('has no vetting of a brand that was deleted', async () => {
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await decide(`/brands/${brandId}/identity`, { identityStatus: 'VERIFIED' })
  const order = { evpId: 'AEGIS', vettingClass: 'STANDARD' }
  const path = `/brand/${brandId}/externalVetting`
  const { vettingId } = (await fixture.call('POST', path, order)).body
  expect(await waiting('/vettings?vettingStatus=PENDING')).toBe(1)
  expect((await fixture.call('DELETE', `/brand/${brandId}`)).status).toBe(204)
  expect(await waiting('/vettings?vettingStatus=PENDING')).toBe(0)
  expect((await fixture.call('GET', `${path}?vettingStatus=FAILED`)).body).toMatchObject([
    { vettingId },
  ])
  const decided = await fixture.operator.request(`/vettings/${vettingId}`, {
    method: 'PUT',
    body: JSON.stringify({ score: 80 }),
  })
  expect(await decided.json()).toMatchObject([{ code: 592, fields: ['vettingId'] }])
})

it.each([
  ['vettings', 'vettingId', 'externalVetting', { evpId: 'AEGIS', vettingClass: 'STANDARD' }],
  [
    'appeals',
    'appealId',
    'appeal',
    { appealCategories: ['VERIFY_TAX_ID'], explanation: 'See the letter.' },
  ],
])('lists %s of one moment in the order of their ids, on every page', async (list, id, path, order) => {
  const identityStatus = list === 'appeals' ? 'UNVERIFIED' : 'VERIFIED'
  for (let i = 0; i < 6; i += 1) {
    const { brandId } = (
      await fixture.call('POST', '/brand', { ...privateBrand, ein: `07000000${i}` })
    ).body
    await decide(`/brands/${brandId}/identity`, { identityStatus })
    expect((await fixture.call('POST', `/brand/${brandId}/${path}`, order)).status).toBeLessThan(
      300,
    )
  }
  const ids: unknown[] = []
  for (let page = 1; page <= 6; page += 1) {
    const { records } = (await queue(`/${list}?page=${page}&recordsPerPage=1`)).body
    ids.push(...records.map((record) => (record as Record<string, unknown>)[id]))
  }
  expect(new Set(ids).size).toBe(6)
  expect(ids).toEqual([...ids].sort())
})

it('refuses a filter that it does not know', async () => {
  expect(await queue('/campaigns?color=blue')).toMatchObject({
    status: 400,
    body: [{ code: 501, fields: ['color'] }],
  })
})
