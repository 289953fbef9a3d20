import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  DAY,
  type RegistryFixture,
  registryFixture,
  START,
} from '../../support/registry/registry-fixture.js'
import { campaign, nonProfitBrand, privateBrand } from '../../support/registry/registry-samples.js'

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

async function brandOf(body: object = privateBrand): Promise<string> {
  const { brandId } = (await fixture.call('POST', '/brand', body)).body
  await fixture.registry.settle()
  return brandId
}
async function create(change: object = {}, brand: object = privateBrand) {
  const brandId = await brandOf(brand)
  return fixture.call('POST', '/campaignBuilder', { ...campaign, brandId, ...change })
}
const eventsOf = async (campaignId: string) => {
  const { records } = (
    await fixture.call('GET', `/webhook/event?recordsPerPage=500&campaignId=${campaignId}`)
  ).body
  return records.map((event) => event['eventType'])
}

describe('a campaign', () => {
  it.each([
    '2FA',
    'ACCOUNT_NOTIFICATION',
    'CUSTOMER_CARE',
    'DELIVERY_NOTIFICATION',
    'FRAUD_ALERT',
    'HIGHER_EDUCATION',
    'M2M',
    'MARKETING',
    'POLLING_VOTING',
    'PUBLIC_SERVICE_ANNOUNCEMENT',
    'SECURITY_ALERT',
    'SOCIAL',
    'SWEEPSTAKE',
  ])('of use case %s goes from creation to a number', async (usecase) => {
    const { body, status } = await create({ usecase })
    expect(status).toBe(200)
    expect(Object.keys(body.mnoMetadata)).toEqual(['10017', '10035', '10037', '10038'])
    const { campaignId } = body
    const path = `/campaign/${campaignId}`
    const { cspId } = (await fixture.call('GET', '/csp/profile')).body
    const number = '+12025550199'
    const assign = () => fixture.registry.numbers.provision(fixture.account.sid, campaignId, number)
    await expect(assign()).rejects.toMatchObject({ problems: [{ code: 592 }] })
    expect((await fixture.call('PUT', `${path}/sharing/NORTH`)).body).toMatchObject({
      downstreamCnpId: cspId,
      upstreamCnpId: 'NORTH',
      sharingStatus: 'PENDING',
    })
    await fixture.registry.settle()
    expect((await fixture.call('GET', `${path}/mnoIdsWithDcaElected`)).body).toEqual([
      10017, 10035, 10037, 10038,
    ])
    await assign()
    expect((await fixture.call('GET', `${path}/osr/phones`)).body).toMatchObject({
      totalRecords: 1,
      records: [{ current: true, campaignUid: campaignId, phoneNumber: number }],
    })
    const isSpecial = ['SOCIAL', 'SWEEPSTAKE'].includes(usecase)
    if (isSpecial) {
      expect(await fixture.registry.maySend(number)).toMatchObject({
        isAllowed: false,
        reason: 'no-operator-allows',
      })
      const approve = await fixture.operator.request(`/campaigns/${campaignId}/operations/10017`, {
        method: 'PUT',
        body: JSON.stringify({ status: 'REGISTERED' }),
      })
      expect(approve.status).toBe(204)
    }
    expect(await fixture.registry.maySend(number)).toMatchObject({
      isAllowed: true,
      campaignId,
      texts: { optoutKeywords: ['STOP'], helpKeywords: ['HELP'] },
    })
    const events = await eventsOf(campaignId)
    expect(events[0]).toBe('CAMPAIGN_ADD')
    expect(events).toContain('CAMPAIGN_SHARE_ADD')
    expect(events).toContain('CAMPAIGN_DCA_COMPLETE')
  })

  it('has every field, also those it was not given', async () => {
    const { campaignId } = (await create({ referenceId: 'r', tag: ['One'] })).body
    const { body } = await fixture.call('GET', `/campaign/${campaignId}`)
    expect(body).toMatchObject({
      status: 'ACTIVE',
      optoutKeywords: 'STOP',
      termsAndConditions: true,
      autoRenewal: true,
      embeddedLink: false,
      sample5: null,
      tag: ['one'],
      nextRenewalOrExpirationDate: '2026-04-15',
      expirationDate: null,
    })
  })

  it.each([
    'optinKeywords',
    'optoutKeywords',
    'helpKeywords',
  ])('has %s of up to 255 characters', async (field) => {
    const { campaignId } = (await create({ [field]: 'A'.repeat(255) })).body
    const shown = (await fixture.call('GET', `/campaign/${campaignId}`)).body
    expect(shown).toMatchObject({ [field]: 'A'.repeat(255) })
  })

  it.each<[string, object, number, string[]]>([
    ['a short description', { description: 'short' }, 501, ['description']],
    ['a description of spaces', { description: ' '.repeat(40) }, 501, ['description']],
    ['a sample of spaces', { sample2: ' '.repeat(20) }, 501, ['sample2']],
    ['an unknown use case', { usecase: 'FUN' }, 501, ['usecase']],
    ['a use case from Object.prototype', { usecase: 'constructor' }, 501, ['usecase']],
    [
      'MIXED with one sub-use-case',
      { usecase: 'MIXED', subUsecases: ['2FA'] },
      501,
      ['subUsecases'],
    ],
    ['a sub-use-case where none belongs', { subUsecases: ['2FA'] }, 501, ['subUsecases']],
    [
      'a sub-use-case that cannot be one',
      { usecase: 'LOW_VOLUME', subUsecases: ['M2M'] },
      501,
      ['subUsecases'],
    ],
    ['help without its text', { helpMessage: '' }, 501, ['helpMessage']],
    ['opt-in without its text', { optinMessage: null }, 501, ['optinMessage']],
    ['keywords of 256 characters', { optinKeywords: 'A'.repeat(256) }, 501, ['optinKeywords']],
    ['an empty keyword', { helpKeywords: 'HELP,,INFO' }, 501, ['helpKeywords']],
    ['keywords with spaces', { helpKeywords: 'HELP, INFO' }, 501, ['helpKeywords']],
    ['a shortened link', { sample1: 'Acme: see https://bit.ly/xyz for more.' }, 501, ['sample1']],
    ['one with a dot', { sample1: 'Acme: see https://bit.ly./xyz for more.' }, 501, ['sample1']],
    [
      'one behind a user',
      { sample1: 'Acme: see https://acme@bit.ly/xyz for more.' },
      501,
      ['sample1'],
    ],
    ['one as policy', { privacyPolicyLink: 'https://bit.ly/xyz' }, 501, ['privacyPolicyLink']],
    [
      'one as terms',
      { termsAndConditionsLink: 'https://a:b@bit.ly/x' },
      501,
      ['termsAndConditionsLink'],
    ],
    ['one that ends a text', { sample1: 'Acme: see more of it at bit.ly.' }, 501, ['sample1']],
    ['terms that are not accepted', { termsAndConditions: false }, 501, ['termsAndConditions']],
    ['an unknown reseller', { resellerId: 'R123456' }, 501, ['resellerId']],
    ['an unknown operator', { mnoIds: [1] }, 501, ['mnoIds']],
    ['no operator', { mnoIds: [] }, 509, ['mnoIds']],
    ['a person’s use case', { usecase: 'SOLE_PROPRIETOR' }, 501, ['usecase']],
    ['UCaaS without leave', { usecase: 'UCAAS_LOW' }, 509, ['usecase']],
    ['public safety without leave', { usecase: 'PUBLIC_SAFETY_RESTRICTED' }, 509, ['usecase']],
    ['a trial without its brand', { usecase: 'TRIAL' }, 533, ['usecase']],
    ['one sample where two are needed', { mnoIds: [10017], sample2: null }, 509, ['sample1']],
  ])('with %s is refused', async (_title, change, code, fields) => {
    expect(await create(change)).toMatchObject({ status: 400, body: [{ code, fields }] })
  })

  it('of an unverified brand qualifies nowhere', async () => {
    const answer = await create({}, { ...privateBrand, ein: '070000001' })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject([{ code: 509 }, { code: 509 }, { code: 509 }, { code: 509 }])
  })

  it('for charity needs the tax status', async () => {
    expect((await create({ usecase: 'CHARITY' })).status).toBe(400)
    expect((await create({ usecase: 'CHARITY' }, nonProfitBrand)).status).toBe(200)
  })

  it('is renewed every three months and billed each time', async () => {
    const { campaignId } = (await create()).body
    await fixture.turn(366 * DAY)
    const billed = (await eventsOf(campaignId)).filter((type) => type === 'CAMPAIGN_BILLED')
    expect(billed).toHaveLength(4)
    const { body } = await fixture.call('GET', `/campaign/${campaignId}`)
    expect(body).toMatchObject({ status: 'ACTIVE', nextRenewalOrExpirationDate: '2027-04-15' })
  })

  it('that was created on the 30th is renewed on the 30th of every month that has one', async () => {
    await fixture.turn(Date.UTC(2026, 10, 30, 12) - START)
    const { campaignId } = (await create()).body
    const renewals: unknown[] = []
    for (let times = 0; times < 4; times += 1) {
      const { body } = await fixture.call('GET', `/campaign/${campaignId}`)
      renewals.push(body['nextRenewalOrExpirationDate'])
      await fixture.turn(92 * DAY)
    }
    expect(renewals).toEqual(['2027-02-28', '2027-05-30', '2027-08-30', '2027-11-30'])
  })

  it('of a deleted account expires at its renewal date, unbilled', async () => {
    const { campaignId } = (await create()).body
    await fixture.turn(DAY)
    const { cspId } = (await fixture.call('GET', '/csp/profile')).body
    const asked = async (path: string) => await (await fixture.operator.request(path)).text()
    const charges = await asked(`/csps/${cspId}/charges`)
    expect(charges).toContain(campaignId)
    expect(await asked('/campaigns')).toContain(campaignId)
    await fixture.close()
    await fixture.turn(366 * DAY)
    expect(await asked(`/csps/${cspId}/charges`)).toBe(charges)
    expect(await asked('/campaigns')).not.toContain(campaignId)
  })

  it('without renewal expires, and its number may not send', async () => {
    const { campaignId } = (await create({ autoRenewal: false })).body
    await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
    await fixture.registry.settle()
    await fixture.registry.numbers.provision(fixture.account.sid, campaignId, '+12025550199')
    await fixture.turn(89 * DAY)
    expect(await fixture.registry.maySend('+12025550199')).toMatchObject({ isAllowed: true })
    await fixture.turn(2 * DAY)
    expect(await fixture.registry.maySend('+12025550199')).toMatchObject({
      isAllowed: false,
      reason: 'campaign-expired',
    })
    expect((await eventsOf(campaignId)).at(-1)).toBe('CAMPAIGN_EXPIRED')
    expect(await fixture.call('PUT', `/campaign/${campaignId}`, {})).toMatchObject({
      body: [{ code: 518 }],
    })
  })

  it('is deactivated once, however often that is asked', async () => {
    const { campaignId } = (await create()).body
    for (let times = 0; times < 2; times += 1)
      expect((await fixture.call('DELETE', `/campaign/${campaignId}`)).status).toBe(204)
    const expired = (await eventsOf(campaignId)).filter((type) => type === 'CAMPAIGN_EXPIRED')
    expect(expired).toHaveLength(1)
  })

  it('of a mock brand goes with it after 30 days, and is not shared', async () => {
    const { campaignId } = (await create({}, { ...privateBrand, mock: true })).body
    const share = await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
    expect(share).toMatchObject({ status: 400, body: [{ code: 536 }] })
    await fixture.turn(29 * DAY)
    expect((await fixture.call('GET', '/brand')).body.totalRecords).toBe(1)
    await fixture.turn(2 * DAY)
    expect((await fixture.call('GET', '/brand')).body.totalRecords).toBe(0)
    expect((await fixture.call('GET', `/campaign/${campaignId}`)).body.status).toBe('EXPIRED')
  })

  it('locks what identifies its brand, and the brand itself', async () => {
    const brandId = await brandOf()
    await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId })
    const changed = { ...privateBrand, companyName: 'Acme Limited' }
    expect(await fixture.call('PUT', `/brand/${brandId}`, changed)).toMatchObject({
      body: [{ code: 537, fields: ['companyName'] }],
    })
    const mistaken = { ...changed, phone: '123', postalCode: '1' }
    expect(await fixture.call('PUT', `/brand/${brandId}`, mistaken)).toMatchObject({
      body: [{ code: 551 }, { code: 554 }, { code: 537, fields: ['companyName'] }],
    })
    expect(await fixture.call('DELETE', `/brand/${brandId}`)).toMatchObject({
      body: [{ code: 542 }],
    })
  })

  it('updates only what may be updated', async () => {
    const { campaignId } = (await create()).body
    const { body } = await fixture.call('PUT', `/campaign/${campaignId}`, {
      usecase: 'ACCOUNT_NOTIFICATION',
      subscriberHelp: null,
      sample3: 'Acme: your parcel arrives tomorrow.',
      sample2: 'Acme: your password was changed.',
    })
    expect(body).toMatchObject({
      usecase: 'ACCOUNT_NOTIFICATION',
      sample3: 'Acme: your parcel arrives tomorrow.',
    })
    const subscriberOptIn = body['subscriberOptin'] !== true
    const all = { usecase: 'MARKETING', subscriberOptIn, mnoIds: [10017], referenceId: 'r' }
    expect((await fixture.call('PUT', `/campaign/${campaignId}`, all)).body).toMatchObject(
      ['usecase', 'subscriberOptIn', 'mnoIds', 'referenceId'].map((field) => ({
        code: 501,
        fields: [field],
      })),
    )
    const toReseller = { resellerId: 'R123456' }
    expect(await fixture.call('PUT', `/campaign/${campaignId}`, toReseller)).toMatchObject({
      body: [{ code: 501, fields: ['resellerId'] }],
    })
  })

  it('may be sent back as it was answered', async () => {
    const { campaignId } = (await create()).body
    const { body } = await fixture.call('GET', `/campaign/${campaignId}`)
    expect((await fixture.call('PUT', `/campaign/${campaignId}`, body)).status).toBe(200)
  })

  it('has its tags set by PUT /tag alone: others in its own PUT are refused', async () => {
    const { campaignId } = (await create({ tag: ['Spring', 'vip'] })).body
    const put = (tag: unknown, id = campaignId) => fixture.call('PUT', `/campaign/${id}`, { tag })
    for (const tag of [['spring'], ['spring', 'vip', 'new'], ['spring', 'other'], [], null])
      expect(await put(tag)).toMatchObject({ status: 400, body: [{ code: 501, fields: ['tag'] }] })
    for (const tag of [undefined, ['vip', 'SPRING']])
      expect(await put(tag)).toMatchObject({ status: 200, body: { tag: ['spring', 'vip'] } })
    const { campaignId: untagged } = (await create()).body
    for (const tag of [null, []])
      expect(await put(tag, untagged)).toMatchObject({ status: 200, body: { tag: null } })
    expect((await put(['new'], untagged)).status).toBe(400)
  })

  it('has its words to opt out and for help as at its creation once they are cleared', async () => {
    const { campaignId } = (await create({ optoutKeywords: 'END', helpKeywords: 'INFO' })).body
    const cleared = { optoutKeywords: null, helpKeywords: '' }
    expect(await fixture.call('PUT', `/campaign/${campaignId}`, cleared)).toMatchObject({
      status: 200,
      body: { optoutKeywords: 'STOP', helpKeywords: 'HELP' },
    })
  })

  it('is taken back from an operator, and brought there again', async () => {
    const { campaignId } = (await create()).body
    const path = `/campaign/${campaignId}`
    const withdraw = (mnoId: number | string) =>
      fixture.call('DELETE', `${path}/operationStatus/${mnoId}`, { explanation: 'Not needed.' })
    expect((await withdraw(10035)).status).toBe(204)
    const status = async () => (await fixture.call('GET', `${path}/operationStatus`)).body
    expect(await status()).not.toHaveProperty('10035')
    expect((await fixture.call('GET', `${path}/excludedMno`)).body).toEqual([10035])
    expect((await eventsOf(campaignId)).at(-1)).toBe('CAMPAIGN_UPDATE')
    expect((await withdraw(10035)).body).toMatchObject([{ code: 502, fields: ['mnoId'] }])
    for (const none of ['NaN', '1e4', '-1', '1.5', '99999999999999999999']) {
      const description = `there is no operator ${none}`
      expect((await withdraw(none)).body).toEqual([{ code: 502, fields: ['mnoId'], description }])
    }
    await fixture.call('PUT', `${path}/resubmit`, { mnoIds: [10035] })
    expect(await status()).toMatchObject({ 10035: 'REGISTERED' })
  })

  it.each([
    ['REJECTED', 'REVIEW'],
    ['SUSPENDED', 'SUSPENDED'],
    ['REVIEW', 'REVIEW'],
  ])('that an operator has %s is %s there after a resubmission', async (before, after) => {
    const { campaignId } = (await create()).body
    await fixture.operator.request(`/campaigns/${campaignId}/operations/10017`, {
      method: 'PUT',
      body: JSON.stringify({ status: before }),
    })
    await fixture.call('PUT', `/campaign/${campaignId}/resubmit`, {})
    const { body } = await fixture.call('GET', `/campaign/${campaignId}/operationStatus`)
    expect(body).toMatchObject({ 10017: after })
  })

  it('is resubmitted to operators that excluded it', async () => {
    const { campaignId } = (await create({ sample2: null })).body
    const path = `/campaign/${campaignId}`
    expect((await fixture.call('GET', `${path}/excludedMno`)).body).toEqual([10017])
    expect(await fixture.call('PUT', `${path}/resubmit`, { mnoIds: [10017] })).toMatchObject({
      status: 400,
      body: [{ code: 509 }],
    })
    await fixture.call('PUT', path, { sample2: campaign.sample2 })
    const again = await fixture.call('PUT', `${path}/resubmit`, { mnoIds: [10017] })
    expect(again).toMatchObject({ status: 200, body: { campaignId } })
    expect((await fixture.call('GET', `${path}/operationStatus`)).body).toEqual({
      10017: 'REGISTERED',
      10035: 'REGISTERED',
      10037: 'REGISTERED',
      10038: 'REGISTERED',
    })
    expect((await fixture.call('GET', `${path}/osr/attributes`)).body).toMatchObject({
      msg_class: 'E',
      status: '30',
    })
  })
})

describe('the list of campaigns', () => {
  it.each(['/campaign', '/campaign/search'])('%s is filtered by every field', async (list) => {
    const one = (await create({ tag: ['Spring'], autoRenewal: false })).body.campaignId
    const other = (await create({}, { ...privateBrand, vertical: 'ENERGY' })).body.campaignId
    await fixture.call('PUT', `/campaign/${other}/sharing/NORTH`)
    await fixture.registry.settle()
    const found = async (query: string) =>
      (await fixture.call('GET', `${list}?${query}`)).body.records.map((each) => each.campaignId)
    expect(await found('vertical=RETAIL')).toEqual([one])
    expect(await found('autoRenewal=false')).toEqual([one])
    expect(await found('autoRenewal=true')).toEqual([other])
    expect(await found('tag=spring')).toEqual([one])
    expect(await found('tag=spring&tag=summer')).toEqual([])
    expect(await found('upstreamCnpId=NORTH')).toEqual([other])
    expect(await found('upstreamCnpId=SOUTH')).toEqual([])
    expect((await fixture.call('GET', `${list}?startDate=2026-01-01`)).body).toMatchObject([
      { code: 501, fields: ['startDate'] },
    ])
  })
})
