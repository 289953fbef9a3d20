import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi, voiceOperations } from '../../../../src/voice/api/voice-api.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

/** One seed for each run of all operations; a failure names it. */
const SEEDS = [1, 20_251_122, 987_654_321]
const ROUNDS = 6
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A small generator of pseudo-random numbers (mulberry32), so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const ODD_VALUES = [
  '',
  ' ',
  '0',
  '-1',
  '61',
  '1e9',
  '999999999999999999999',
  'NaN',
  'null',
  'true',
  'x'.repeat(65),
  'ü'.repeat(5_000),
  '\u0000',
  'a\r\nX-Header: b',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u202e\ufffd',
  '+15005550001',
  'sip:a@b',
  "'; drop table accounts; --",
  '{"a":[]}',
  'http://[::1',
  'http://app.test/x',
  '<Response><Say>a</Say></Response>',
  '2026-13-45',
  `CA${'0'.repeat(32)}`,
  `SK${'f'.repeat(32)}`,
]

const fieldsOf = (schema: unknown): readonly string[] => {
  const { shape } = (schema ?? {}) as Partial<z.ZodObject>
  return shape === undefined ? [] : Object.keys(shape)
}

async function setUp() {
  const bench = await setUpCalls()
  const log = createLogger('silent')
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log,
    mount: [createVoiceApi({ ...bench, requestsPerSecond: 1_000_000, log })],
  })
  const { sid, secret } = bench.account
  const call = await bench.calls.create(bench.account, {
    to: '+15005550001',
    from: '+15551112222',
    plan: PLAN,
  })
  const leg = await bench.telephony.leg(0)
  leg.pickUp()
  const { key } = await bench.accountKeys.create(sid, 'robot')
  const queue = await bench.queues.create(sid, 'support', 5)
  const sids = [call.sid, call.sid, call.sid, key.sid, queue.record.sid, 'Front', 'stream']
  const authorization = `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
  return { ...bench, app, authorization, sids, operations: voiceOperations({ ...bench, log }) }
}

describe('every operation of the voice API', () => {
  it.each(SEEDS)('answers odd requests without a fault, seed %i', async (seed) => {
    await using t = await setUp()
    const random = randomOf(seed)
    const pick = <Item>(items: readonly Item[]): Item =>
      items[Math.floor(random() * items.length)] as Item // the list is not empty
    const oddFields = (names: readonly string[]): URLSearchParams => {
      const fields = new URLSearchParams()
      for (const name of [...names, '__proto__', 'PageSize'])
        for (let count = Math.floor(random() * 3); count > 0; count -= 1)
          fields.append(name, pick(ODD_VALUES))
      return fields
    }
    const faults: string[] = []
    for (const operation of t.operations)
      for (let round = 0; round < ROUNDS; round += 1) {
        const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          name === 'AccountSid'
            ? t.account.sid
            : encodeURIComponent(pick(random() < 0.7 ? t.sids : ODD_VALUES)),
        )
        const method = random() < 0.8 ? operation.method.toUpperCase() : pick(METHODS)
        const query = oddFields(fieldsOf(operation.query)).toString()
        const fields = oddFields(fieldsOf(operation.body))
        const isJson = random() < 0.3
        const body = isJson ? JSON.stringify(Object.fromEntries(fields)) : fields.toString()
        const url = `/2010-04-01${path}${pick(['', '.json', '.xml'])}?${query}`
        const answer = await t.app.request(url, {
          method,
          headers: {
            authorization: t.authorization,
            'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
          },
          ...(method === 'GET' ? {} : { body }),
        })
        if (answer.status >= 500) faults.push(`${method} ${url} ${body} → ${answer.status}`)
        await answer.body?.cancel()
      }
    expect(faults).toEqual([])
  })
})
