import { describe, expect, it } from 'vitest'
import {
  type Answer,
  accountApiFixture,
  type Body,
} from '../../support/account/account-api-fixture.js'
import { CAMPAIGN_ID } from '../../support/account/scripted-campaigns.js'
import { CAMPAIGN, permitAll } from '../../support/messages/permit-all.js'

const TN = '2025550111'
const ABSENT = '2025550199'
const NUMBERS = { numbers: [{ number: TN }] }
const SENT = { fromNumber: TN, toNumber: '3035550142', text: 'Hello' }

const dataOf = ({ body }: Answer) => body['data'] as Body

async function setUp() {
  const t = await accountApiFixture()
  await t.hold(TN)
  const sends = async () => (await t.rest('POST', '/messages', SENT)).status
  return Object.assign(t, { sends })
}

describe('disabling and enabling a number', () => {
  it('changes its next message, and back', async () => {
    await using t = await setUp()
    expect(await t.sends()).toBe(201)
    const disabled = await t.legacy('/messaging/disable/', NUMBERS)
    const changed = { message: 'Number results', numbers_enabled: { [`1${TN}`]: [12025550111] } }
    expect(disabled.body).toMatchObject({ statusCode: '200', status: 'Success', ...changed })
    expect(await t.sends()).toBe(409)
    const status = await t.legacy('/messaging/status/', NUMBERS)
    expect(status.body['numbers']).toEqual([{ number: TN, status: 'Not Enabled' }])
    expect((await t.legacy('/messaging/enable/', NUMBERS)).body).toMatchObject(changed)
    expect(await t.sends()).toBe(201)
  })

  it.each([
    `/numbers/${TN}`,
    '/numbers',
    '/gateways/3/numbers',
  ])('shows in smsEnabled of %s', async (path) => {
    await using t = await setUp()
    const shown = async () => JSON.stringify((await t.rest('GET', path)).body)
    expect(await shown()).toContain('"smsEnabled":true')
    await t.legacy('/messaging/disable/', NUMBERS)
    expect(await shown()).toContain('"smsEnabled":false')
  })

  it('is a 409 with both parts when one number cannot be changed', async () => {
    await using t = await setUp()
    const numbers = [{ number: TN }, { number: ABSENT }]
    for (const path of ['/messaging/enable/', '/messaging/disable/'])
      expect(await t.legacy(path, { numbers })).toMatchObject({
        status: 409,
        body: {
          numbers_enabled: { [`1${TN}`]: [12025550111] },
          numbers_failed: { [ABSENT]: 'Number not found on account' },
        },
      })
  })

  it.each([
    ['a text', TN],
    ['an integer', Number(TN)],
  ])('takes a number that is %s by itself', async (_title, number) => {
    await using t = await setUp()
    for (const path of ['/messaging/disable/', '/messaging/enable/', '/messaging/status/'])
      expect((await t.legacy(path, { numbers: [number] })).status).toBe(200)
    expect((await t.legacy('/messaging/routeout/', { numbers: [number] })).body).toMatchObject({
      statusCode: '400',
      message: 'Field Required: numbers.0.route',
    })
  })

  it('puts the number under the campaign that is named', async () => {
    await using t = await setUp()
    const enabled = (campaignID: string) =>
      t.legacy('/messaging/enable/', { numbers: [{ number: TN, campaignID }] })
    expect(await enabled('C000000')).toMatchObject({
      status: 409,
      body: { numbers_failed: { [TN]: 'Campaign ID Status: CAMPAIGN_INVALID_ID' } },
    })
    expect([...t.campaigns.numbers]).toEqual([])
    expect((await enabled(CAMPAIGN_ID)).status).toBe(200)
    expect([...t.campaigns.numbers]).toEqual([`+1${TN}`])
  })

  it('announces that a campaign will be required, in the answer and by mail', async () => {
    await using t = await setUp()
    expect((await t.legacy('/messaging/enable/', NUMBERS)).body['message']).toBe('Number results')
    expect(await t.mailed()).toEqual([])
    t.permit(() => Promise.resolve({ isAllowed: false, reason: 'no-campaign' }))
    const { status, body } = await t.legacy('/messaging/enable/', NUMBERS)
    expect([status, body['message']]).toEqual([200, expect.stringMatching(/10DLC campaign ID/)])
    expect(await t.mailed()).toMatchObject([
      { to: 'owner@acme.example', text: expect.stringContaining(TN) as string },
    ])
  })
})

