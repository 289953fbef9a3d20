import { describe, expect, it } from 'vitest'
import { AccountGate } from '../../../../src/accounts/account-gate.js'
import { startListener } from '../../../../src/platform/http/listener.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

const basic = (sid: string, secret: string) =>
  `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`

/** The API at a socket. The lane serves every read of this test: one that it leaves is an error. */
async function setUp(requestsPerSecond?: number) {
  const bench = await setUpCalls()
  const log = createLogger('silent')
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log,
    mount: [
      createVoiceApi({
        ...bench,
        accountGate: new AccountGate([], bench.clock),
        requestsPerSecond: requestsPerSecond ?? bench.requestsPerSecond,
        log,
      }),
    ],
  })
  const listener = await startListener(
    { fetch: () => new Response('left to the router', { status: 599 }) },
    { host: '127.0.0.1', port: 0, lane: (...asked) => app.lane.take(...asked) },
  )
  const call = await bench.calls.create(bench.account, {
    to: '+15005550001',
    from: '+15551112222',
    plan: { document: { type: 'inline', text: '' }, timeoutSeconds: 1 },
  })
  const path = `/2010-04-01/Accounts/${bench.account.sid}/Calls/${call.sid}.json`
  const read = async (
    authorization = basic(bench.account.sid, bench.account.secret),
    of = path,
  ) => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}${of}`, {
      headers: { authorization },
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return {
    ...bench,
    call,
    read,
    [Symbol.asyncDispose]: async () => {
      await listener[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

describe('a read of one call by its sid', () => {
  it('has the call', async () => {
    await using t = await setUp()
    expect(await t.read()).toMatchObject({ status: 200, body: { sid: t.call.sid, to: t.call.to } })
  })

  it('is refused at once to a key that was withdrawn', async () => {
    await using t = await setUp()
    const { key, secret } = await t.accountKeys.create(t.account.sid, 'short-lived')
    expect((await t.read(basic(key.sid, secret))).status).toBe(200)
    // Another node withdraws it: nothing here is told.
    await t.db.write((tx) => tx.deleteFrom('account_keys').where('sid', '=', key.sid).execute())
    expect(await t.read(basic(key.sid, secret))).toMatchObject({
      status: 401,
      body: { code: 20003 },
    })
  })

  it('is refused at once to a secret that was replaced', async () => {
    await using t = await setUp()
    expect((await t.read()).status).toBe(200)
    await t.accounts.rotateSecret(t.account.sid, 0)
    expect((await t.read()).status).toBe(401)
  })

  it('is refused at once to an address outside a new AllowCidr', async () => {
    await using t = await setUp()
    expect((await t.read()).status).toBe(200)
    await t.accounts.update(t.account.sid, { settings: { allowCidr: ['198.51.100.0/24'] } })
    expect(await t.read()).toMatchObject({ status: 403, body: { code: 20006 } })
  })

  it('is refused at once to a suspended account', async () => {
    await using t = await setUp()
    expect((await t.read()).status).toBe(200)
    await t.accounts.setStatus(t.account.sid, 'suspended')
    expect(await t.read()).toMatchObject({ status: 403, body: { code: 20005 } })
  })

  it('counts against the rate of its account', async () => {
    await using t = await setUp(0.001)
    expect(await t.read()).toMatchObject({ status: 429, body: { code: 20429 } })
  })

  it('counts at once against a rate that the operator gives the account', async () => {
    await using t = await setUp()
    expect((await t.read()).status).toBe(200)
    await t.accounts.update(t.account.sid, { settings: { requestsPerSecond: 0.001 } })
    expect((await t.read()).status).toBe(429)
  })

  it('tells nothing of the call of another account', async () => {
    await using t = await setUp()
    const other = await t.accounts.create({ friendlyName: 'other' })
    const theirs = basic(other.sid, other.secret)
    const path = `/2010-04-01/Accounts/${other.sid}/Calls/${t.call.sid}.json`
    expect((await t.read(theirs, path)).status).toBe(404)
    expect((await t.read(theirs)).status).toBe(404)
  })
})
