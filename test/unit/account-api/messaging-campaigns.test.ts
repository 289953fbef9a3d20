import { describe, expect, it } from 'vitest'
import {
  type Answer,
  accountApiFixture,
  type Body,
} from '../../support/account/account-api-fixture.js'
import {
  BRAND_ID,
  CAMPAIGN_ID,
  createScriptedCampaigns,
} from '../../support/account/scripted-campaigns.js'
import { CAMPAIGN } from '../../support/messages/permit-all.js'
import { stock, stocked } from '../../support/numbers/stock.js'
import { interrupted } from '../../support/process/interrupted-database.js'

const TN = '2025550111'
const ABSENT = '2025550199'
const BRAND = {
  messagingBrandId: BRAND_ID,
  messagingBrandName: 'Acme',
  messagingBrandDescription: 'Sells anvils',
}
const REGISTERED = {
  externalCampaignId: CAMPAIGN_ID,
  campaignDescription: 'Notices of orders',
  messagingBrandId: BRAND_ID,
}

const dataOf = ({ body }: Answer) => body['data'] as Body

async function setUp(...fixture: Parameters<typeof accountApiFixture>) {
  const t = await accountApiFixture(...fixture)
  await t.hold(TN)
  t.permit(() => Promise.resolve({ isAllowed: true, ...CAMPAIGN, campaignId: CAMPAIGN_ID }))
  const numbering = (path: string, body: Body) =>
    t.send('POST', `/v2${path}`, { apikey: t.account.secret, ...body })
  return Object.assign(t, { numbering })
}

const tnCampaign = (...tns: string[]) => ({
  tnCampaign: {
    tnList: {
      tnItem: tns.map((tn) => ({ tn, tnFeature: { messaging: { tnCampaign: CAMPAIGN_ID } } })),
    },
  },
})

describe('looking campaigns up', () => {
  it('shows their last events and numbers; one that is not of the account is invalid', async () => {
    await using t = await setUp()
    t.campaigns.numbers.add(`+1${TN}`)
    const campaignIDs = [{ campaignID: CAMPAIGN_ID }, 'C000000']
    const { body } = await t.legacy('/messaging/campaigns/', { campaignIDs })
    expect(body).toMatchObject({
      campaign_numbers: { [CAMPAIGN_ID]: [TN], C000000: [] },
      campaign_event_status: {
        [CAMPAIGN_ID]: 'CAMPAIGN_DCA_COMPLETE',
        C000000: 'CAMPAIGN_INVALID_ID',
      },
    })
    const found = await t.rest('GET', `/messaging/campaigns?ids=${CAMPAIGN_ID},C000000`)
    expect(dataOf(found)['campaigns']).toMatchObject([
      { id: CAMPAIGN_ID, status: 'CAMPAIGN_DCA_COMPLETE', numbers: [TN], brandId: BRAND_ID },
    ])
  })

  it.each([
    '',
    '?ids=',
    '?ids=C12',
    `?ids=${Array(101).fill(CAMPAIGN_ID).join(',')}`,
  ])('is refused with the query "%s"', async (query) => {
    await using t = await setUp()
    expect((await t.rest('GET', `/messaging/campaigns${query}`)).status).toBe(400)
  })
})

describe('registering for number provisioning', () => {
  it('takes a brand and a campaign of the account', async () => {
    await using t = await setUp()
    const done = { result: { statusCode: '200', status: 'Success' } }
    for (const [path, body] of [
      ['brands', BRAND],
      ['campaigns', REGISTERED],
    ] as const) {
      const answer = await t.rest('POST', `/messaging/${path}`, body)
      expect([answer.status, dataOf(answer)]).toEqual([201, done])
    }
    for (const base of ['/numbering', '/iNumbering']) {
      expect((await t.numbering(`${base}/addMessagingBrand/`, BRAND)).status).toBe(200)
      expect((await t.numbering(`${base}/addMessagingCampaign/`, REGISTERED)).status).toBe(200)
    }
  })

  it('refuses a record that is not the account’s, and an id that is none', async () => {
    await using t = await setUp()
    const brand = (id: string) => ({ ...BRAND, messagingBrandId: id })
    expect((await t.rest('POST', '/messaging/brands', brand('B000000'))).status).toBe(404)
    expect((await t.rest('POST', '/messaging/brands', brand('Acme'))).status).toBe(400)
    const legacy = await t.numbering('/numbering/addMessagingBrand/', brand('B000000'))
    expect(legacy.status).toBe(409)
  })

  it('answers 470 in the legacy style when another brand has the name', async () => {
    await using t = await setUp()
    t.campaigns.addBrand = () =>
      Promise.resolve({ code: 503, reason: 'another brand has the name' })
    expect(await t.numbering('/numbering/addMessagingBrand/', BRAND)).toMatchObject({
      status: 470,
      body: { statusCode: '470', status: 'Error' },
    })
    expect((await t.rest('POST', '/messaging/brands', BRAND)).status).toBe(409)
  })
})

