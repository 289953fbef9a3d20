import { afterEach, beforeEach, expect, it } from 'vitest'
import { HttpSink } from '../../support/http/http-sink.js'
import {
  DAY,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'

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

const USECASES = [
  '2FA',
  'ACCOUNT_NOTIFICATION',
  'CUSTOMER_CARE',
  'DELIVERY_NOTIFICATION',
  'FRAUD_ALERT',
  'HIGHER_EDUCATION',
  'M2M',
  'MARKETING',
  'POLLING_VOTING',
  'SECURITY_ALERT',
  'SOCIAL',
  'SWEEPSTAKE',
]

it('campaigns of twelve use cases: each event told once and in order, to a subscriber that fails, is killed and restarted', async () => {
  const { port } = sink
  const subscription = { eventCategory: 'CAMPAIGN', webhookEndpoint: `${sink.url}/events` }
  await fixture.call('PUT', '/webhook/subscription', subscription)
  const told: unknown[] = []
  const take = ({ headers }: { headers: Record<string, unknown> }) => {
    told.push(headers['x-trunkline-event-id'])
    return {}
  }
  sink.script(take)
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await fixture.registry.settle()
  for (const [index, usecase] of USECASES.entries()) {
    if (index === 3) sink.script(() => ({ status: 503 }))
    if (index === 6) await sink[Symbol.asyncDispose]()
    if (index === 9) {
      sink = await HttpSink.start(undefined, port)
      sink.script(take)
      await fixture.turn(DAY / 12)
    }
    const body = { ...campaign, brandId, usecase }
    const { campaignId } = (await fixture.call('POST', '/campaignBuilder', body)).body
    await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
    await fixture.registry.settle()
    const number = `+120255501${10 + index}`
    await fixture.registry.numbers.provision(fixture.account.sid, campaignId, number)
    expect(await fixture.registry.maySend(number)).toMatchObject({ campaignId })
  }
  await fixture.turn(DAY)
  const { records } = (await fixture.call('GET', '/webhook/event?recordsPerPage=500')).body
  const written = records.filter((event) => event['eventCategory'] === 'CAMPAIGN')
  expect(told).toEqual(written.map((event) => event['eventId']))
  expect(told).toHaveLength(USECASES.length * 8)
})
