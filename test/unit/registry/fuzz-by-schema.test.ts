import { z } from '@hono/zod-openapi'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RegistryOperation as Operation } from '../../../src/registry/routes/dialect/operation.js'
import { answerFault, sentAnswer } from '../../support/http/answer-fault.js'
import { Description } from '../../support/http/description.js'
import { type JsonSchema, Junk } from '../../support/http/junk.js'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { brands, campaign, privateBrand } from '../../support/registry/registry-samples.js'

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const ROUNDS = 25

let fixture: RegistryFixture
beforeEach(async () => {
  fixture = await registryFixture()
})
afterEach(() => fixture[Symbol.asyncDispose]())

/** An error is an array of its codes, whatever the operation. */
const API = {
  errors: [400, 404],
  problem: z
    .array(
      z.strictObject({
        code: z.number().int(),
        description: z.string().min(1),
        fields: z.array(z.string()),
      }),
    )
    .min(1),
}

const schemaOf = (schema: z.ZodType): JsonSchema =>
  // JSON Schema's own type is wider than what the generator reads.
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

const reseller = { companyName: 'Partner', phone: '+12025550143', email: 'a@b.example' }
const phone = '+12025550199'

/** Texts that mean something, by the names of parameters: of each kind of record one that is there. */
async function freshRecords(): Promise<Readonly<Record<string, string>>> {
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  const sole = await fixture.call('POST', '/brand', {
    ...brands.SOLE_PROPRIETOR,
    mobilePhone: phone,
  })
  await fixture.registry.settle()
  const created = await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId })
  const { campaignId } = created.body
  const file = await fixture.upload(`/campaign/${campaignId}/mms`, 'a.txt', Buffer.from('a'))
  const resold = await fixture.call('POST', '/reseller', { ...reseller, companyName: campaignId })
  await fixture.call('PUT', '/tag', { name: 'vip', recordType: 'BRAND', recordId: brandId })
  return {
    ...{ brandId, campaignId, recordId: brandId, recordType: 'BRAND', name: 'vip' },
    attachmentId: file.body.uuid,
    resellerId: resold.body.resellerId,
    soleBrandId: sole.status === 200 ? sole.body.brandId : 'B000000', // none once its phone is used too often
    upstreamCnpId: 'NORTH',
    usecase: 'MIXED',
    eventType: 'BRAND_ADD',
    eventCategory: 'BRAND',
  }
}

/** Bodies that are taken as they are, to which one thing is done at a time. */
const samples = (known: Readonly<Record<string, string>>): Readonly<Record<string, object>> => ({
  registerBrand: privateBrand,
  updateBrand: privateBrand,
  createCampaign: { ...campaign, brandId: known['brandId'] },
  updateCampaign: { description: campaign.description, sample1: campaign.sample1 },
  createReseller: reseller,
  updateReseller: reseller,
  subscribe: { eventCategory: 'BRAND', webhookEndpoint: 'http://127.0.0.1:9/' },
  nudgeCampaign: { nudgeIntent: 'REVIEW', description: 'Please look.' },
  createTag: { name: 'vip', recordType: 'BRAND', recordId: known['brandId'] },
  orderExternalVetting: { evpId: 'AEGIS', vettingClass: 'STANDARD' },
})

function multipart(junk: Junk): Buffer {
  const name = junk.pick(['file', 'file', 'other', ''])
  const fileName = junk.pick([
    'a.txt',
    'a.png',
    '../a.txt',
    '',
    'a',
    '\\..\\a.txt',
    '.txt',
    'ü.txt',
  ])
  const whole = Buffer.concat([
    Buffer.from(
      `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n`,
    ),
    Buffer.from(junk.chance(0.9) ? '\r\n' : ''),
    junk.chance(0.5) ? Buffer.from('hello') : junk.bytes(junk.below(200)),
    Buffer.from(junk.chance(0.9) ? '\r\n--x--\r\n' : '\r\n--x'),
  ])
  if (junk.chance(0.2)) return whole.subarray(0, junk.below(whole.length))
  if (junk.chance(0.2)) whole.writeUInt8(junk.below(256), junk.below(whole.length))
  return whole
}

function queryOf(junk: Junk, schema: JsonSchema): string {
  const query = new URLSearchParams()
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    if (junk.chance(0.6)) continue
    const value = junk.value(each)
    for (const one of Array.isArray(value) ? value : [value])
      query.append(name, typeof one === 'string' ? one : JSON.stringify(one))
  }
  return query.toString()
}

function bodyOf(junk: Junk, { id, body }: Operation, known: Readonly<Record<string, string>>) {
  if (body === undefined || typeof body === 'string') return ''
  const schema = schemaOf(body)
  const sample = samples(known)[id]
  if (sample === undefined || junk.chance(0.4)) return JSON.stringify(junk.value(schema))
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0 || junk.chance(0.3)) return JSON.stringify(sample)
  const [name, each] = junk.pick(properties)
  return JSON.stringify({ ...sample, [name]: junk.value(each) })
}

function requestOf(
  junk: Junk,
  operation: Operation,
  known: Readonly<Record<string, string>>,
): [string, RequestInit] {
  const path = junk
    .pick([operation.path, ...operation.aliases])
    .replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
      // An empty name would make another path.
      encodeURIComponent((junk.chance(0.8) ? known[name] : undefined) ?? (junk.text() || 'x')),
    )
  const method = operation.method.toUpperCase()
  const init = (type: string, body: string | Buffer): RequestInit => ({
    method,
    headers: { authorization: `Bearer ${fixture.account.secret}`, 'content-type': type },
    ...(method === 'GET' ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  })
  const query = junk.chance(0.4) ? '' : queryOf(junk, schemaOf(operation.query))
  const target = `/v2/csp${path}?${query}`
  return operation.body === 'multipart'
    ? [target, init('multipart/form-data; boundary=x', multipart(junk))]
    : [target, init('application/json', bodyOf(junk, operation, known))]
}

it(`answers what is nearly right as documented, never with a 500 (seed ${SEED})`, async () => {
  const codes = Object.keys((await fixture.call('GET', '/error')).body)
  const description = new Description(fixture.app)
  const accepted = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const known = await freshRecords()
    const junk = new Junk(SEED * 1_000 + round, Object.values(known))
    // What ends a record comes in turn at another place of each round.
    const operations = shuffled(junk, fixture.registry.operations)
    for (const operation of operations) {
      const [path, init] = requestOf(junk, operation, known)
      const response = await fixture.app.request(path, init)
      const answer = await sentAnswer(response)
      const { text } = answer
      const what = `${operation.id}: ${response.status} to ${String(init.method)} ${path}\n${text}`
      expect([200, 204, 400, 404], what).toContain(response.status)
      expect(answerFault(operation, API, answer), what).toBeUndefined()
      const described = description.faultOf(operation.method, `/v2/csp${operation.path}`, answer)
      expect(described, what).toBeUndefined()
      if (response.ok) accepted.add(operation.id)
      else
        for (const { code } of JSON.parse(text) as { code: number }[]) // the error array
          expect(codes, what).toContain(String(code))
    }
  }
  // It did get past the parsing.
  expect([...accepted]).toEqual(expect.arrayContaining(['registerBrand', 'createCampaign']))
  expect(accepted.size).toBeGreaterThan(fixture.registry.operations.length * 0.7)
  await fixture.turn(1)
}, 300_000)

function shuffled<Item>(junk: Junk, items: readonly Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: junk.below(1_000_000) }))
  return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item)
}