describe('the campaign of a number', () => {
  it('is set and removed', async () => {
    await using t = await setUp()
    const path = `/numbers/${TN}/messaging-campaign`
    const set = await t.rest('PUT', path, { campaignId: CAMPAIGN_ID })
    expect(dataOf(set)).toEqual({ number: TN, campaignId: CAMPAIGN_ID })
    expect([...t.campaigns.numbers]).toEqual([`+1${TN}`])
    expect((await t.rest('DELETE', `${path}?campaignId=C000000`)).status).toBe(409)
    const removed = await t.rest('DELETE', `${path}?campaignId=${CAMPAIGN_ID}`)
    expect(dataOf(removed)).toEqual({ number: TN, campaignId: '' })
    expect([...t.campaigns.numbers]).toEqual([])
  })

  it('is refused for a number, or a campaign, that is not the account’s', async () => {
    await using t = await setUp()
    const set = (tn: string, campaignId: string) =>
      t.rest('PUT', `/numbers/${tn}/messaging-campaign`, { campaignId })
    expect((await set(ABSENT, CAMPAIGN_ID)).status).toBe(404)
    expect((await set(TN, 'C000000')).status).toBe(404)
    expect((await set(TN, 'c')).status).toBe(400)
    expect([...t.campaigns.numbers]).toEqual([])
  })

  it.each<[string, 'PUT' | 'POST', string, Body]>([
    [
      'in the REST style',
      'PUT',
      `/v2.2/numbers/+1${TN}/messaging-campaign`,
      { campaignId: CAMPAIGN_ID },
    ],
    ['for a list', 'POST', '/v2/numbering/tnMessagingCampaign/', tnCampaign(TN)],
    [
      'as its messages are enabled',
      'POST',
      '/v2.1/messaging/enable/',
      { numbers: [{ number: TN, campaignID: CAMPAIGN_ID }] },
    ],
  ])('is not set %s when the number is given back meanwhile', async (_how, method, path, body) => {
    const scripted = createScriptedCampaigns()
    let next: ReturnType<typeof interrupted>['next'] | undefined
    await using t = await setUp(
      {
        campaigns: {
          ...scripted,
          assign: (...asked) => t.db.write(() => scripted.assign(...asked)),
        },
      },
      {
        watch: (db) => {
          const seen = interrupted(db)
          next = seen.next
          return seen.db
        },
      },
    )
    if (next !== undefined) next.first = () => t.rest('DELETE', `/numbers/${TN}`)
    const answer = await t.send(method, path, body, { key: t.account.secret })
    expect(answer.text).toContain('Number not found on account')
    expect(answer.status).toBe(method === 'PUT' ? 404 : 409)
    expect([...scripted.numbers]).toEqual([])
    expect((await t.rest('GET', `/numbers/${TN}`)).status).toBe(404)
  })

  it('is removed from several numbers at once', async () => {
    await using t = await setUp()
    t.campaigns.numbers.add(`+1${TN}`)
    const path = `/numbers/messaging-campaign?numbers=${TN},${ABSENT}`
    expect(dataOf(await t.rest('DELETE', path))).toEqual({
      numbers: [TN],
      failed: [{ number: ABSENT, reason: 'Number not found on account' }],
    })
  })

  it('is set for a list in the legacy style; what fails is named', async () => {
    await using t = await setUp()
    const done = await t.numbering('/iNumbering/tnMessagingCampaign/', tnCampaign(TN))
    expect([done.status, Number.isSafeInteger(done.body['orderId'])]).toEqual([200, true])
    const partial = await t.numbering('/numbering/tnMessagingCampaign/', tnCampaign(TN, ABSENT))
    expect(partial).toMatchObject({
      status: 409,
      body: {
        numbers_success: [{ tn: TN, tnCampaign: CAMPAIGN_ID }],
        numbers_failed: [{ tn: ABSENT, reason: 'Number not found on account' }],
      },
    })
  })
})

describe('an order of numbers with a campaign', () => {
  const E164 = '+12025550131'
  const OTHER = '+12025550132'

  it('puts the numbers under it, and orders none that it cannot have', async () => {
    await using t = await setUp()
    await stock(t.db, [stocked(E164), stocked(OTHER)])
    const numbers = [
      { number: E164, campaignId: CAMPAIGN_ID },
      { number: OTHER, campaignId: 'C000000' },
    ]
    const answer = await t.rest('POST', '/orders', { numbers })
    expect(dataOf(answer)).toMatchObject({
      numbersOrdered: ['2025550131'],
      failed: [{ number: '2025550132', reason: 'there is no such record' }],
    })
    expect([...t.campaigns.numbers]).toEqual([E164])
    expect((await t.rest('GET', '/numbers/2025550132')).status).toBe(404)
    expect((await t.rest('POST', '/orders', { numbers: [OTHER] })).status).toBe(201)
  })

  it('is understood in the legacy style too', async () => {
    await using t = await setUp()
    await stock(t.db, [stocked(E164), stocked(OTHER)])
    const tnFeature = { messaging: { tnCampaign: CAMPAIGN_ID } }
    const tnOrder = { tnList: { tnItem: [{ tn: E164, tnFeature }] } }
    expect((await t.numbering('/numbering/tnOrder/', { tnOrder })).status).toBe(200)
    const numbers = [{ number: OTHER, campaignID: CAMPAIGN_ID }]
    expect((await t.legacy('/numbers/add/', { numbers })).status).toBe(200)
    expect([...t.campaigns.numbers]).toEqual([E164, OTHER])
  })
})
