import { createHmac } from 'node:crypto'
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

const subscribe = (eventCategory: string) =>
  fixture.call('PUT', '/webhook/subscription', { eventCategory, webhookEndpoint: sink.url })
const bodyOf = (body: Buffer) => JSON.parse(body.toString()) as Record<string, unknown>
const types = () => sink.requests.map(({ body }) => bodyOf(body)['eventType'])

/** The secret of the one subscription in a list of them. */
function secretIn(body: unknown): string {
  const [subscription] = body as readonly { readonly signingSecret: string }[] // as its schema says
  if (subscription === undefined) throw new Error('there is no subscription')
  return subscription.signingSecret
}

it('echoes a subscription and signs what it delivers with its secret', async () => {
  const wanted = { eventCategory: 'BRAND', webhookEndpoint: sink.url }
  expect((await subscribe('BRAND')).body).toEqual(wanted)
  const { body } = await fixture.call('GET', '/webhook/subscription')
  const signingSecret = secretIn(body)
  await fixture.call('POST', '/brand', privateBrand)
  await fixture.registry.settle()
  const request = await sink.next()
  expect(bodyOf(request.body)).toMatchObject({
    cspName: 'Test CSP',
    brandName: 'Acme',
    brandReferenceId: null,
    mock: false,
    eventType: 'BRAND_ADD',
  })
  expect(bodyOf(request.body)).not.toHaveProperty('brandIdentityStatus')
  const [, time = '', signature] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['x-trunkline-signature'])) ?? []
  const signed = createHmac('sha256', signingSecret).update(`${time}.${request.body.toString()}`)
  expect(signature).toBe(signed.digest('hex'))
  const update = await sink.next()
  expect(bodyOf(update.body)).toMatchObject({
    eventType: 'BRAND_IDENTITY_STATUS_UPDATE',
    brandIdentityStatus: 'VERIFIED',
  })
})

it('signs in the headers and forms that the operator has named, also a mock', async () => {
  await using other = await registryFixture({
    signatures: [
      { header: 'X-My-Signature', form: 'hex' },
      { header: 'X-Hub-Signature-256', form: 'sha256' },
      { header: 'X-Third', form: 'base64' },
    ],
  })
  const wanted = { eventCategory: 'BRAND', webhookEndpoint: sink.url }
  await other.call('PUT', '/webhook/subscription', wanted)
  const { body } = await other.call('GET', '/webhook/subscription')
  const signingSecret = secretIn(body)
  await other.call('POST', '/brand', privateBrand)
  await other.registry.settle()
  await other.call('GET', '/webhook/subscription/mock?eventType=BRAND_ADD')
  expect(sink.requests.length).toBeGreaterThan(2)
  for (const request of sink.requests) {
    const mac = createHmac('sha256', signingSecret).update(request.body).digest()
    expect(request.headers).toMatchObject({
      'x-my-signature': mac.toString('hex'),
      'x-hub-signature-256': `sha256=${mac.toString('hex')}`,
      'x-third': mac.toString('base64'),
    })
    expect(request.headers).not.toHaveProperty('x-trunkline-signature')
  }
})

it('delivers each event once and in order to a subscriber that fails for a while', async () => {
  await subscribe('CAMPAIGN')
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await fixture.registry.settle()
  const usecase = 'M2M'
  sink.answer({ status: 500 }, { status: 429 }, { status: 302, headers: { location: '/x' } })
  const { campaignId } = (
    await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId, usecase })
  ).body
  await fixture.registry.settle()
  await fixture.call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
  await fixture.registry.settle()
  expect(types()).toEqual(['CAMPAIGN_ADD'])
  await fixture.turn(DAY / 24 / 30)
  await fixture.turn(DAY / 24 / 5)
  await fixture.turn(DAY / 24)
  const first = sink.requests.slice(0, 4)
  expect(new Set(first.map(({ headers }) => headers['x-trunkline-event-id'])).size).toBe(1)
  expect(first.map(({ headers }) => headers['x-trunkline-attempt'])).toEqual(['1', '2', '3', '4'])
  const delivered = sink.requests.slice(3)
  expect(delivered.map(({ body }) => bodyOf(body)['eventType'])).toEqual([
    'CAMPAIGN_ADD',
    ...Array<string>(4).fill('MNO_CAMPAIGN_OPERATION_APPROVED'),
    'CAMPAIGN_SHARE_ADD',
    'CAMPAIGN_SHARE_ACCEPT',
    'CAMPAIGN_DCA_COMPLETE',
  ])
  const { records } = (await fixture.call('GET', `/webhook/event?campaignId=${campaignId}`)).body
  expect(records[0]?.['delivery']).toMatchObject({
    state: 'delivered',
    attempts: [{ status: 500 }, { status: 429 }, { status: 302 }, { status: 200 }],
  })
})

it('gives up after the last attempt and goes on with the next event', async () => {
  await subscribe('BRAND')
  sink.answer(...Array.from({ length: 7 }, () => ({ status: 503 })))
  await fixture.call('POST', '/brand', privateBrand)
  await fixture.registry.settle()
  for (let times = 0; times < 7; times += 1) await fixture.turn(2 * DAY)
  expect(types().slice(-2)).toEqual(['BRAND_ADD', 'BRAND_IDENTITY_STATUS_UPDATE'])
  expect(sink.requests).toHaveLength(8)
})

