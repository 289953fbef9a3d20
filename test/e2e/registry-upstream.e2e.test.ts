import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { tempFolder } from '../support/process/temp-folder.js'
import { RegistryProcess } from '../support/registry/registry-process.js'
import { campaign, privateBrand } from '../support/registry/registry-samples.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 30_000

/** Two servers: ours, and one above it where a partner decides. */
let folder: ReturnType<typeof tempFolder>
let above: RegistryProcess
let ours: RegistryProcess
let partnerKey: string
beforeEach(async () => {
  folder = tempFolder()
  above = new RegistryProcess(join(folder.path, 'above'))
  await above.start()
  partnerKey = await above.anotherKey('Partner above')
  const { body } = await above.call('GET', '/csp/profile', undefined, partnerKey)
  ours = new RegistryProcess(join(folder.path, 'ours'), {
    REGISTRY_UPSTREAM_URL: `${above.http}/v2/csp`,
    REGISTRY_UPSTREAM_KEY: above.key,
    REGISTRY_UPSTREAM_SHARE_WITH: String(body['cspId']),
    REGISTRY_UPSTREAM_CNP: 'HIGHER',
    REGISTRY_UPSTREAM_NAME: 'The registry above',
  })
  await ours.start()
})
afterEach(async () => {
  await ours[Symbol.asyncDispose]()
  await above[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Ours asks again when its time has come, which an operator makes sooner. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const asked = async () => {
    await ours.operator('POST', '/clock', { advanceMs: 60_000 })
    return isSo()
  }
  await waitUntil(what, asked, LIMIT_MS, () => ours.log())
}

async function idOf(path: string): Promise<string> {
  const { records } = (await above.call('GET', path)).body as { records: { campaignId: string }[] }
  return records[0]?.campaignId ?? ''
}

it('shares a campaign up; it is declined, corrected, nudged and accepted there', async () => {
  expect((await ours.call('GET', '/enum/cnp')).body).toMatchObject({
    HIGHER: 'The registry above',
  })
  const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
  await until('the brand is scored', async () => {
    const { body } = await ours.call('GET', `/brand/${String(brandId)}`)
    return body['identityStatus'] === 'VERIFIED'
  })
  const created = await ours.call('POST', '/campaignBuilder', { ...campaign, brandId })
  const campaignId = String(created.body['campaignId'])
  const path = `/campaign/${campaignId}`
  const sharing = async () =>
    (await ours.call('GET', `${path}/sharing`)).body['sharedByMe'] as { sharingStatus: string } // it is shared
  expect((await ours.call('PUT', `${path}/sharing/HIGHER`)).status).toBe(200)
  expect(await sharing()).toMatchObject({ upstreamCnpId: 'HIGHER', sharingStatus: 'PENDING' })

  const asPartner = (method: string, suffix: string) =>
    above.call(method, `/partnerCampaign/${suffix}`, undefined, partnerKey)
  const isWaiting = async () => (await asPartner('GET', 'sharedWithMe')).body['totalRecords'] === 1
  await until('the campaign waits above', isWaiting)
  const there = await idOf(`/campaign?referenceId=${campaignId}`)
  const decline = `${there}/sharing?explanation=Say%20more&rejectionCategory=CALL_TO_ACTION`
  expect((await asPartner('DELETE', decline)).status).toBe(204)
  await until('we know of the decline', async () => (await sharing()).sharingStatus === 'DECLINED')
  expect(await sharing()).toMatchObject({
    explanation: 'Say more',
    rejectionCategory: ['CALL_TO_ACTION'],
  })

  const messageFlow = 'Customers tick an empty box on our checkout page to opt in.'
  expect((await ours.call('PUT', path, { messageFlow })).status).toBe(200)
  const nudge = { nudgeIntent: 'APPEAL_REJECTION', description: 'More is said now.' }
  // In the middle of it, ours dies: what was promised is done by the next one.
  expect((await ours.call('POST', `${path}/nudge`, nudge)).status).toBe(200)
  await ours.kill()
  await ours.start()
  const shareThere = async () =>
    (await asPartner('GET', `${there}/sharing`)).body['sharedWithMe'] as { sharingStatus: string } // as above
  await until('it waits there again', async () => (await shareThere()).sharingStatus === 'PENDING')
  expect((await asPartner('GET', there)).body).toMatchObject({ messageFlow })

  expect((await asPartner('PUT', `${there}/sharing/NORTH`)).status).toBe(200)
  await until(
    'we know of the acceptance',
    async () => (await sharing()).sharingStatus === 'ACCEPTED',
  )
  expect((await ours.call('GET', `${path}/mnoIdsWithDcaElected`)).body).toHaveLength(4)
  const { body } = await ours.call(
    'GET',
    `/webhook/event?campaignId=${campaignId}&recordsPerPage=50`,
  )
  const types = (body['records'] as { eventType: string }[]).map(({ eventType }) => eventType) // what it lists
  expect(types.filter((type) => /SHARE|NUDGE|DCA/.test(type))).toEqual([
    'CAMPAIGN_SHARE_ADD',
    'CAMPAIGN_SHARE_DELETE',
    'CAMPAIGN_NUDGE',
    'CAMPAIGN_SHARE_ACCEPT',
    'CAMPAIGN_DCA_COMPLETE',
  ])
  expect((await above.call('GET', '/brand')).body['totalRecords']).toBe(1)
  expect((await above.call('GET', '/campaign')).body['totalRecords']).toBe(1)
})
