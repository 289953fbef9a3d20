import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { removeOld } from '../../../../src/voice/calls/storage/retention.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

type Events = readonly Record<string, unknown>[]

async function setUp() {
  const bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const basicOf = ({ sid, secret }: { sid: string; secret: string }) =>
    `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
  const get = async (path: string, account = bench.account) => {
    // A reader does not wait long for what a busy database has still to store.
    await bench.events.flush()
    const answer = await app.request(path, { headers: { authorization: basicOf(account) } })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const call = await bench.calls.create(bench.account, {
    to: '+15005550001',
    from: '+15551112222',
    plan: { document: { type: 'inline', text: '<Response/>' }, timeoutSeconds: 30 },
  })
  // Nothing more is written about the call from here on.
  await bench.telephony.leg(0)
  const path = `/2010-04-01/Accounts/${bench.account.sid}/Calls/${call.sid}/Events`
  const ids = { callSid: call.sid, accountSid: bench.account.sid }
  return { ...bench, get, call, path, ids }
}

const digitsOf = (events: unknown) =>
  (events as Events).flatMap(({ detail }) => {
    const { digits } = detail as { digits?: string }
    return digits === undefined ? [] : [digits]
  })

describe("a call's events", () => {
  it('show webhooks as the request and response of the convention', async () => {
    await using t = await setUp()
    t.events.append({
      ...t.ids,
      kind: 'webhook',
      detail: {
        url: 'http://app.test/voice',
        method: 'POST',
        params: [
          ['CallSid', t.call.sid],
          ['Tag', 'a'],
          ['Tag', 'b'],
        ],
        durationMs: 12,
        status: 200,
        responseBody: '<Response/>',
      },
    })
    const { body } = await t.get(`${t.path}.json`)
    const shown = (body['events'] as Events).find(({ kind }) => kind === 'webhook')
    expect(shown).toMatchObject({
      request: {
        method: 'POST',
        url: 'http://app.test/voice',
        parameters: { CallSid: t.call.sid, Tag: ['a', 'b'] },
      },
      response: { response_code: 200, response_body: '<Response/>', request_duration: 12 },
      detail: {},
    })
    expect(shown?.['response']).toHaveProperty(
      'date_created',
      expect.stringMatching(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} \+0000$/),
    )
  })

  it('show everything else with its kind and detail', async () => {
    await using t = await setUp()
    t.events.append({ ...t.ids, kind: 'sip', detail: { direction: 'sent', message: 'INVITE' } })
    const { body } = await t.get(t.path)
    expect((body['events'] as Events).find(({ kind }) => kind === 'sip')).toMatchObject({
      request: {},
      detail: { direction: 'sent', message: 'INVITE' },
    })
  })

  it('are paged by key, forth and back, in the common envelope', async () => {
    await using t = await setUp()
    const wanted = Array.from({ length: 25 }, (_, index) => String(index))
    for (const digits of wanted) t.events.append({ ...t.ids, kind: 'digits', detail: { digits } })
    const seen: string[] = []
    let next: unknown = `${t.path}.json?PageSize=10`
    let last: Record<string, unknown> = {}
    while (typeof next === 'string') {
      last = (await t.get(next)).body
      seen.push(...digitsOf(last['events']))
      next = last['next_page_uri']
    }
    expect(seen).toEqual(wanted)
    const total = Number(last['total'])
    expect(last).toMatchObject({ page: Math.ceil(total / 10) - 1, page_size: 10 })
    const before = await t.get(String(last['previous_page_uri']))
    expect(before.body['events']).toHaveLength(10)
    const again = await t.get(String(before.body['next_page_uri']))
    expect(again.body['events']).toEqual(last['events'])
  })

  it.each([
    ['an unknown call', `CA${'0'.repeat(32)}`, 404, 20404],
    ['what is no sid', 'CA1', 404, 20404],
  ])('of %s are not found', async (_title, sid, status, code) => {
    await using t = await setUp()
    const answer = await t.get(t.path.replace(t.call.sid, sid))
    expect({ ...answer, body: { ...answer.body } }).toMatchObject({ status, body: { code } })
  })

  it("of another account's call look like none", async () => {
    await using t = await setUp()
    const other = await t.accounts.create({ friendlyName: 'other' })
    const theirs = await t.get(t.path.replace(t.account.sid, other.sid), other)
    const absent = await t.get(
      t.path.replace(t.account.sid, other.sid).replace(t.call.sid, `CA${'0'.repeat(32)}`),
      other,
    )
    expect(theirs.status).toBe(404)
    expect(JSON.stringify(theirs.body).replaceAll(t.call.sid, 'X')).toBe(
      JSON.stringify(absent.body).replaceAll(`CA${'0'.repeat(32)}`, 'X'),
    )
  })

  it('refuse a token that is none of theirs', async () => {
    await using t = await setUp()
    const { status, body } = await t.get(`${t.path}?PageToken=PA${t.call.sid}`)
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 21481 })
  })
})

describe('old events', () => {
  it('are removed a bounded number at a time, younger ones kept', async () => {
    await using t = await setUp()
    for (let index = 0; index < 700; index += 1)
      t.events.append({ ...t.ids, kind: 'digits', detail: { digits: String(index) } })
    await t.events.flush()
    const inDays = (days: number) => ({
      ...{ db: t.db, log: createLogger('silent'), days: 30 },
      clock: { ...systemClock, now: () => Date.now() + days * 86_400_000 },
    })
    const count = async () => (await t.get(t.path)).body['total']
    const before = Number(await count())
    expect(await removeOld(inDays(29))).toBe(false)
    expect(await count()).toBe(before)
    expect(await removeOld(inDays(31))).toBe(true)
    expect(await count()).toBe(before - 500)
    expect(await removeOld(inDays(31))).toBe(false)
    expect(await count()).toBe(0)
  })
})
