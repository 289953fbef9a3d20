import { expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { removeOld } from '../../../../src/voice/calls/storage/retention.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

async function setUp() {
  const bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const post = async (
    path: string,
    key: string | undefined,
    form: Readonly<Record<string, string>>,
    account = bench.account,
  ) => {
    const answer = await app.request(`/2010-04-01/Accounts/${account.sid}/${path}.json`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${account.sid}:${account.secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: new URLSearchParams(form),
    })
    const body = (await answer.json()) as { sid?: string; code?: number }
    return { ...body, status: answer.status }
  }
  const ends = { To: '+15005550001', From: '+15551112222' }
  const create = (key: string | undefined, account = bench.account) =>
    post('Calls', key, { ...ends, Markup: '<Response/>' }, account)
  return { ...bench, create, post, ends }
}

it('the same Idempotency-Key brings the same call, however often and at once', async () => {
  await using t = await setUp()
  const answers = await Promise.all(Array.from({ length: 10 }, () => t.create('order-1')))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
  expect(new Set(answers.map(({ sid }) => sid)).size).toBe(1)
  expect((await t.create('order-1')).sid).toBe(answers[0]?.sid)
  expect((await t.create('order-2')).sid).not.toBe(answers[0]?.sid)
  expect((await t.create(undefined)).sid).not.toBe((await t.create(undefined)).sid)
})

it('a key is its account’s own', async () => {
  await using t = await setUp()
  const other = await t.accounts.create({ friendlyName: 'other' })
  expect((await t.create('k')).sid).not.toBe((await t.create('k', other)).sid)
})

it.each(['', 'a b', 'x'.repeat(256)])('refuses the key "%s"', async (key) => {
  await using t = await setUp()
  expect(await t.create(key)).toMatchObject({ status: 400, code: 20422 })
})

it('with another form is refused', async () => {
  await using t = await setUp()
  const first = { ...t.ends, Markup: '<Response/>' }
  expect((await t.post('Calls', 'k', first)).status).toBe(201)
  expect((await t.post('Calls', 'k', first)).status).toBe(201)
  const other = { ...first, Markup: '<Response><Hangup/></Response>' }
  expect(await t.post('Calls', 'k', other)).toMatchObject({ status: 409, code: 20422 })
})

it('is kept for 24 hours', async () => {
  await using t = await setUp()
  const { sid } = await t.create('k')
  const later = (hours: number) =>
    removeOld({
      ...{ db: t.db, log: createLogger('silent'), days: 30 },
      clock: { ...systemClock, now: () => Date.now() + hours * 3_600_000 },
    })
  await later(23)
  expect((await t.create('k')).sid).toBe(sid)
  await later(25)
  expect((await t.create('k')).sid).not.toBe(sid)
})
