import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RegistryOperation as Operation } from '../../../src/registry/routes/dialect/operation.js'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { brands, campaign, privateBrand } from '../../support/registry/registry-samples.js'

const SEED = Number(process.env['FUZZ_SEED'] ?? 20260115)
const ROUNDS = 25

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture({ checkResponses: true })
})
afterEach(() => fixture[Symbol.asyncDispose]())

/** mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Lone surrogates cannot be part of a URL. */
const text = (junk: unknown): string =>
  (typeof junk === 'string' ? junk : JSON.stringify(junk)).replaceAll('\ud800', '?')

const JUNK: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '%',
  "' or 1=1 --",
  '__proto__',
  'constructor',
  '../..',
  'x'.repeat(5_000),
  [],
  [[]],
  {},
  { toString: 1 },
]

it(`answers whatever comes, never with a 500 (seed ${SEED})`, async () => {
  const random = randomOf(SEED)
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item // the lists are not empty
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await fixture.registry.settle()
  const created = await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId })
  const ids = [brandId, created.body.campaignId, 'R000000', 'NORTH', 'B000000', 'BRAND', '10017']
  const seeds: readonly object[] = [
    ...Object.values(brands),
    { ...campaign, brandId },
    { eventCategory: 'BRAND', webhookEndpoint: 'http://127.0.0.1:9/' },
    { nudgeIntent: 'REVIEW' },
    { name: 'a', recordType: 'BRAND', recordId: brandId },
    { companyName: 'a', phone: '+12025550143', email: 'a@b.example' },
    { pinSms: '@OTP_PIN@', successSms: 'x', otpPin: '123456' },
    { evpId: 'AEGIS', vettingClass: 'STANDARD', vettingId: 'x', appealCategories: ['LOW_SCORE'] },
  ]
  const bodyOf = (): string => {
    if (random() < 0.1) return pick(['{', '"', '[]', 'null', '1', '\u0000'])
    const body: Record<string, unknown> = { ...pick(seeds) }
    for (let times = Math.floor(random() * 3); times > 0; times -= 1)
      body[pick(Object.keys(body).concat('extra', 'optionalAttributes', 'tag'))] = pick(JUNK)
    return JSON.stringify(body)
  }
  const requestOf = (operation: Operation): [string, RequestInit] => {
    const path = operation.path.replaceAll(/\{\w+\}/g, () =>
      encodeURIComponent(random() < 0.7 ? pick(ids) : text(pick(JUNK))),
    )
    const names = ['page', 'recordsPerPage', 'status', 'tag', 'displayName', 'eventType', 'current']
    const query = new URLSearchParams(
      random() < 0.5
        ? []
        : [
            [pick(names), text(pick(JUNK))],
            [pick(names), '1'],
          ],
    )
    const headers = {
      authorization: `Bearer ${fixture.account.secret}`,
      'content-type': pick(['application/json', 'multipart/form-data; boundary=x', 'text/x']),
      ...(random() < 0.2 ? { 'idempotency-key': pick(['a', 'b']) } : {}),
    }
    const method = operation.method.toUpperCase()
    const init = method === 'GET' ? { method, headers } : { method, headers, body: bodyOf() }
    return [`/v2/csp${path}?${query.toString()}`, init]
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const operation of fixture.registry.operations) {
      const [path, init] = requestOf(operation)
      const response = await fixture.app.request(path, init)
      if (response.status >= 500)
        throw new Error(`${operation.id}: ${response.status} to ${path} ${JSON.stringify(init)}`)
      await response.arrayBuffer()
    }
  }
  await fixture.registry.settle()
  expect((await fixture.call('GET', '/brand')).status).toBe(200)
})