it('tries what waits for a retry at once after the endpoint is repaired', async () => {
  await subscribe('BRAND')
  sink.answer({ status: 503 })
  await fixture.call('POST', '/brand', privateBrand)
  await fixture.registry.settle()
  expect(types()).toEqual(['BRAND_ADD'])
  await subscribe('BRAND')
  await fixture.registry.settle()
  expect(types()).toEqual(['BRAND_ADD', 'BRAND_ADD', 'BRAND_IDENTITY_STATUS_UPDATE'])
})

it('shows in the history what became of each event', async () => {
  await subscribe('BRAND')
  sink.answer({ status: 503 })
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  const states = async () => {
    const { records } = (await fixture.call('GET', `/webhook/event?brandId=${brandId}`)).body
    return records.map(({ eventType, delivery }) => [eventType, delivery])
  }
  await fixture.registry.settle()
  const attempts = [expect.objectContaining({ endpoint: sink.url, status: 503 })]
  expect(await states()).toEqual([
    ['BRAND_ADD', { state: 'pending', attempts }],
    ['BRAND_IDENTITY_STATUS_UPDATE', { state: 'pending', attempts: [] }],
  ])
  await fixture.call('DELETE', '/webhook/subscription/BRAND')
  expect(await states()).toEqual([
    ['BRAND_ADD', { state: 'dropped', attempts }],
    ['BRAND_IDENTITY_STATUS_UPDATE', { state: 'dropped', attempts: [] }],
  ])
  await fixture.turn(2 * DAY)
  expect(types()).toEqual(['BRAND_ADD'])
})

it('sends mock events, by path and by query', async () => {
  const query = '/webhook/subscription/mock?eventType=CAMPAIGN_ADD'
  expect((await fixture.call('GET', query)).body).toMatchObject([{ code: 502 }])
  await subscribe('CAMPAIGN')
  sink.script(() => ({ body: 'thanks' }))
  const byPath = '/webhook/subscription/eventType/CAMPAIGN_ADD/mock'
  for (const path of [query, byPath]) {
    expect((await fixture.call('GET', path)).body).toMatchObject({
      endpoint: sink.url,
      status: 200,
      response: 'thanks',
    })
    expect(bodyOf((await sink.next()).body)).toEqual({
      campaignId: 'CMOCK00',
      eventType: 'CAMPAIGN_ADD',
    })
  }
  const unknown = '/webhook/subscription/mock?eventType=FUN'
  expect((await fixture.call('GET', unknown)).body).toMatchObject([{ code: 501 }])
})

it('stops with the subscription, by path and by query', async () => {
  for (const path of ['/webhook/subscription/BRAND', '/webhook/subscription?eventCategory=BRAND']) {
    await subscribe('BRAND')
    expect((await fixture.call('DELETE', path)).status).toBe(204)
    expect((await fixture.call('DELETE', path)).body).toMatchObject([{ code: 502 }])
  }
  await fixture.call('POST', '/brand', privateBrand)
  await fixture.registry.settle()
  expect(sink.requests).toEqual([])
  expect((await subscribe('DCA')).body).toMatchObject([{ code: 501, fields: ['eventCategory'] }])
})

it.each([
  ['DELETE', '/webhook/subscription/FOO'],
  ['DELETE', '/webhook/subscription?eventCategory=FOO'],
  ['POST', '/webhook/subscription/FOO/replay'],
])('names the category that %s %s does not know', async (method, path) => {
  const answer = await fixture.call(method, path)
  expect(answer).toMatchObject({ status: 400, body: [{ code: 501, fields: ['eventCategory'] }] })
})

it('lists categories and types', async () => {
  expect((await fixture.call('GET', '/webhook/eventCategory')).body).toEqual([
    'BRAND',
    'CSP',
    'CAMPAIGN',
    'INCIDENCE',
    'VETTING',
  ])
  expect((await fixture.call('GET', '/webhook/eventType')).body).toContainEqual(
    expect.objectContaining({ eventType: 'CAMPAIGN_NUDGE', eventCategory: 'CAMPAIGN' }),
  )
})

it('delivers once more what was given up, in its old order', async () => {
  const replay = () => fixture.call('POST', '/webhook/subscription/BRAND/replay')
  expect((await replay()).body).toMatchObject([{ code: 502, fields: ['eventCategory'] }])
  await subscribe('BRAND')
  let isDown = true
  sink.script(() => ({ status: isDown ? 503 : 200 }))
  await fixture.call('POST', '/brand', privateBrand)
  await fixture.registry.settle()
  // Both are given up within six days: what was given up a week ago is removed.
  for (let times = 0; times < 18; times += 1) await fixture.turn((9 * DAY) / 24)
  const states = async () =>
    (await fixture.call('GET', '/webhook/event')).body.records.flatMap(({ delivery }) =>
      delivery === null ? [] : [(delivery as { state: string }).state],
    )
  expect(await states()).toEqual(['dead', 'dead'])
  isDown = false
  const before = sink.requests.length
  expect((await replay()).body).toMatchObject({ events: 2 })
  await fixture.registry.settle()
  expect(types().slice(before)).toEqual(['BRAND_ADD', 'BRAND_IDENTITY_STATUS_UPDATE'])
  expect(await states()).toEqual(['delivered', 'delivered'])
  expect((await replay()).body).toMatchObject({ events: 0 })
})
