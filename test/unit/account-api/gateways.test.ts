import { describe, expect, it } from 'vitest'
import { holdNumber } from '../../../src/numbers/held-numbers.js'
import { changeNumberSettings } from '../../../src/numbers/number-settings.js'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'

type Fixture = Awaited<ReturnType<typeof accountApiFixture>>

const SYSTEM = [
  [1, 'USER'],
  [2, 'T30'],
  [3, 'VOICE_BRIDGE'],
  [4, 'DID'],
  [5, 'T38'],
  [6, 'RTC_BRIDGE'],
  [8, 'SDN'],
]

async function added(t: Fixture, body: object): Promise<{ readonly id: number }> {
  const answer = await t.rest('POST', '/gateways', body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body['data'] as { readonly id: number }
}

async function listed(t: Fixture) {
  const { body } = await t.rest('GET', '/gateways')
  return (body as { data: { gateways: { id: number; gateway: string; system: boolean }[] } }).data
    .gateways
}

/** Gives the account a number that goes to a route. */
async function routed(t: Fixture, e164: string, route: number): Promise<void> {
  const capabilities = { voice: true, sms: true, mms: false, fax: false }
  const wanted = { sid: `PN${e164.slice(1).padStart(32, '0')}`, accountSid: t.account.sid, e164 }
  await t.db.write(async (tx) => {
    const { sid } = await holdNumber(tx, { ...wanted, capabilities }, 1)
    await changeNumberSettings(tx, sid, { route }, 1)
  })
}

describe('gateways', () => {
  it('are the system routes at first', async () => {
    await using t = await accountApiFixture()
    const gateways = await listed(t)
    expect(gateways.map(({ id, gateway }) => [id, gateway])).toEqual(SYSTEM)
    expect(gateways.every(({ system }) => system)).toBe(true)
    expect((await t.rest('GET', '/gateways/3')).body).toEqual({
      status: 'success',
      data: {
        id: 3,
        gateway: 'VOICE_BRIDGE',
        prefix: '',
        limit: 1_000,
        forwardedCaller: 'caller',
        system: true,
      },
    })
  })

  it('are added, listed, changed and removed', async () => {
    await using t = await accountApiFixture()
    const { id, ...rest } = await added(t, { gateway: '8.8.8.8:5080' })
    expect(id).toBeGreaterThan(8)
    const fresh = { forwardedCaller: 'caller', system: false }
    expect(rest).toEqual({ gateway: '8.8.8.8:5080', prefix: '', limit: 23, ...fresh })
    const changed = await t.rest('PUT', `/gateways/${String(id)}`, { prefix: '99', limit: 1 })
    const data = { id, gateway: '8.8.8.8:5080', prefix: '99', limit: 1, ...fresh }
    expect(changed.body).toEqual({ status: 'success', data })
    expect((await listed(t)).at(-1)).toEqual(data)
    const moved = await t.rest('PUT', `/gateways/${String(id)}`, { gateway: 'PBX.example.com' })
    expect(moved.body).toMatchObject({ data: { gateway: 'pbx.example.com', prefix: '99' } })
    expect((await t.rest('DELETE', `/gateways/${String(id)}`)).status).toBe(204)
    expect((await t.rest('GET', `/gateways/${String(id)}`)).status).toBe(404)
    expect(await listed(t)).toHaveLength(SYSTEM.length)
  })

  it('belong to one account', async () => {
    await using t = await accountApiFixture()
    const { id } = await added(t, { gateway: '8.8.8.8' })
    const other = await t.another('Other')
    const path = `/gateways/${String(id)}`
    for (const [method, body] of [['GET'], ['PUT', { limit: 2 }], ['DELETE']] as const)
      expect((await t.rest(method, path, body, other)).status, method).toBe(404)
    expect((await t.rest('GET', `${path}/numbers`, undefined, other)).status).toBe(404)
    expect((await t.rest('GET', path)).body).toMatchObject({ data: { limit: 23 } })
  })

  it('may have several hosts, in the order in which they are tried', async () => {
    await using t = await accountApiFixture()
    const wanted = { gateway: ' 8.8.8.8:5080 , pbx.example.com' }
    expect(await added(t, wanted)).toMatchObject({ gateway: '8.8.8.8:5080,pbx.example.com' })
  })

  it.each([
    ['no gateway', {}, 400, 'Field Required: gateway'],
    ['a private address', { gateway: '10.0.0.1' }, 400, /^gateway: .*public/],
    ['loopback', { gateway: '127.0.0.1:5060' }, 400, /^gateway: .*public/],
    ['a name with a private address', { gateway: 'two.example.com' }, 400, /^gateway: .*public/],
    ['a name without IPv4', { gateway: 'six.example.com' }, 400, /^gateway: .*IPv4/],
    ['a name that nobody knows', { gateway: 'nowhere.example.com' }, 400, /^gateway: .*IPv4/],
    ['an IPv6 address', { gateway: '[2606:4700::1]' }, 400, /^gateway: /],
    ['a URI', { gateway: 'sip:8.8.8.8' }, 400, /^gateway: give the host .* without sip:/],
    ['an address in octal', { gateway: '010.8.8.8' }, 400, /^gateway: /],
    ['an address in hexadecimal', { gateway: '0x08080808' }, 400, /^gateway: an IPv4/],
    ['a port that is none', { gateway: '8.8.8.8:70000' }, 400, /^gateway: /],
    ['five hosts', { gateway: '8.8.8.8,8.8.8.8,8.8.8.8,8.8.8.8,8.8.8.8' }, 400, /at most 4/],
    ['a prefix with letters', { gateway: '8.8.8.8', prefix: '9a' }, 400, /^prefix: /],
    ['no calls', { gateway: '8.8.8.8', limit: 0 }, 400, /^limit: /],
    ['too many calls', { gateway: '8.8.8.8', limit: 1_001 }, 400, /^limit: /],
    ['a part of a call', { gateway: '8.8.8.8', limit: 1.5 }, 400, /^limit: /],
  ])('with %s is refused, and nothing is left', async (_title, body, status, message) => {
    await using t = await accountApiFixture()
    const answer = await t.rest('POST', '/gateways', body)
    expect(answer.status).toBe(status)
    const { error } = answer.body as { error: { code: number; message: string } }
    expect(error.code).toBe(status)
    expect(error.message).toMatch(message)
    expect(await listed(t)).toHaveLength(SYSTEM.length)
  })

  it('of one address and prefix is one, by adding and by changing', async () => {
    await using t = await accountApiFixture()
    await added(t, { gateway: '8.8.8.8' })
    expect((await t.rest('POST', '/gateways', { gateway: '8.8.8.8' })).status).toBe(409)
    const { id } = await added(t, { gateway: '8.8.8.8', prefix: '7' })
    expect((await t.rest('PUT', `/gateways/${String(id)}`, { prefix: '' })).status).toBe(409)
    expect((await t.rest('PUT', `/gateways/${String(id)}`, { prefix: '7' })).status).toBe(200)
  })

  it.each(['PUT', 'DELETE'] as const)('%s of a system route is 403', async (method) => {
    await using t = await accountApiFixture()
    const answer = await t.rest(method, '/gateways/4', { limit: 5 })
    expect(answer.body).toMatchObject({ status: 'error', error: { code: 403 } })
  })

  it.each(['7', '100', '0', '-1', '04', 'x', '4.5', '9'.repeat(20)])('%s is none', async (id) => {
    await using t = await accountApiFixture()
    expect((await t.rest('GET', `/gateways/${id}`)).status).toBe(404)
  })

  it('stay while numbers are routed to them, and show these numbers', async () => {
    await using t = await accountApiFixture()
    const { id } = await added(t, { gateway: '8.8.8.8' })
    await routed(t, '+12025550143', id)
    await routed(t, '+442079460018', 4)
    const path = `/gateways/${String(id)}`
    expect((await t.rest('GET', `${path}/numbers`)).body).toEqual({
      status: 'success',
      data: {
        numbers: [
          {
            carrier: 1,
            faxEnabled: false,
            translated: '',
            forward: false,
            forwardTo: null,
            number: '2025550143',
            smsEnabled: true,
            cnam: false,
          },
        ],
      },
    })
    expect((await t.rest('GET', '/gateways/4/numbers')).body).toMatchObject({
      data: { numbers: [{ number: '+442079460018' }] },
    })
    const refused = await t.rest('DELETE', path)
    expect(refused.body).toMatchObject({ status: 'error', error: { code: 409 } })
    await routed(t, '+12025550143', 4)
    // A number whose calls may be faxes says so, wherever it is shown.
    await routed(t, '+442079460018', 2)
    expect((await t.rest('GET', '/gateways/2/numbers')).body).toMatchObject({
      data: { numbers: [{ faxEnabled: true }] },
    })
    expect((await t.rest('DELETE', path)).status).toBe(204)
  })
})

describe('gateways in the legacy style', () => {
  const listedIn = async (t: Fixture) =>
    (await t.legacy('/gateways/list/')).body['gateways'] as { IP: string; route: number }[]

  it('are added, listed, changed and removed', async () => {
    await using t = await accountApiFixture()
    const added = await t.legacy('/gateways/add/', {
      gateways: [
        { gateway: '8.8.8.8:5080' },
        { gateway: 'PBX.example.com', prefix: '9', limit: 2 },
      ],
    })
    expect(added.body).toEqual({
      statusCode: '200',
      status: 'Success',
      message: 'Gateways added',
      gateways: [
        { IP: '8.8.8.8:5080', route: 101 },
        { IP: 'pbx.example.com', route: 102 },
      ],
    })
    expect((await listedIn(t)).slice(-2)).toEqual(added.body['gateways'])
    expect((await t.rest('GET', '/gateways/102')).body).toMatchObject({
      data: { prefix: '9', limit: 2 },
    })
    const changed = await t.legacy('/gateways/update/', {
      gateways: [{ route: '102', gateway: '8.8.4.4' }],
    })
    expect(changed.body['gateways']).toEqual([{ IP: '8.8.4.4', route: 102 }])
    const removed = await t.legacy('/gateways/remove/', { routes: [{ route: 101 }] })
    expect(removed.body['routes']).toEqual([{ route: 101 }])
    expect((await listedIn(t)).map(({ route }) => route)).toEqual([
      ...SYSTEM.map(([id]) => id),
      102,
    ])
  })

  it('that are refused are named beside those that were taken', async () => {
    await using t = await accountApiFixture()
    const added = await t.legacy('/gateways/add/', {
      gateways: [{ gateway: '10.0.0.1' }, { gateway: '8.8.8.8' }, { gateway: '8.8.8.8' }],
    })
    expect(added.body).toMatchObject({
      statusCode: '409',
      status: 'Error',
      added_success: [{ IP: '8.8.8.8', route: 101 }],
      added_failed: [
        { gateway: '10.0.0.1', reason: expect.stringContaining('public') as string },
        { gateway: '8.8.8.8', reason: expect.any(String) as string },
      ],
    })
    await routed(t, '+12025550143', 101)
    const removed = await t.legacy('/gateways/remove/', {
      routes: [{ route: 101 }, { route: 4 }, { route: 999 }],
    })
    expect(removed.body).toMatchObject({
      statusCode: '409',
      removed_success: [],
      removed_failed: [{ route: 101 }, { route: 4 }, { route: 999 }],
    })
    const changed = await t.legacy('/gateways/update/', {
      gateways: [
        { route: 999, limit: 1 },
        { route: 101, limit: 7 },
      ],
    })
    expect(changed.body).toMatchObject({
      statusCode: '409',
      update_success: [{ IP: '8.8.8.8', route: 101 }],
      update_failed: [{ route: 999 }],
    })
  })
})