describe('the messaging of numbers in the REST style', () => {
  it('is shown, with the campaign that carries it', async () => {
    await using t = await setUp()
    t.permit(() => Promise.resolve({ isAllowed: true, ...CAMPAIGN, campaignId: CAMPAIGN_ID }))
    t.campaigns.numbers.add(`+1${TN}`)
    expect(dataOf(await t.rest('GET', `/numbers/${TN}/messaging`))).toEqual({
      number: TN,
      enabled: true,
      onAccount: true,
      carrier: 'scripted',
      network: '10DLC',
      routeIn: 'default',
      resource: '',
      routeOut: 'default',
      campaign: {
        id: CAMPAIGN_ID,
        status: 'CAMPAIGN_DCA_COMPLETE',
        network: '10DLC',
        upstreamCnpId: 'TWILO',
      },
    })
  })

  it('is shown for several numbers at once, those of others among them', async () => {
    await using t = await setUp()
    const { numbers } = dataOf(await t.rest('GET', `/numbers/messaging?numbers=${TN},${ABSENT}`))
    expect(numbers).toMatchObject([
      { number: TN, onAccount: true, campaign: null },
      { number: ABSENT, onAccount: false, enabled: false, network: '' },
    ])
    expect((await t.rest('GET', `/numbers/${ABSENT}/messaging`)).status).toBe(404)
    expect((await t.rest('GET', '/numbers/messaging?numbers=abc')).status).toBe(400)
  })

  it('is switched off and on', async () => {
    await using t = await setUp()
    const change = (body: Body, tn = TN) => t.rest('PATCH', `/numbers/${tn}/messaging`, body)
    expect(dataOf(await change({ enabled: false }))).toMatchObject({ enabled: false })
    expect(await t.sends()).toBe(409)
    expect(dataOf(await change({ enabled: true }))).toMatchObject({ enabled: true })
    expect(await t.sends()).toBe(201)
    expect((await change({ enabled: false }, ABSENT)).status).toBe(404)
  })
})

describe('the route of outgoing messages', () => {
  it('is set and ended in both styles', async () => {
    await using t = await setUp()
    const shown = async () => dataOf(await t.rest('GET', `/numbers/${TN}/messaging`))
    const route = (name: string) =>
      t.legacy('/messaging/routeout/', { numbers: [{ number: TN, route: name }] })
    expect(await route('other')).toMatchObject({
      status: 200,
      body: { message: 'Route results', numbers: [{ number: TN, route: 'other' }] },
    })
    expect(await shown()).toMatchObject({ routeOut: 'other', carrier: 'other' })
    await t.rest('PATCH', `/numbers/${TN}/messaging`, { routeOut: 'default' })
    expect(await shown()).toMatchObject({ routeOut: 'default', carrier: 'scripted' })
  })

  it('is refused when the server has no such carrier, and changes nothing', async () => {
    await using t = await setUp()
    const numbers = [{ number: TN, route: 'nobody' }]
    expect(await t.legacy('/messaging/routeout/', { numbers })).toMatchObject({
      status: 409,
      body: {
        numbers_success: [],
        numbers_failed: [{ number: TN, reason: 'The routes are default, scripted, other' }],
      },
    })
    const patched = await t.rest('PATCH', `/numbers/${TN}/messaging`, { routeOut: 'nobody' })
    expect(patched.status).toBe(400)
    const shown = dataOf(await t.rest('GET', `/numbers/${TN}/messaging`))
    expect(shown).toMatchObject({ routeOut: 'default' })
  })
})

it('sends nothing for an account without the sms service: 409, and 405 in the legacy style', async () => {
  await using t = await setUp()
  t.permit(permitAll)
  await t.accounts.update(t.account.sid, { profile: { services: { sms: false } } })
  expect(await t.sends()).toBe(409)
  const sent = { source: TN, destination: '3035550142', messageText: 'Hello' }
  expect((await t.legacy('/messaging/sms/', sent)).status).toBe(405)
  await t.accounts.update(t.account.sid, { profile: { services: { sms: true } } })
  expect(await t.sends()).toBe(201)
})
