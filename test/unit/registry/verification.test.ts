import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  DAY,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import { campaign, publicBrand, soleProprietor } from '../../support/registry/registry-samples.js'

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

const HOUR = DAY / 24
const texts = { pinSms: 'Your PIN is @OTP_PIN@.', successSms: 'Thank you.' }

async function register(body: object): Promise<string> {
  const { brandId } = (await fixture.call('POST', '/brand', body)).body
  await fixture.registry.settle()
  return brandId
}
async function lastMessage(recipient: string): Promise<string> {
  await fixture.registry.settle()
  const query = `/messages?recipient=${encodeURIComponent(recipient)}`
  const response = await fixture.operator.request(query)
  const { messages } = (await response.json()) as { messages: { text: string }[] }
  return messages[0]?.text ?? ''
}
const create = (brandId: string, change: object) =>
  fixture.call('POST', '/campaignBuilder', { ...campaign, brandId, ...change })

describe('the one-time password of a sole proprietor', () => {
  const pinOf = async () => /\d{6}/.exec(await lastMessage(soleProprietor.mobilePhone))?.[0] ?? ''

  it('opens the way to one campaign', async () => {
    const brandId = await register(soleProprietor)
    const path = `/brand/${brandId}/smsOtp`
    const usecase = 'SOLE_PROPRIETOR'
    expect((await create(brandId, { usecase })).body).toMatchObject([
      { code: 509, fields: ['brandId'] },
    ])
    const { referenceId } = (await fixture.call('POST', path, texts)).body
    expect(referenceId).toMatch(/^OTP[A-Z0-9]{7}$/)
    const otpPin = await pinOf()
    const before = (await fixture.call('GET', `/brand/smsOtp/${referenceId}`)).body
    expect(before).toMatchObject({ brandId, deliveryStatus: 'DELIVERED_HANDSET' })
    expect(before).not.toHaveProperty('verifyDate')
    expect((await fixture.call('PUT', path, { otpPin })).status).toBe(204)
    expect((await fixture.call('GET', `/brand/smsOtp/${referenceId}`)).body).toHaveProperty(
      'verifyDate',
    )
    expect((await fixture.call('GET', `/brand/${brandId}`)).body.identityStatus).toBe('VERIFIED')
    expect((await fixture.call('POST', path, texts)).body).toMatchObject([{ code: 506 }])
    expect(await lastMessage(soleProprietor.mobilePhone)).toBe('Thank you.')
    expect((await create(brandId, { usecase })).status).toBe(200)
    expect((await create(brandId, { usecase })).body).toMatchObject([{ code: 511 }])
  })

  it('is verified without a text for its success', async () => {
    const path = `/brand/${await register(soleProprietor)}/smsOtp`
    expect((await fixture.call('POST', path, { pinSms: texts.pinSms })).status).toBe(200)
    expect((await fixture.call('PUT', path, { otpPin: await pinOf() })).status).toBe(204)
    expect(await lastMessage(soleProprietor.mobilePhone)).toMatch(/^Your PIN is/)
  })

  it('is wrong, too often wrong, late, or asked for too often', async () => {
    const brandId = await register(soleProprietor)
    const path = `/brand/${brandId}/smsOtp`
    const none = { pinSms: 'Hello', successSms: 'x' }
    expect((await fixture.call('POST', path, none)).body).toMatchObject([
      { code: 501, fields: ['pinSms'] },
    ])
    await fixture.call('POST', path, texts)
    const right = await pinOf()
    const wrong = right === '000000' ? '111111' : '000000'
    for (let times = 0; times < 5; times += 1)
      expect((await fixture.call('PUT', path, { otpPin: wrong })).body).toMatchObject([
        { code: 552 },
      ])
    expect((await fixture.call('PUT', path, { otpPin: right })).body).toMatchObject([{ code: 557 }])
    await fixture.turn(1)
    await fixture.call('POST', path, texts)
    const late = await pinOf()
    await fixture.turn(24 * HOUR)
    expect((await fixture.call('PUT', path, { otpPin: late })).body).toMatchObject([{ code: 552 }])
    for (let times = 0; times < 3; times += 1)
      expect((await fixture.call('POST', path, texts)).status).toBe(200)
    expect((await fixture.call('POST', path, texts)).body).toMatchObject([{ code: 557 }])
  })

  it('of a mock brand comes as an event', async () => {
    const brandId = await register({ ...soleProprietor, mock: true })
    await fixture.call('POST', `/brand/${brandId}/smsOtp`, texts)
    expect(await lastMessage(soleProprietor.mobilePhone)).toBe('')
    const { records } = (await fixture.call('GET', `/webhook/event?brandId=${brandId}`)).body
    expect(records.at(-1)).toMatchObject({
      eventType: 'BRAND_MOCK_OTP',
      body: { otpPin: expect.stringMatching(/^\d{6}$/) as unknown },
    })
  })
})

