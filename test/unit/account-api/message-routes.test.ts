import { describe, expect, it } from 'vitest'
import {
  type Answer,
  accountApiFixture,
  type Body,
} from '../../support/account/account-api-fixture.js'

const TN = '2025550111'
const ABSENT = '2025550199'
const SMS = `/numbers/${TN}/sms`

const dataOf = ({ body }: Answer) => body['data'] as Body

async function setUp() {
  const t = await accountApiFixture()
  await t.hold(TN)
  const shown = async () => {
    const { routeIn, resource } = dataOf(await t.rest('GET', `/numbers/${TN}/messaging`))
    return [routeIn, resource]
  }
  const route = (route: unknown, resource?: string) =>
    t.legacy('/messaging/routein/', { numbers: [{ number: TN, route, resource }] })
  return Object.assign(t, { route, shown })
}

describe('the route of incoming messages', () => {
  it('is made, shown, changed and removed in the REST style', async () => {
    await using t = await setUp()
    expect(await t.shown()).toEqual(['default', ''])
    expect((await t.rest('GET', SMS)).status).toBe(404)
    const mail = { type: 'email', resource: 'owner@acme.example' }
    const put = await t.rest('PUT', SMS, mail)
    expect([put.status, dataOf(put)]).toEqual([200, { number: TN, ...mail }])
    expect(dataOf(await t.rest('GET', SMS))).toEqual({ number: TN, ...mail })
    const hook = { type: 'webhook', resource: 'https://app.example/in' }
    expect(dataOf(await t.rest('PUT', SMS, hook))).toEqual({ number: TN, ...hook })
    expect(await t.shown()).toEqual(['webhook', 'https://app.example/in'])
    expect((await t.rest('DELETE', SMS)).status).toBe(204)
    expect((await t.rest('DELETE', SMS)).status).toBe(204)
    expect(await t.shown()).toEqual(['default', ''])
  })

  it.each([
    ['email', 'owner@acme.example', 'email', 'owner@acme.example'],
    ['mailto:owner@acme.example', undefined, 'email', 'owner@acme.example'],
    ['owner@acme.example', undefined, 'email', 'owner@acme.example'],
    ['webhook', 'https://app.example/in?a=1', 'webhook', 'https://app.example/in?a=1'],
    ['http://127.0.0.1:8000/in', undefined, 'webhook', 'http://127.0.0.1:8000/in'],
    ['http://[::1]/in', undefined, 'webhook', 'http://[::1]/in'],
    ['sip', 'alice', 'sip', 'client:alice'],
    ['SIP', 'sip:alice@Acme.Example', 'sip', 'sip:alice@acme.example'],
    ['sip:alice@acme.example', undefined, 'sip', 'sip:alice@acme.example'],
  ])('is set with %j and %j in both styles', async (route, resource, type, kept) => {
    await using t = await setUp()
    expect(await t.route(route, resource)).toMatchObject({
      status: 200,
      body: { statusCode: '200', message: 'Route results', numbers: [{ number: TN, route }] },
    })
    expect(await t.shown()).toEqual([type, kept])
    expect((await t.route('default')).status).toBe(200)
    expect(await t.shown()).toEqual(['default', ''])
    const patched = await t.rest('PATCH', `/numbers/${TN}/messaging`, { routeIn: route, resource })
    expect(patched.status).toBe(200)
    expect(await t.shown()).toEqual([type, kept])
  })

  it.each([
    ['email', 'nobody'],
    ['email', 'a@b.example, c@d.example'],
    ['webhook', 'ftp://app.example/in'],
    ['webhook', 'not a url'],
    ['webhook', 'http://app.example/in'],
    ['webhook', 'http://8.8.8.8/in'],
    ['sip', 'sip:@acme.example'],
    ['sip', 'a b'],
    ['sip', 'sip:alice@acme.example\r\nX: y'],
    ['fax', '2025550111'],
    ['email', undefined],
  ])('%s %j is refused and changes nothing', async (type, resource) => {
    await using t = await setUp()
    await t.rest('PUT', SMS, { type: 'email', resource: 'owner@acme.example' })
    expect((await t.rest('PUT', SMS, { type, resource })).status).toBe(400)
    const patch = { routeIn: type, resource }
    expect((await t.rest('PATCH', `/numbers/${TN}/messaging`, patch)).status).toBe(400)
    const legacy = await t.route(type, resource)
    expect(legacy).toMatchObject({ status: 409, body: { numbers_success: [] } })
    expect(await t.shown()).toEqual(['email', 'owner@acme.example'])
  })

  it('is refused for a number of another account, and set for the others of the request', async () => {
    await using t = await setUp()
    const numbers = [
      { number: ABSENT, route: 'owner@acme.example' },
      { number: TN, route: 'owner@acme.example' },
    ]
    expect(await t.legacy('/messaging/routein/', { numbers })).toMatchObject({
      status: 409,
      body: {
        numbers_success: [{ number: TN, route: 'owner@acme.example' }],
        numbers_failed: [{ number: ABSENT, reason: 'Number not found on account' }],
      },
    })
    const target = { type: 'email', resource: 'owner@acme.example' }
    for (const [method, body] of [['GET'], ['PUT', target], ['DELETE']] as const)
      expect((await t.rest(method, `/numbers/${ABSENT}/sms`, body)).status).toBe(404)
    const other = await t.another('Other')
    expect((await t.rest('GET', SMS, undefined, other)).status).toBe(404)
    expect((await t.rest('DELETE', SMS, undefined, other)).status).toBe(404)
    expect(await t.shown()).toEqual(['email', 'owner@acme.example'])
  })

  it('ends when the number goes to another account', async () => {
    await using t = await setUp()
    await t.rest('PUT', SMS, { type: 'email', resource: 'owner@acme.example' })
    const other = await t.accounts.create({
      friendlyName: 'Sub',
      username: '2025550102',
      profile: { masterSid: t.account.sid },
    })
    const moved = await t.rest('PATCH', `/numbers/${TN}`, { accountId: '2025550102', route: 4 })
    expect(moved.status).toBe(200)
    const { routeIn } = dataOf(await t.rest('GET', `/numbers/${TN}/messaging`, undefined, other))
    expect(routeIn).toBe('default')
  })
})
