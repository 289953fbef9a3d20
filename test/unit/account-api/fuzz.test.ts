import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import {
  legacyOperations,
  numberingOperations,
  restOperations,
} from '../../../src/account-api/account-api.js'
import type { AccountOperation } from '../../../src/account-api/dialect/rest-operation.js'
import { accountApiFixture, PASSWORD } from '../../support/account/account-api-fixture.js'
import {
  ALL_LEGACY_ROWS,
  ALL_NUMBERING_ROWS,
  ALL_REST_ROWS,
} from '../../support/account/all-rows.js'
import { sentAnswer } from '../../support/http/answer-fault.js'
import { Description } from '../../support/http/description.js'
import { type JsonSchema, Junk } from '../../support/http/junk.js'
import { hold, stock, stocked } from '../../support/numbers/stock.js'

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const ROUNDS = 40
/** In every so many rounds the operations of `WRITES` are sent right. */
const RIGHT_EVERY = 8
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Operations that a run must have got through to their end. Each is sent right once in a while, since
 * chance alone leaves one out.
 */
const WRITES = [
  'updateAccount',
  'signUp',
  'requestRecovery',
  'updateAuthentication',
  'legacySignUp',
  'orderNumbers',
  'setNumberForward',
  'legacyRouteNumbers',
  'tnInventory',
]

const KNOWN = [
  '2025550100',
  PASSWORD,
  'owner@acme.example',
  'Europe/Berlin',
  '8.8.8.0/24',
  '10.0.0.0/8',
  '2025550143',
  '2025550111',
  '2025550112',
  'abc123',
]

const schemaOf = (schema: z.ZodType): JsonSchema =>
  // JSON Schema's own type is wider than what the generator reads.
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** Right bodies of operations that the specification's rows do not have. */
const MORE_SAMPLES: readonly (readonly [string, object])[] = [
  ['sendMessage', { fromNumber: '2025550111', toNumber: '3035550142', text: 'Hello' }],
  ['setMessageTarget', { type: 'email', resource: 'owner@acme.example' }],
  ['changeMessaging', { enabled: true, routeIn: 'sip', resource: 'alice', routeOut: 'default' }],
]
const SAMPLES = new Map([
  ...[...ALL_REST_ROWS, ...ALL_LEGACY_ROWS, ...ALL_NUMBERING_ROWS].map(
    ({ id, body }) => [id, body ?? {}] as const,
  ),
  ...MORE_SAMPLES,
])

/** A body that is right, one with a field changed, or one made from the schema. */
function valueOf(junk: Junk, { id, body }: AccountOperation): unknown {
  const schema = body === undefined || typeof body === 'string' ? {} : schemaOf(body)
  const sample = SAMPLES.get(id)
  if (sample === undefined || junk.chance(0.4)) return junk.value({ type: 'object', ...schema })
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0 || junk.chance(0.4)) return sample
  const [name, field] = junk.pick(fields)
  return { ...sample, [name]: junk.value(field) }
}

function bodyOf(junk: Junk, operation: AccountOperation, key: string): string {
  if (junk.chance(0.05)) return junk.pick(['', '{', '[]', 'null', '7', '"x"', '{"a":', '\u0000'])
  const value = valueOf(junk, operation)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value)
  const text = JSON.stringify({ ...value, ...(junk.chance(0.8) ? { apikey: key } : {}) })
  // A name that comes twice.
  return junk.chance(0.1) ? text.replace(/^\{/, `{"email":${JSON.stringify(junk.text())},`) : text
}

