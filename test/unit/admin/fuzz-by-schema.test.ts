import { Readable } from 'node:stream'
import { z } from '@hono/zod-openapi'
import { expect, it } from 'vitest'
import { type AdminApiDeps, adminOperations, createAdminApi } from '../../../src/admin/admin-api.js'
import type { AdminOperation } from '../../../src/admin/admin-operation.js'
import { isRawAnswer } from '../../../src/platform/api/operation.js'
import { putRates } from '../../../src/rating/rates.js'
import { answerFault, sentAnswer } from '../../support/http/answer-fault.js'
import { Description } from '../../support/http/description.js'
import { type JsonSchema, Junk } from '../../support/http/junk.js'
import { setUpCalls } from '../../support/voice/calls-fixture.js'

const SEEDS = process.env['FUZZ_SEED']?.split(',').map(Number) ?? [1, 2, 3]
const ROUNDS = 30
/** The round in which accounts, numbers and carriers begin to go. */
const FIRST_DELETES = 18
const TOKEN = 'secret'

const API = { errors: [400, 401], problem: z.strictObject({ error: z.string().min(1) }) }

const schemaOf = (schema: z.ZodType): JsonSchema =>
  // JSON Schema's own type is wider than what the generator reads.
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

async function setUp() {
  const bench = await setUpCalls()
  const deps: AdminApiDeps = {
    ...bench,
    version: '0.0.0',
    token: TOKEN,
    parts: [],
    metrics: () => Promise.resolve(''),
  }
  const app = createAdminApi(deps)
  // A stream of events has no end.
  const operations = adminOperations(deps).filter(({ response }) => !isRawAnswer(response))
  const application = await bench.applications.create(bench.account.sid, { friendlyName: 'menu' })
  const spare = await bench.accounts.create({ friendlyName: 'spare' })
  const { billing } = bench
  const money = { accountSid: bench.account.sid, amount: 10_000, description: '' }
  const credit = await billing.credits.give({ ...money, isPaid: false })
  const payment = await billing.payments.record({
    ...money,
    payerEmail: '',
    transactionId: 'T-1',
    status: 'Pending',
  })
  const charge = await bench.db.write((tx) =>
    billing.recurring.start(tx, { ...money, reference: '' }),
  )
  const rate = {
    accountSid: '',
    description: '',
    perMinute: 1,
    minimumSeconds: 6,
    incrementSeconds: 6,
  }
  for (const direction of ['inbound', 'outbound'] as const)
    await bench.db.write((tx) =>
      putRates(
        tx,
        [
          { ...rate, direction, prefix: '+' },
          { ...rate, direction, prefix: '+1' },
        ],
        1,
      ),
    )
  const { sid: imported } = await bench.imports.run(Readable.from([Buffer.from('number\n')]))
  const known = {
    sid: [imported],
    transactionId: ['T-2', 'T-3'],
    payerEmail: ['payer@example.com'],
    reference: ['a reference'],
    creditSid: [credit.sid],
    paymentSid: [payment.sid],
    chargeSid: [charge.sid],
    direction: ['inbound', 'outbound'],
    prefix: ['+', '+1'],
    accountSid: [bench.account.sid, spare.sid],
    number: ['+15551112222', '+14155550101'],
    name: ['north', 'south'],
    voiceApplicationSid: [application.sid],
    friendlyName: ['a name'],
    host: ['sip.carrier.test', '192.0.2.1'],
    prefixes: ['+', '+1'],
    addresses: ['192.0.2.0/24'],
    url: ['https://app.test/x'],
    phoneRegions: ['US'],
  }
  return { ...bench, app, description: new Description(app), operations, known }
}

type Bench = Awaited<ReturnType<typeof setUp>>
type Known = Readonly<Record<string, readonly string[]>>

const textsFor = (known: Known, name: string) =>
  known[name] ?? (/url$/i.test(name) ? known['url'] : undefined)

/** A value of a field: mostly a known one of its name, else one by its schema. */
function likely(junk: Junk, known: Known, name: string, schema: JsonSchema): unknown {
  const texts = textsFor(known, name)
  if (texts === undefined || junk.chance(0.15)) return objectOr(junk, known, schema)
  const text = junk.pick(texts)
  return schema.type === 'array' ? [text] : text
}

function objectOr(junk: Junk, known: Known, schema: JsonSchema): unknown {
  if (schema.properties === undefined || junk.chance(0.05)) return junk.value(schema)
  // Half of the objects have no field whose value would be a guess.
  const isCareful = junk.chance(0.5)
  const present = Object.entries(schema.properties).filter(([name]) => {
    if (schema.required?.includes(name) === true) return junk.chance(0.97)
    return junk.chance(0.4) && (!isCareful || textsFor(known, name) !== undefined)
  })
  return Object.fromEntries(present.map(([name, each]) => [name, likely(junk, known, name, each)]))
}

function bodyOf(junk: Junk, known: Known, { body }: AdminOperation): string {
  if (body === 'csv')
    return junk.pick(['number\n+14155550101\n', '', 'number,region\n', `number\n${junk.text()}`])
  if (body === undefined || typeof body === 'string') return ''
  return junk.chance(0.03) ? junk.text() : JSON.stringify(objectOr(junk, known, schemaOf(body)))
}

function urlOf(junk: Junk, known: Known, operation: AdminOperation): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const texts = known[name]
    const text = texts === undefined || junk.chance(0.1) ? junk.text() : junk.pick(texts)
    return encodeURIComponent(text === '' ? '0' : text)
  })
  const query = new URLSearchParams()
  for (const [name, schema] of Object.entries(schemaOf(operation.query).properties ?? {}))
    if (junk.chance(0.4)) query.append(name, String(junk.value(schema)))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

async function send(bench: Bench, junk: Junk, operation: AdminOperation) {
  const method = operation.method.toUpperCase()
  const url = urlOf(junk, bench.known, operation)
  const body = bodyOf(junk, bench.known, operation)
  const type = operation.body === 'csv' ? 'text/csv' : 'application/json'
  const response = await bench.app.request(url, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body }),
  })
  const answer = await sentAnswer(response)
  const fault =
    answerFault(operation, API, answer) ?? bench.description.faultOf(method, operation.path, answer)
  const what = `${operation.id}: ${method} ${url} ${body}`
  return { fault: fault && `${what}\n→ ${fault}`, isAccepted: response.ok }
}

it.each(
  SEEDS,
)('every operation of the private listener answers as its description says, seed %i', async (seed) => {
  await using bench = await setUp()
  const junk = new Junk(seed, Object.values(bench.known).flat())
  const faults = new Map<string, string>()
  const accepted = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1)
    for (const operation of bench.operations) {
      if (operation.method === 'delete' && round < FIRST_DELETES) continue
      const { fault, isAccepted } = await send(bench, junk, operation)
      if (fault !== undefined) faults.set(operation.id, fault)
      if (isAccepted) accepted.add(operation.id)
    }
  expect([...faults.values()]).toEqual([])
  expect(accepted.size).toBeGreaterThan(bench.operations.length * 0.8)
}, 300_000)
