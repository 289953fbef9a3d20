import { randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorsIn } from '../support/process/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'

const GUESSES = 8_000
/** Addresses that the guesses come from: each makes fewer than would slow it down. */
const GUESSERS = 100
const INSISTENT = 2_000
const AT_ONCE = 32
const TIMED = 500

interface Seen {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
  readonly ms: number
}

let trunkline: RunningTrunkline
const agent = new Agent({ connections: AT_ONCE })

beforeAll(async () => {
  // Each request says where it comes from, as behind a proxy.
  trunkline = await startTrunkline({ TRUSTED_PROXIES: '127.0.0.1/32', LOG_LEVEL: 'warn' })
})
afterAll(async () => {
  await agent.close()
  await trunkline[Symbol.asyncDispose]()
})

const hex = () => randomBytes(16).toString('hex')
const basic = (sid: string, secret: string) =>
  `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`

async function ask(
  from: string,
  authorization: string | undefined,
  path: string,
  method: 'GET' | 'POST' | 'DELETE' = 'GET',
): Promise<Seen> {
  const startedAt = performance.now()
  const { statusCode, headers, body } = await request(trunkline.http + path, {
    method,
    dispatcher: agent,
    headers: {
      'x-forwarded-for': from,
      ...(authorization === undefined ? {} : { authorization }),
      ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(method === 'POST' ? { body: 'Status=completed' } : {}),
  })
  const text = await body.text()
  const ms = performance.now() - startedAt
  const retryAfter = headers['retry-after']
  return {
    status: statusCode,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    text,
    ms,
  }
}

/** So many answers, a few of them asked for at a time. */
async function many(count: number, one: (index: number) => Promise<Seen>): Promise<Seen[]> {
  const next = Array.from({ length: count }, (_, index) => index).values()
  const seen: Seen[] = []
  const worker = async () => {
    for (const index of next) seen.push(await one(index))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return seen
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const rootOf = (sid: string) => `/2010-04-01/Accounts/${sid}`
const shapesOf = (answers: readonly Seen[]) =>
  new Set(answers.map(({ status, text }) => `${String(status)} ${text}`))

it('guesses learn nothing, however many, and cost nobody else an answer [B18]', async ({
  task,
}) => {
  const { sid, secret } = trunkline.account
  const almost = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
  const wrong: readonly (() => string | undefined)[] = [
    () => basic(`AC${hex()}`, hex()),
    () => basic(sid, hex()),
    () => basic(`AC${hex()}`, secret),
    () => basic(sid, almost),
    () => basic(sid, ''),
    () => basic('', secret),
    () => `Bearer ${hex()}`,
    () => undefined,
  ]
  const paths = [() => rootOf(sid), () => rootOf(`AC${hex()}`)]
  const guess = (from: string, index: number) => {
    const authorization = wrong[index % wrong.length]?.()
    const root = paths[Math.floor(index / wrong.length) % paths.length]?.() ?? ''
    return ask(from, authorization, `${root}/Calls/CA${hex()}.json`)
  }
  const honest = () => ask('198.51.100.1', basic(sid, secret), `${rootOf(sid)}/Calls.json`)

  const [guesses, insistent, beside] = await Promise.all([
    many(GUESSES, (index) => guess(`203.0.113.${String(index % GUESSERS)}`, index)),
    many(INSISTENT, (index) => guess('192.0.2.1', index)),
    many(AT_ONCE * 5, honest),
  ])
  const slowed = insistent.filter(({ status }) => status === 429)
  reportRow(task, 'B18', {
    requests: guesses.length + insistent.length,
    'answered 200': [...guesses, ...insistent].filter(({ status }) => status < 300).length,
    'shapes of 401': shapesOf(guesses).size,
    'of one address, 429': slowed.length,
    'honest requests beside them': `${String(beside.filter(({ status }) => status === 200).length)} of ${String(beside.length)}`,
  })
  expect([...shapesOf(guesses)]).toHaveLength(1)
  expect(guesses[0]?.status).toBe(401)
  expect(new Set(insistent.map(({ status }) => status))).toEqual(new Set([401, 429]))
  expect(slowed.length).toBeGreaterThan(INSISTENT / 2)
  expect(slowed.filter(({ retryAfter }) => !/^\d+$/.test(retryAfter ?? ''))).toEqual([])
  expect(new Set(beside.map(({ status }) => status))).toEqual(new Set([200]))
  expect(errorsIn(trunkline)).toEqual([])
})

it('how long a refusal takes tells neither who exists nor what of a secret is right [B18]', async ({
  task,
}) => {
  const { sid, secret } = trunkline.account
  const credentials = {
    'of nobody': () => basic(`AC${hex()}`, hex()),
    'with nothing right': () => basic(sid, hex()),
    'with all right but the last digit': () =>
      basic(sid, secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')),
  }
  const times = new Map<string, number[]>(Object.keys(credentials).map((name) => [name, []]))
  for (let round = 0; round < TIMED; round++)
    for (const [name, of] of Object.entries(credentials)) {
      // In turn, so that what else the machine does meets all alike.
      const from = `203.0.113.${String(100 + (round % 100))}`
      const { status, ms } = await ask(from, of(), `${rootOf(sid)}/Calls.json`)
      expect(status).toBe(401)
      times.get(name)?.push(ms)
    }
  const medians = [...times].map(([name, each]) => [name, median(each)] as const)
  reportRow(
    task,
    'B18',
    Object.fromEntries(medians.map(([name, ms]) => [`ms ${name}`, ms.toFixed(2)])),
  )
  const values = medians.map(([, ms]) => ms)
  expect(Math.max(...values) - Math.min(...values)).toBeLessThan(1)
})

it('what is absent and what is of others is answered alike, byte by byte [B18]', async ({
  task,
}) => {
  const created = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'other' })
  expect(created.status).toBe(201)
  const other = {
    sid: String(created.body['accountSid']),
    secret: String(created.body['authToken']),
  }
  const call = await trunkline.createCall({
    To: '+15005550005',
    From: '+15005550000',
    Markup: '<Response/>',
  })
  const absent = `CA${hex()}`
  const root = rootOf(other.sid)
  const authorization = basic(other.sid, other.secret)
  const resources: readonly ['GET' | 'POST' | 'DELETE', (sid: string) => string][] = [
    ['GET', (sid) => `${root}/Calls/${sid}.json`],
    ['GET', (sid) => `${root}/Calls/${sid}.xml`],
    ['POST', (sid) => `${root}/Calls/${sid}.json`],
    ['DELETE', (sid) => `${root}/Calls/${sid}.json`],
    ['GET', (sid) => `${root}/Calls/${sid}/Events.json`],
    ['GET', (sid) => `${root}/Calls/${sid}/Recordings.json`],
    ['POST', (sid) => `${root}/Calls/${sid}/Recordings.json`],
    ['POST', (sid) => `${root}/Calls/${sid}/Streams.json`],
  ]
  const differing: string[] = []
  for (const [method, path] of resources) {
    const shapeOf = async (sid: string) => {
      const answer = await ask('198.51.100.2', authorization, path(sid), method)
      return `${String(answer.status)} ${answer.text.replaceAll(sid, 'SID')}`
    }
    const [theirs, nobodys] = [await shapeOf(call.sid), await shapeOf(absent)]
    expect(nobodys, `${method} ${path('SID')}`).toMatch(/^404 /)
    if (theirs !== nobodys) differing.push(`${method} ${path('SID')}: ${theirs} / ${nobodys}`)
  }
  reportRow(task, 'B18', { 'resources of others': resources.length, differing: differing.length })
  expect(differing).toEqual([])
})
