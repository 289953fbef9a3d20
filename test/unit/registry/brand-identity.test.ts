import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type BrandIdentity,
  type BrandIdentityEvent,
  stepIdentity,
} from '../../../src/registry/rules/brand-identity.js'
import {
  DAY,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import {
  privateBrand,
  publicBrand,
  soleProprietor,
} from '../../support/registry/registry-samples.js'

const declared: BrandIdentity = { identityStatus: 'SELF_DECLARED', checkedStatus: 'SELF_DECLARED' }
const unverified: BrandIdentity = { identityStatus: 'UNVERIFIED', checkedStatus: 'UNVERIFIED' }
const verified: BrandIdentity = { identityStatus: 'VERIFIED', checkedStatus: 'VERIFIED' }
const vetted: BrandIdentity = { identityStatus: 'VETTED_VERIFIED', checkedStatus: 'VERIFIED' }
/** The registry's own check found fault, an external vetting did not. */
const vouched: BrandIdentity = { identityStatus: 'VETTED_VERIFIED', checkedStatus: 'UNVERIFIED' }
/** An operator has overruled an active vetting. */
const overruled: BrandIdentity = { identityStatus: 'UNVERIFIED', checkedStatus: 'UNVERIFIED' }

describe('the identity of a brand', () => {
  it.each<[string, BrandIdentity, BrandIdentityEvent, BrandIdentity]>([
    ['is verified by the check', unverified, checked('VERIFIED'), verified],
    ['is refused by the check', verified, checked('UNVERIFIED'), unverified],
    ['of a person stays declared by the check', declared, checked('SELF_DECLARED'), declared],
    ['of a known person outlives the check', verified, person('SELF_DECLARED', true), verified],
    ['keeps its vetting when checked again', vetted, checked('VERIFIED', 70), vetted],
    ['keeps its vetting when the check finds fault', vetted, checked('UNVERIFIED', 70), vouched],
    ['is vetted by a score', verified, { type: 'vetted', bestScore: 1 }, vetted],
    ['is vetted although unverified', unverified, { type: 'vetted', bestScore: 40 }, vouched],
    ['is not vetted by a score of 0', unverified, { type: 'vetted', bestScore: 0 }, unverified],
    ['stays verified at a score of 0', verified, { type: 'vetted', bestScore: 0 }, verified],
    ['falls back without vettings', vetted, { type: 'vetting-lost', bestScore: 0 }, verified],
    ['falls back to unverified', vouched, { type: 'vetting-lost', bestScore: 0 }, unverified],
    ['is kept by another vetting', vetted, { type: 'vetting-lost', bestScore: 5 }, vetted],
    [
      'overruled stays so when a vetting ends',
      overruled,
      { type: 'vetting-lost', bestScore: 0 },
      overruled,
    ],
    [
      'overruled stays so beside a vetting',
      overruled,
      { type: 'vetting-lost', bestScore: 50 },
      overruled,
    ],
    ['of a person is proved by the phone', declared, { type: 'phone-verified' }, verified],
    ['is in doubt once its facts change', verified, { type: 'facts-changed' }, unverified],
    ['is in doubt without its contact', vetted, { type: 'contact-expired' }, unverified],
    ['is granted on appeal', unverified, { type: 'appeal-granted', bestScore: 0 }, verified],
    [
      'granted on appeal keeps its vetting',
      vouched,
      { type: 'appeal-granted', bestScore: 9 },
      vetted,
    ],
    ['is what an operator decides', vetted, decided('UNVERIFIED'), unverified],
    ['is vetted by an operator', unverified, decided('VETTED_VERIFIED'), vetted],
  ])('%s', (_title, before, event, after) => {
    expect(stepIdentity(before, event)).toEqual(after)
  })

  it('is assigned in one place only', () => {
    const source = resolve(import.meta.dirname, '../../../src/registry')
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(services|storage|jobs|events)\/.*\.ts$/.test(file),
    )
    const assigning = files.filter((file) =>
      /identityStatus: ['(]|identityStatus: \w+\b.*['?]/.test(
        readFileSync(join(source, file), 'utf8'),
      ),
    )
    // A decision that is asked of an operator names the statuses that it may be.
    expect(assigning).toEqual(['services/operator.ts'])
  })
})

