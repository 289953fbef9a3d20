import { afterEach, beforeEach, expect, it } from 'vitest'
import { HttpSink } from '../../support/http/http-sink.js'
import {
  DAY,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import { brands, campaign } from '../../support/registry/registry-samples.js'

let fixture: RegistryFixture
let sink: HttpSink
beforeEach(async () => {
  fixture = await registryFixture()
  sink = await HttpSink.start()
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

async function lastMessage(): Promise<string> {
  const response = await fixture.operator.request('/messages')
  const { messages } = (await response.json()) as { messages: { text: string }[] }
  return messages[0]?.text ?? ''
}

/** What people do so that a brand may have campaigns. */
const PROOFS: Partial<Record<keyof typeof brands, (brandId: string) => Promise<void>>> = {
  SOLE_PROPRIETOR: async (brandId) => {
    const path = `/brand/${brandId}/smsOtp`
    await fixture.call('POST', path, { pinSms: '@OTP_PIN@', successSms: 'Thank you' })
    await fixture.registry.settle()
    expect((await fixture.call('PUT', path, { otpPin: await lastMessage() })).status).toBe(204)
  },
  PUBLIC_PROFIT: async () => {
    const [, path = '', pin = ''] =
      /trunkline\.test(\S+) and enter the PIN (\d{6})/.exec(await lastMessage()) ?? []
    const body = new URLSearchParams({ pin, firstName: 'Jane', lastName: 'Doe', title: 'CFO' })
    expect((await fixture.app.request(path, { method: 'POST', body })).status).toBe(200)
  },
}

it.each(
  Object.keys(brands) as (keyof typeof brands)[],
)('%s: from registration to a number that sends, each event told once and in order', async (type) => {
  for (const eventCategory of ['BRAND', 'CAMPAIGN', 'VETTING']) {
    const webhookEndpoint = `${sink.url}/${eventCategory}`
    await fixture.call('PUT', '/webhook/subscription', { eventCategory, webhookEndpoint })
  }
  let isDown = true
  sink.script(() => ({ status: isDown ? 503 : 200 }))
  const { brandId } = (await fixture.call('POST', '/brand', brands[type])).body
  await fixture.registry.settle()
  await PROOFS[type]?.(brandId)
  const usecase = type === 'SOLE_PROPRIETOR' ? type : 'ACCOUNT_NOTIFICATION'
  const created = await fixture.call('POST', '/campaignBuilder', {
    ...campaign,
    brandId,
    usecase,
  })
  expect(created.status).toBe(200)
  const { campaignId } = created.body
  await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
  await fixture.registry.settle()
  for (const mnoId of [10017, 10035, 10037, 10038])
    await fixture.operator.request(`/campaigns/${campaignId}/operations/${mnoId}`, {
      method: 'PUT',
      body: JSON.stringify({ status: 'REGISTERED' }),
    })
  await fixture.registry.numbers.provision(fixture.account.sid, campaignId, '+12025550199')
  expect(await fixture.registry.maySend('+12025550199')).toMatchObject({
    isAllowed: true,
    brandId,
  })
  isDown = false
  const before = sink.requests.length
  await fixture.turn(DAY / 12)
  const told = sink.requests.slice(before)
  const { records } = (
    await fixture.call('GET', `/webhook/event?brandId=${brandId}&recordsPerPage=500`)
  ).body
  for (const category of ['BRAND', 'CAMPAIGN', 'VETTING']) {
    const written = records.filter((event) => event['eventCategory'] === category)
    const delivered = told.filter(({ target }) => target === `/${category}`)
    expect(delivered.map(({ headers }) => headers['x-trunkline-event-id'])).toEqual(
      written.map((event) => event['eventId']),
    )
  }
  expect(told.length).toBeGreaterThan(8)
})