function queryOf(junk: Junk, { query }: AccountOperation): string {
  const search = new URLSearchParams()
  for (const name of Object.keys(schemaOf(query).properties ?? {})) {
    while (junk.chance(0.5)) search.append(name, junk.text())
  }
  if (junk.chance(0.1)) search.append(junk.text(), junk.text())
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

interface Sent {
  /** The path as it is described. */
  readonly template: string
  readonly target: string
  readonly init: RequestInit & { readonly method: string }
}

function requestOf(junk: Junk, operation: AccountOperation, key: string): Sent {
  const template = junk.pick([operation.path, ...operation.aliases])
  const path = template.replaceAll(/\{\w+\}/g, () =>
    // An empty name would make another path.
    encodeURIComponent(junk.chance(0.5) ? '2025550111' : junk.text() || 'x'),
  )
  const isRight = junk.chance(0.9)
  const method = isRight ? operation.method.toUpperCase() : junk.pick(METHODS)
  const headers = new Headers({
    'content-type': junk.pick(['application/json', 'application/x-www-form-urlencoded', 'x']),
  })
  if (junk.chance(0.9)) headers.set('authorization', `Bearer ${key}`)
  if (junk.chance(0.1)) headers.set('idempotency-key', junk.pick(['a', 'b', 'x'.repeat(300)]))
  const target = `${path}${queryOf(junk, operation)}`
  if (method === 'GET' || method === 'OPTIONS')
    return { template, target, init: { method, headers } }
  const body = bodyOf(junk, operation, key)
  return { template, target, init: { method, headers, body } }
}

/** The request for an operation that has nothing wrong about it. */
function rightRequestOf({ id, path, method }: AccountOperation, key: string): Sent {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const body = JSON.stringify(SAMPLES.get(id) ?? {})
  const target = path.replaceAll(/\{\w+\}/g, '2025550111')
  return { template: path, target, init: { method: method.toUpperCase(), headers, body } }
}

it(`answers anything as documented, never with a 500 (seed ${SEED})`, async () => {
  await using t = await accountApiFixture()
  const administrator = await t.accounts.create({
    friendlyName: 'Operator',
    profile: { isAdministrator: true },
  })
  await stock(t.db, [stocked('+12025550112'), stocked('+12025550113')])
  const operations = [
    ...restOperations(t.deps).map((operation) => ({ operation, base: '/v2.2' })),
    ...legacyOperations(t.deps).map((operation) => ({ operation, base: '/v2.1' })),
    ...numberingOperations(t.deps).map((operation) => ({ operation, base: '/v2' })),
  ]
  const description = new Description(t.app)
  const accepted = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    // Wrong credentials of one address are limited by the second.
    t.clock.turn(10_000)
    const junk = new Junk(SEED * 1_000 + round, KNOWN)
    // Requests without a key spend what an address may fail; it comes back with time.
    t.clock.turn(60_000)
    // The round before may have given it back.
    await hold(t.db, t.account.sid, '+12025550111')
    for (const { operation, base } of operations) {
      const isRight = round % RIGHT_EVERY === 0 && WRITES.includes(operation.id)
      const { secret } = !isRight && junk.chance(0.5) ? administrator : t.account
      const { template, target, init } = isRight
        ? rightRequestOf(operation, secret)
        : requestOf(junk, operation, secret)
      const response = await t.app.request(base + target, init)
      const answer = await sentAnswer(response)
      const sent = `${init.method} ${base}${target} ${JSON.stringify(init.body)}`
      const what = `${operation.id}: ${answer.status} to ${sent}\n${answer.text}`
      if (description.has(init.method, base + template))
        // No operation describes a 500.
        expect(description.faultOf(init.method, base + template, answer), what).toBeUndefined()
      // A wrong method, or another operation whose path fits as well.
      else expect(answer.status, what).toBeLessThan(500)
      if (response.ok) accepted.add(operation.id)
      else if (answer.mediaType === 'application/json')
        expect(JSON.parse(answer.text), what).toMatchObject(errorOf(base, answer.status))
    }
  }
  // It did get past the parsing.
  expect([...accepted]).toEqual(expect.arrayContaining(WRITES))
}, 300_000)

function errorOf(base: string, status: number): object {
  return base === '/v2.2'
    ? { status: 'error', error: { code: status } }
    : { statusCode: String(status), status: 'Error' }
}