function checked(
  found: 'SELF_DECLARED' | 'UNVERIFIED' | 'VERIFIED',
  bestScore = 0,
): BrandIdentityEvent {
  return { type: 'checked', found, isPhoneVerified: false, bestScore }
}
function person(found: 'SELF_DECLARED', isPhoneVerified: boolean): BrandIdentityEvent {
  return { type: 'checked', found, isPhoneVerified, bestScore: 0 }
}
function decided(status: 'UNVERIFIED' | 'VERIFIED' | 'VETTED_VERIFIED'): BrandIdentityEvent {
  return { type: 'decided', status }
}

describe('over the API', () => {
  let fixture: RegistryFixture
  beforeEach(async () => {
    fixture = await registryFixture()
  })
  afterEach(() => fixture[Symbol.asyncDispose]())

  async function register(body: object): Promise<string> {
    const { brandId } = (await fixture.call('POST', '/brand', body)).body
    await fixture.registry.settle()
    return brandId
  }
  async function order(brandId: string, vettingClass = 'STANDARD', evpId = 'AEGIS') {
    const path = `/brand/${brandId}/externalVetting`
    const { vettingId } = (await fixture.call('POST', path, { evpId, vettingClass })).body
    await fixture.registry.settle()
    return vettingId
  }
  const brandOf = async (brandId: string) => (await fixture.call('GET', `/brand/${brandId}`)).body
  const eventsOf = async (brandId: string) => {
    const path = `/webhook/event?brandId=${brandId}&recordsPerPage=500`
    return (await fixture.call('GET', path)).body.records.map((event) => event['eventType'])
  }
  async function operator(method: string, path: string, body: object): Promise<void> {
    const init = { method, body: JSON.stringify(body) }
    expect((await fixture.operator.request(path, init)).status).toBe(204)
    await fixture.registry.settle()
  }

  /** Contradicts itself in everything that a vetting looks at. */
  const bogus = {
    ...privateBrand,
    ein: '070000001',
    email: 'acme@gmail.com',
    website: undefined,
  }

  it('a vetting of score 0 leaves a bogus brand unverified', async () => {
    const brandId = await register(bogus)
    await order(brandId)
    const path = `/brand/${brandId}/externalVetting?vettingStatus=ACTIVE`
    expect((await fixture.call('GET', path)).body).toMatchObject([{ vettingScore: 0 }])
    expect((await brandOf(brandId)).identityStatus).toBe('UNVERIFIED')
  })

  it('an expiring vetting does not verify a brand that is unverified', async () => {
    const brandId = await register(privateBrand)
    await order(brandId, 'POLITICAL', 'CV')
    await operator('PUT', `/brands/${brandId}/identity`, { identityStatus: 'UNVERIFIED' })
    await fixture.turn(366 * DAY)
    expect((await brandOf(brandId)).identityStatus).toBe('UNVERIFIED')
  })

  it('an expired vetting leaves what the check had found, and says so', async () => {
    const brandId = await register({ ...privateBrand, ein: '070000001' })
    await order(brandId, 'POLITICAL', 'CV')
    expect((await brandOf(brandId)).identityStatus).toBe('VETTED_VERIFIED')
    await fixture.turn(366 * DAY)
    expect(await brandOf(brandId)).toMatchObject({
      identityStatus: 'UNVERIFIED',
      evpVettingScore: null,
      politicalVettingId: null,
    })
    expect((await eventsOf(brandId)).slice(-4)).toEqual([
      'EVP_REPORT_EXPIRE',
      'BRAND_SCORE_UPDATE',
      'BRAND_IDENTITY_VET_UPDATE',
      'BRAND_IDENTITY_STATUS_UPDATE',
    ])
  })

  it('a second vetting of a lower score does not drop an active one', async () => {
    const brandId = await register(privateBrand)
    await order(brandId, 'POLITICAL', 'CV')
    const before = await brandOf(brandId)
    expect(before).toMatchObject({ evpVettingScore: 70 })
    await fixture.call('PUT', `/brand/${brandId}`, {
      ...privateBrand,
      website: '',
      email: 'acme@gmail.com',
    })
    await order(brandId)
    expect(await brandOf(brandId)).toMatchObject({
      identityStatus: 'VETTED_VERIFIED',
      evpVettingScore: 70,
      politicalVettingId: before['politicalVettingId'],
    })
  })

  it('scoring again does not drop an active vetting', async () => {
    const brandId = await register(privateBrand)
    await order(brandId)
    await fixture.call('PUT', `/brand/${brandId}`, { ...privateBrand, street: '125 Main Street' })
    expect((await fixture.call('PUT', `/brand/${brandId}/revet`, {})).status).toBe(200)
    await fixture.registry.settle()
    expect((await brandOf(brandId)).identityStatus).toBe('VETTED_VERIFIED')
  })

  it('a person keeps the proof of the phone when scored again', async () => {
    const brandId = await register({ ...soleProprietor, mock: true })
    const texts = { pinSms: '@OTP_PIN@', successSms: 'Thank you' }
    await fixture.call('POST', `/brand/${brandId}/smsOtp`, texts)
    const { records } = (
      await fixture.call('GET', `/webhook/event?brandId=${brandId}&recordsPerPage=500`)
    ).body
    const { otpPin } = records.find((each) => each['eventType'] === 'BRAND_MOCK_OTP')?.['body'] as {
      otpPin: string
    } // what this event has
    expect((await fixture.call('PUT', `/brand/${brandId}/smsOtp`, { otpPin })).status).toBe(204)
    await fixture.call('PUT', `/brand/${brandId}`, { ...soleProprietor, street: '1 Side Street' })
    await fixture.call('PUT', `/brand/${brandId}/revet`, {})
    await fixture.registry.settle()
    expect((await brandOf(brandId)).identityStatus).toBe('VERIFIED')
  })

  it('a public company without its contact is unverified until it is scored again', async () => {
    const brandId = await register(publicBrand)
    expect((await brandOf(brandId)).identityStatus).toBe('VERIFIED')
    await fixture.turn(31 * DAY)
    expect((await brandOf(brandId)).identityStatus).toBe('UNVERIFIED')
    await fixture.call('PUT', `/brand/${brandId}/revet`, {})
    await fixture.registry.settle()
    expect((await brandOf(brandId)).identityStatus).toBe('VERIFIED')
  })

  describe('what a provider says of a vetting later', () => {
    it('a letter, another score and no score are each told and ranked by', async () => {
      const brandId = await register(privateBrand)
      const vettingId = await order(brandId)
      await operator('POST', `/vettings/${vettingId}/letter`, {})
      await operator('PUT', `/vettings/${vettingId}`, { score: 80 })
      expect(await brandOf(brandId)).toMatchObject({ evpVettingScore: 80 })
      await operator('PUT', `/vettings/${vettingId}`, { score: null })
      expect(await brandOf(brandId)).toMatchObject({
        identityStatus: 'VERIFIED',
        evpVettingScore: null,
      })
      const path = `/brand/${brandId}/externalVetting?vettingStatus=UNSCORE`
      expect((await fixture.call('GET', path)).body).toMatchObject([{ vettingScore: null }])
      expect((await eventsOf(brandId)).slice(-7)).toEqual([
        'EVP_REPORT_EXPRESS_MAIL',
        'EVP_REPORT_UPDATE',
        'BRAND_SCORE_UPDATE',
        'EVP_REPORT_UNSCORE',
        'BRAND_SCORE_UPDATE',
        'BRAND_IDENTITY_VET_UPDATE',
        'BRAND_IDENTITY_STATUS_UPDATE',
      ])
    })
  })
})
