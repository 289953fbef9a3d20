import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { limitsOf } from '../../../src/messages/rules/sending-rate.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import {
  DAY,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'

const NUMBER = '+12025550199'
const OPERATORS = [10017, 10035, 10037, 10038]

let folder: ReturnType<typeof tempFolder>
let fixture: RegistryFixture
beforeEach(async () => {
  folder = tempFolder()
  const tablesFolder = `${folder.path}/tables`
  mkdirSync(tablesFolder)
  const decisions = { shareByDca: 'MANUAL', specialUsecase: 'MANUAL', vetting: 'SCORE' }
  writeFileSync(
    `${tablesFolder}/decisions.json`,
    JSON.stringify({ ...decisions, appeal: 'MANUAL' }),
  )
  fixture = await registryFixture({ tablesFolder })
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function operator(method: string, path: string, body: object): Promise<void> {
  const init = { method, body: JSON.stringify(body) }
  const { status } = await fixture.operator.request(path, init)
  expect(status).toBeLessThan(300)
}
async function create(change: object = {}, brand: object = privateBrand): Promise<string> {
  const { brandId } = (await fixture.call('POST', '/brand', brand)).body
  await fixture.registry.settle()
  const created = await fixture.call('POST', '/campaignBuilder', {
    ...campaign,
    brandId,
    ...change,
  })
  expect(created.status).toBe(200)
  return created.body.campaignId
}
const path = (campaignId: string) => `/campaign/${campaignId}`
const share = (campaignId: string, cnpId = 'NORTH') =>
  fixture.call('PUT', `${path(campaignId)}/sharing/${cnpId}`)
const judge = (campaignId: string, decision: object, cnpId = 'NORTH') =>
  operator('PUT', `/campaigns/${campaignId}/sharing/${cnpId}`, decision)
const provision = (campaignId: string) =>
  fixture.registry.numbers.provision(fixture.account.sid, campaignId, NUMBER)
const refusedProvision = async (campaignId: string, code: number) => {
  await expect(provision(campaignId)).rejects.toMatchObject({ problems: [{ code }] })
}
async function decide(campaignId: string, status: string, mnoIds = OPERATORS): Promise<void> {
  for (const mnoId of mnoIds)
    await operator('PUT', `/campaigns/${campaignId}/operations/${mnoId}`, { status })
}
async function setCsp(change: object): Promise<void> {
  const response = await fixture.operator.request('/csps')
  const { csps } = (await response.json()) as { csps: { cspId: string }[] } // what it lists
  await operator('PATCH', `/csps/${csps[0]?.cspId ?? ''}`, change)
}
/** A campaign whose number sends. */
async function carried(change: object = {}): Promise<string> {
  const campaignId = await create(change)
  await share(campaignId)
  await judge(campaignId, { decision: 'ACCEPT' })
  await provision(campaignId)
  return campaignId
}

/** Where a campaign is, how it came there, and what its number may do then. */
const STATES: readonly [string, () => Promise<unknown>, object][] = [
  ['never under a campaign', () => create(), { isAllowed: false, reason: 'no-campaign' }],
  [
    'under one that nobody carries: the number is refused',
    async () => refusedProvision(await create(), 592),
    { isAllowed: false, reason: 'no-campaign' },
  ],
  [
    'under one whose share is pending: the number is refused',
    async () => {
      const id = await create()
      await share(id)
      await refusedProvision(id, 592)
    },
    { isAllowed: false, reason: 'no-campaign' },
  ],
  [
    'under one that was declined: the number is refused',
    async () => {
      const id = await create()
      await share(id)
      const rejectionCategory = ['CALL_TO_ACTION']
      await judge(id, { decision: 'DECLINE', rejectionCategory, explanation: 'no' })
      await refusedProvision(id, 592)
    },
    { isAllowed: false, reason: 'no-campaign' },
  ],
  [
    'under a mock campaign: the number is refused',
    async () => refusedProvision(await create({}, { ...privateBrand, mock: true }), 536),
    { isAllowed: false, reason: 'no-campaign' },
  ],
  [
    'carried and registered everywhere',
    () => carried(),
    { isAllowed: true, lastEvent: 'CAMPAIGN_DCA_COMPLETE', operators: allAre('REGISTERED', true) },
  ],
  [
    'of a special use case, waiting for the operators',
    () => carried({ usecase: 'SOCIAL' }),
    { isAllowed: false, reason: 'no-operator-allows', operators: allAre('REVIEW', false) },
  ],
  [
    'of a special use case, approved by one',
    async () => decide(await carried({ usecase: 'SOCIAL' }), 'REGISTERED', [10017]),
    { isAllowed: true, operators: [{ mnoId: 10017, isAllowed: true }, {}, {}, {}] },
  ],
  [
    'rejected by every operator',
    async () => decide(await carried(), 'REJECTED'),
    { isAllowed: false, reason: 'no-operator-allows', operators: allAre('REJECTED', false) },
  ],
  [
    'suspended by one operator',
    async () => decide(await carried(), 'SUSPENDED', [10035]),
    {
      isAllowed: true,
      operators: [{ isAllowed: true }, { isAllowed: false }, { isAllowed: true }, {}],
    },
  ],
  [
    'suspended by every operator',
    async () => decide(await carried(), 'SUSPENDED'),
    { isAllowed: false, reason: 'no-operator-allows', operators: allAre('SUSPENDED', false) },
  ],
  [
    'suspended and back',
    async () => {
      const id = await carried()
      await decide(id, 'SUSPENDED')
      await decide(id, 'REGISTERED')
    },
    { isAllowed: true, lastEvent: 'MNO_CAMPAIGN_OPERATION_UNSUSPENDED' },
  ],
  [
    'submitted to some operators only',
    () => carried({ mnoIds: [10035] }),
    {
      isAllowed: true,
      operators: OPERATORS.map((mnoId) => ({ mnoId, isAllowed: mnoId === 10035 })),
    },
  ],
  [
    'not met at one operator',
    () => carried({ sample2: null }),
    { isAllowed: true, operators: [{ isAllowed: false, status: 'NOT_SUBMITTED' }, {}, {}, {}] },
  ],
  [
    'resubmitted to the operator that it did not meet',
    async () => {
      const id = await carried({ sample2: null })
      await fixture.call('PUT', path(id), { sample2: campaign.sample2 })
      await fixture.call('PUT', `${path(id)}/resubmit`, { mnoIds: [10017] })
    },
    { isAllowed: true, operators: allAre('REGISTERED', true) },
  ],
  [
    'moving to another aggregator',
    async () => fixture.call('POST', `${path(await carried())}/migrateCnp/SOUTH`),
    { isAllowed: true, operators: allAre('REGISTERED', true) },
  ],
  [
    'moved to another aggregator',
    async () => {
      const id = await carried()
      await fixture.call('POST', `${path(id)}/migrateCnp/SOUTH`)
      await judge(id, { decision: 'ACCEPT' }, 'SOUTH')
    },
    { isAllowed: true, operators: allAre('REGISTERED', true) },
  ],
  [
    'renewed for a year',
    async () => {
      await carried()
      await fixture.turn(366 * DAY)
    },
    { isAllowed: true, lastEvent: 'CAMPAIGN_BILLED' },
  ],
  [
    'run out without renewal',
    async () => {
      await carried({ autoRenewal: false })
      await fixture.turn(92 * DAY)
    },
    { isAllowed: false, reason: 'campaign-expired', lastEvent: 'CAMPAIGN_EXPIRED' },
  ],
  [
    'deactivated',
    async () => fixture.call('DELETE', path(await carried())),
    { isAllowed: false, reason: 'campaign-expired', lastEvent: 'CAMPAIGN_EXPIRED' },
  ],
  [
    'released',
    async () => {
      await carried()
      await fixture.registry.numbers.release(fixture.account.sid, NUMBER)
    },
    { isAllowed: false, reason: 'not-provisioned' },
  ],
  [
    'of a suspended CSP',
    async () => {
      await carried()
      await setCsp({ status: 'SUSPENDED' })
    },
    { isAllowed: false, reason: 'csp-suspended' },
  ],
  [
    'of a CSP that is back',
    async () => {
      await carried()
      await setCsp({ status: 'SUSPENDED' })
      await setCsp({ status: 'ACTIVE' })
    },
    { isAllowed: true },
  ],
]

function allAre(status: string, isAllowed: boolean): object[] {
  return OPERATORS.map((mnoId) => ({ mnoId, status, isAllowed }))
}

describe('a number', () => {
  it.each(STATES)('%s', async (_title, arrange, expected) => {
    await arrange()
    const permission = await fixture.registry.maySend(NUMBER)
    expect(permission).toMatchObject(expected)
    if (!permission.isAllowed && permission.reason === 'no-campaign') return
    // STOP must be understood at any time, also when nothing may be sent.
    expect(permission.texts).toEqual({
      optoutKeywords: ['STOP'],
      optoutMessage: campaign.optoutMessage,
      helpKeywords: ['HELP'],
      helpMessage: campaign.helpMessage,
      optinKeywords: [],
      optinMessage: campaign.optinMessage,
    })
  })

  it('has the words, texts and rates of its own campaign, also after they changed', async () => {
    const id = await carried({ usecase: 'PROXY', mnoIds: [10017] })
    await decide(id, 'REGISTERED', [10017])
    const change = {
      optoutKeywords: 'STOP,END',
      optoutMessage: 'Acme: you get no more messages from us.',
    }
    await fixture.call('PUT', path(id), change)
    expect(await fixture.registry.maySend(NUMBER)).toMatchObject({
      isAllowed: true,
      operators: [
        { name: 'AT&T', smsPerMinute: 60, mmsPerMinute: 50, scope: 'PHONE_NUMBER' },
        { name: 'T-Mobile', isAllowed: false },
        { name: 'US Cellular', isAllowed: false },
        { isAllowed: false },
      ],
      texts: { optoutKeywords: ['STOP', 'END'], optoutMessage: change.optoutMessage },
    })
  })

  it('counts towards the daily cap of its tax ID, whichever brand and CSP it is of', async () => {
    const ours = await carried()
    const other = await fixture.another('Other CSP')
    const sameEin = { ...privateBrand, displayName: 'Acme again', referenceId: 'again' }
    const { brandId } = (await fixture.call('POST', '/brand', sameEin, other)).body
    await fixture.registry.settle()
    const created = await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId }, other)
    const theirs = created.body.campaignId
    await fixture.call('PUT', `${path(theirs)}/sharing/NORTH`, undefined, other)
    await judge(theirs, { decision: 'ACCEPT' })
    await fixture.registry.numbers.provision(other.sid, theirs, '+12025550198')
    const unrelated = await create({}, { ...privateBrand, ein: '123456780' })
    await share(unrelated)
    await judge(unrelated, { decision: 'ACCEPT' })
    await fixture.registry.numbers.provision(fixture.account.sid, unrelated, '+12025550197')
    const keyOf = async (number: string) => {
      const standing = await fixture.registry.maySend(number)
      return 'dailyCapKey' in standing ? standing.dailyCapKey : undefined
    }
    expect(await fixture.registry.maySend(NUMBER)).toMatchObject({ campaignId: ours })
    expect(await keyOf(NUMBER)).toBe('ein:US_123456789')
    expect(await keyOf('+12025550198')).toBe(await keyOf(NUMBER))
    expect(await keyOf('+12025550197')).not.toBe(await keyOf(NUMBER))
  })
})

it('a campaign for some operators is carried by no other', async () => {
  const campaignId = await carried({ mnoIds: [10017] })
  const permission = await fixture.registry.maySend(NUMBER)
  if (!permission.isAllowed) throw new Error(permission.reason)
  expect(permission.operators.map(({ mnoId, isAllowed }) => [mnoId, isAllowed])).toEqual(
    OPERATORS.map((mnoId) => [mnoId, mnoId === 10017]),
  )
  for (const operator of [10035, 10037, 10038])
    expect(limitsOf(permission, { from: NUMBER, kind: 'sms', operator }).isCarried).toBe(false)
  expect(limitsOf(permission, { from: NUMBER, kind: 'sms', operator: 10017 }).isCarried).toBe(true)
  expect((await fixture.call('GET', `${path(campaignId)}/excludedMno`)).body).toEqual([
    10035, 10037, 10038,
  ])
})