describe('Authentication+ of a public company', () => {
  const mail = () => lastMessage(publicBrand.businessContactEmail)
  const linkOf = (text: string) => /http:\/\/trunkline.test(\S+)/.exec(text)?.[1] ?? ''
  const pinOf = (text: string) => /PIN (\d{6})/.exec(text)?.[1] ?? ''
  const answer = (path: string, pin: string) =>
    fixture.app.request(path, {
      method: 'POST',
      body: new URLSearchParams({ pin, firstName: 'Jane', lastName: 'Doe', title: 'CFO' }),
    })
  const eventsOf = async (brandId: string) =>
    (
      await fixture.call('GET', `/webhook/event?recordsPerPage=500&brandId=${brandId}`)
    ).body.records.map((event) => event['eventType'])

  it('opens the way to campaigns once the contact has confirmed', async () => {
    const brandId = await register(publicBrand)
    expect((await create(brandId, {})).body).toMatchObject([{ code: 509, fields: ['brandId'] }])
    const text = await mail()
    const page = await fixture.app.request(linkOf(text))
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect((await answer(linkOf(text), 'wrong')).status).toBe(400)
    expect((await answer(linkOf(text), pinOf(text))).status).toBe(200)
    expect((await answer(linkOf(text), pinOf(text))).status).toBe(404)
    expect((await fixture.call('GET', `/brand/${brandId}`)).body).toMatchObject({
      businessContactFirstName: 'Jane',
      businessContactTitle: 'CFO',
      businessContactEmailVerifiedDate: expect.any(String) as unknown,
    })
    expect((await create(brandId, {})).status).toBe(200)
    const listed = await fixture.call('GET', '/brand?authenticationPlusCompliant=true')
    expect(listed.body.totalRecords).toBe(1)
    const resend = await fixture.call('POST', `/brand/${brandId}/2faEmail?vettingClass=AUTHPLUS`)
    expect(resend.body).toMatchObject([{ code: 592 }])
    const moved = { ...publicBrand, businessContactEmail: 'joe@acme.example' }
    const update = await fixture.call('PUT', `/brand/${brandId}`, moved)
    expect(update.body['businessContactEmailVerifiedDate']).toBeNull()
    expect(await eventsOf(brandId)).toContain('BRAND_AUTHPLUS_RE_VERIFICATION_ADD')
  })

  it('sends the mail again every two hours, and the old link dies', async () => {
    const brandId = await register(publicBrand)
    const first = await mail()
    const resend = () => fixture.call('POST', `/brand/${brandId}/2faEmail?vettingClass=AUTHPLUS`)
    expect((await resend()).body).toMatchObject([{ code: 565 }])
    await fixture.turn(2 * HOUR)
    expect((await resend()).status).toBe(204)
    const second = await mail()
    expect((await fixture.app.request(linkOf(first))).status).toBe(404)
    expect((await fixture.app.request(linkOf(second))).status).toBe(200)
    await fixture.turn(7 * DAY)
    expect((await fixture.app.request(linkOf(second))).status).toBe(404)
    expect(await eventsOf(brandId)).toContain('BRAND_EMAIL_2FA_EXPIRED')
    await fixture.turn(24 * DAY)
    expect((await fixture.call('GET', `/brand/${brandId}`)).body.identityStatus).toBe('UNVERIFIED')
    expect(await eventsOf(brandId)).toContain('BRAND_AUTHPLUS_VERIFICATION_EXPIRED')
    expect((await fixture.call('PUT', `/brand/${brandId}/revet`)).status).toBe(200)
    expect((await fixture.app.request(linkOf(await mail()))).status).toBe(200)
  })

  it('is not passed by the link that a former contact was sent', async () => {
    const brandId = await register(publicBrand)
    const text = await mail()
    const other = 'joe@acme.example'
    // The new name makes the brand unverified: no mail goes to the new contact before the re-vet.
    const change = { companyName: 'Example Telephone', businessContactEmail: other }
    await fixture.call('PUT', `/brand/${brandId}`, { ...publicBrand, ...change })
    expect((await answer(linkOf(text), pinOf(text))).status).toBe(404)
    const named = { ...publicBrand, businessContactEmail: other }
    await fixture.call('PUT', `/brand/${brandId}`, named)
    await fixture.call('PUT', `/brand/${brandId}/revet`)
    const again = await lastMessage(other)
    expect((await create(brandId, {})).body).toMatchObject([{ code: 509, fields: ['brandId'] }])
    expect((await answer(linkOf(again), pinOf(again))).status).toBe(200)
    expect((await create(brandId, {})).status).toBe(200)
  })

  it('is passed again when the contact was changed while the brand was no public company', async () => {
    const brandId = await register(publicBrand)
    const text = await mail()
    expect((await answer(linkOf(text), pinOf(text))).status).toBe(200)
    const businessContactEmail = 'joe@acme.example'
    for (const change of [{ entityType: 'PRIVATE_PROFIT', businessContactEmail }, {}])
      await fixture.call('PUT', `/brand/${brandId}`, {
        ...publicBrand,
        businessContactEmail,
        ...change,
      })
    await fixture.call('PUT', `/brand/${brandId}/revet`)
    await fixture.registry.settle()
    expect((await fixture.call('GET', `/brand/${brandId}`)).body).toMatchObject({
      identityStatus: 'VERIFIED',
      businessContactEmailVerifiedDate: null,
    })
  })

  it('does not end the verification of a brand that is no public company any more', async () => {
    const brandId = await register(publicBrand)
    const text = await mail()
    await fixture.call('PUT', `/brand/${brandId}`, { ...publicBrand, entityType: 'PRIVATE_PROFIT' })
    await fixture.call('PUT', `/brand/${brandId}/revet`)
    await fixture.registry.settle()
    expect((await answer(linkOf(text), pinOf(text))).status).toBe(404)
    await fixture.turn(31 * DAY)
    expect((await fixture.call('GET', `/brand/${brandId}`)).body.identityStatus).toBe('VERIFIED')
    expect(await eventsOf(brandId)).not.toContain('BRAND_AUTHPLUS_VERIFICATION_EXPIRED')
  })

  it('fails for a contact of another domain, and after five wrong PINs', async () => {
    const elsewhere = { ...publicBrand, businessContactEmail: 'jane@other.example' }
    expect(await eventsOf(await register(elsewhere))).toContain('BRAND_AUTHPLUS_DOMAIN_FAILED')
    const brandId = await register(publicBrand)
    const text = await mail()
    for (let times = 0; times < 5; times += 1) await answer(linkOf(text), 'wrong')
    expect((await answer(linkOf(text), pinOf(text))).status).toBe(404)
    expect(await eventsOf(brandId)).toContain('BRAND_AUTHPLUS_2FA_FAILED')
  })
})
