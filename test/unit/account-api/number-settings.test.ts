import { describe, expect, it } from 'vitest'
import {
  changeNumberSettings,
  findNumberWithSettings,
} from '../../../src/numbers/number-settings.js'
import { portOutPinOf } from '../../../src/numbers/port-out-pins.js'
import { type Answer, accountApiFixture } from '../../support/account/account-api-fixture.js'
import { hold } from '../../support/numbers/stock.js'

type Fixture = Awaited<ReturnType<typeof accountApiFixture>>

const NUMBER = '+12025550111'
const ABSENT = '2025550199'
const dataOf = ({ body }: Answer) => body['data'] as Readonly<Record<string, unknown>>
const settingsOf = async ({ db }: Fixture) =>
  (await findNumberWithSettings(db.read, NUMBER))?.settings

/** The account API with two numbers that the account holds. */
async function setUp() {
  const t = await accountApiFixture()
  const first = await hold(t.db, t.account.sid, NUMBER)
  await hold(t.db, t.account.sid, '+12025550112')
  const numbering = (operation: string, body: object) =>
    t.send('POST', `/v2/numbering/${operation}/`, { apikey: t.account.secret, ...body })
  const port = (porting: 'in' | 'out') =>
    t.db.write((tx) => changeNumberSettings(tx, first.sid, { porting }, t.clock.now()))
  return Object.assign(t, { sid: first.sid, numbering, port })
}

const SHOWN = {
  carrier: 1,
  faxEnabled: false,
  translated: '',
  forward: false,
  forwardTo: null,
  number: '2025550111',
  smsEnabled: true,
  cnam: false,
  route: 3,
  user: null,
  lidb: '',
  porting: false,
}

describe('the numbers of an account', () => {
  it.each([
    ['', ['2025550111', '2025550112']],
    ['?number=0112', ['2025550112']],
    ['?number=%2B1202', ['2025550111', '2025550112']],
    ['?number=%2B202', []],
    ['?number=202', ['2025550111', '2025550112']],
    ['?number=12025550112', ['2025550112']],
    // The country digit is not among the ten that are shown.
    ['?number=1202', []],
    ['?route=3', ['2025550111', '2025550112']],
    ['?route=4', []],
    ['?number=999', []],
  ])('are listed by %s', async (query, numbers) => {
    await using t = await setUp()
    const other = await t.another('Other')
    await hold(t.db, other.sid, '+12025550113')
    const found = dataOf(await t.rest('GET', `/numbers${query}`))['numbers'] as (typeof SHOWN)[]
    expect(found.map(({ number }) => number)).toEqual(numbers)
  })

  it.each([
    '2025550111',
    '12025550111',
    '+12025550111',
    '%2B12025550111',
  ])('are found as %s', async (written) => {
    await using t = await setUp()
    expect(dataOf(await t.rest('GET', `/numbers/${written}`))).toEqual(SHOWN)
  })

  it('outside North America are listed by the digits of E.164', async () => {
    await using t = await setUp()
    await hold(t.db, t.account.sid, '+442079460018')
    for (const digits of ['4420', '%2B4420', '0018', '442079460018']) {
      const found = dataOf(await t.rest('GET', `/numbers?number=${digits}`))['numbers']
      expect(found, digits).toEqual([expect.objectContaining({ number: '+442079460018' })])
    }
  })

  it('are listed with the names of their routes in the legacy style, and none is a 404', async () => {
    await using t = await setUp()
    expect((await t.legacy('/numbers/list/', { number: '111' })).body).toEqual({
      statusCode: '200',
      status: 'Success',
      next: null,
      numbers: [{ number: '2025550111', route: 3, ip: 'VOICE_BRIDGE' }],
    })
    expect((await t.legacy('/numbers/list/', { route: 1 })).body).toMatchObject({
      statusCode: '404',
      status: 'Error',
      numbers: [],
    })
  })
})

describe('in the REST style', () => {
  it('a route of another kind leaves no user behind', async () => {
    await using t = await setUp()
    const path = '/numbers/2025550111'
    await t.rest('PUT', `${path}/route`, { route: 1, user: 'desk' })
    for (const change of [
      () => t.rest('PUT', `${path}/route`, { route: 4 }),
      () => t.rest('PATCH', path, { route: 4 }),
      () => t.legacy('/numbers/route/', { numbers: [{ number: '2025550111', route: 4 }] }),
    ]) {
      await t.rest('PUT', `${path}/route`, { route: 1, user: 'desk' })
      expect((await change()).status).toBe(200)
      expect(dataOf(await t.rest('GET', path))).toMatchObject({ route: 4, user: null })
    }
  })

  it.each([
    ['PUT', '/route', { route: 1, user: 'desk' }, { route: 1 }, { route: 1, user: 'desk' }],
    ['PUT', '/translation', { translation: '100' }, { translation: '100' }, { translated: '100' }],
    ['PUT', '/cnam', { enabled: true }, { enabled: true }, { cnam: true }],
    [
      'PUT',
      '/lidb',
      { cnam: 'ACME INC' },
      { cnam: 'ACME INC', carrierStatus: 'Local database updated' },
      { lidb: 'ACME INC' },
    ],
    [
      'PUT',
      '/forward',
      { destination: '2125550199' },
      { forwardTo: '+12125550199' },
      { forward: true, forwardTo: '+12125550199' },
    ],
  ])('%s %s answers what it has set', async (method, path, body, answered, shown) => {
    await using t = await setUp()
    const answer = await t.rest(method, `/numbers/${NUMBER}${path}`, body)
    expect(answer.status, answer.text).toBe(200)
    expect(dataOf(answer)).toEqual({ number: '2025550111', ...answered })
    expect(dataOf(await t.rest('GET', '/numbers/2025550111'))).toEqual({ ...SHOWN, ...shown })
  })

  it.each([
    '+4598765432',
    '+4722334455',
    '+6598765432',
    '+88235100012345',
  ])('PUT /forward takes %s for a number of its country', async (destination) => {
    await using t = await setUp()
    const answer = await t.rest('PUT', `/numbers/${NUMBER}/forward`, { destination })
    expect(dataOf(answer)).toEqual({ number: '2025550111', forwardTo: destination })
    expect((await settingsOf(t))?.forwardTo).toBe(destination)
  })

  it('an empty translation or name, and DELETE of a forward, undo it', async () => {
    await using t = await setUp()
    await t.rest('PUT', `/numbers/${NUMBER}/translation`, { translation: '100' })
    await t.rest('PUT', `/numbers/${NUMBER}/lidb`, { cnam: 'ACME' })
    await t.rest('PUT', `/numbers/${NUMBER}/forward`, { destination: '+442079460018' })
    await t.rest('PUT', `/numbers/${NUMBER}/translation`, { translation: '' })
    await t.rest('PUT', `/numbers/${NUMBER}/lidb`, { cnam: '' })
    expect((await t.rest('DELETE', `/numbers/${NUMBER}/forward`)).status).toBe(204)
    expect(dataOf(await t.rest('GET', '/numbers/2025550111'))).toEqual(SHOWN)
  })

  it.each([
    ['PUT', '/route', { route: 99 }, 'Route not found on account'],
    ['PUT', '/route', { route: 'x' }, 'route'],
    ['PUT', '/route', { route: 1, user: 'a b' }, 'user'],
    ['PUT', '/translation', { translation: 'x' }, 'translation'],
    ['PUT', '/translation', {}, 'Field Required: translation'],
    ['PUT', '/cnam', { enabled: 'yes' }, 'enabled'],
    ['PUT', '/lidb', { cnam: 'sixteen letters!' }, 'cnam'],
    ['PUT', '/forward', { destination: '911' }, 'destination'],
    ['PUT', '/forward', { destination: '+999999999999999' }, 'destination: a number that can be'],
    ['PUT', '/forward', { destination: '+459876543' }, 'destination: a number that can be'],
    ['PUT', '/forward', { destination: NUMBER }, 'forwarded to itself'],
    ['PATCH', '/port-out-pin', { pin: '123' }, 'pin'],
    ['PATCH', '', { route: 99 }, 'Route not found on account'],
    ['PATCH', '', { accountId: '2025550177' }, 'Account not found'],
  ])('%s %s of %j is a 400 and changes nothing', async (method, path, body, words) => {
    await using t = await setUp()
    const answer = await t.rest(method, `/numbers/${NUMBER}${path}`, body)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.text).toContain(words)
    expect(dataOf(await t.rest('GET', '/numbers/2025550111'))).toEqual(SHOWN)
  })

  it.each([
    ['GET', '', undefined],
    ['PATCH', '', { route: 3 }],
    ['DELETE', '', undefined],
    ['POST', '/release', undefined],
    ['PUT', '/route', { route: 3 }],
    ['PUT', '/translation', { translation: '1' }],
    ['PUT', '/cnam', { enabled: true }],
    ['PUT', '/lidb', { cnam: 'A' }],
    ['PUT', '/forward', { destination: '2125550199' }],
    ['DELETE', '/forward', undefined],
    ['PATCH', '/port-out-pin', { pin: '1234' }],
  ])('%s %s of a number of another account is a 404', async (method, path, body) => {
    await using t = await setUp()
    const other = await t.another('Other')
    await hold(t.db, other.sid, `+1${ABSENT}`)
    const answer = await t.rest(method, `/numbers/${ABSENT}${path}`, body)
    expect([answer.status, answer.text]).toEqual([
      404,
      expect.stringContaining('Number not found on account'),
    ])
    expect((await t.rest('GET', `/numbers/${ABSENT}`, undefined, other)).status).toBe(200)
  })

  it('sets a PIN, and a number can be removed, but not while it is porting', async () => {
    await using t = await setUp()
    const pin = await t.rest('PATCH', `/numbers/${NUMBER}/port-out-pin`, { pin: '4711' })
    expect(dataOf(pin)).toEqual({ number: '2025550111', portOutPin: '4711' })
    expect(await portOutPinOf(t.db.read, t.deps.vault, t.sid)).toBe('4711')
    await t.port('in')
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/release'],
    ] as const) {
      const answer = await t.rest(method, `/numbers/${NUMBER}${path}`)
      expect([answer.status, answer.text]).toEqual([
        409,
        expect.stringContaining('Number is porting'),
      ])
    }
    expect((await t.rest('DELETE', '/numbers/2025550112')).status).toBe(204)
    expect((await t.rest('GET', '/numbers/2025550112')).status).toBe(404)
  })
})

describe('a move', () => {
  it('gives the number to a sub-account, without its settings', async () => {
    await using t = await setUp()
    const branch = await t.accounts.create({
      friendlyName: 'Branch',
      username: '2025550188',
      profile: { masterSid: t.account.sid },
    })
    await t.rest('PUT', `/numbers/${NUMBER}/lidb`, { cnam: 'ACME' })
    const moved = await t.rest('PATCH', `/numbers/${NUMBER}`, { accountId: '2025550188', route: 4 })
    expect(moved.status, moved.text).toBe(200)
    expect(dataOf(moved)).toEqual({ ...SHOWN, route: 4 })
    expect((await t.rest('GET', `/numbers/${NUMBER}`)).status).toBe(404)
    expect((await t.rest('GET', `/numbers/${NUMBER}`, undefined, branch)).status).toBe(200)
    const back = await t.legacy(
      '/numbers/move/',
      { numbers: [{ number: '2025550111', route: 3, account: 2_025_550_100 }] },
      branch,
    )
    expect(back.body).toMatchObject({
      statusCode: '200',
      message: 'Move results',
      numbers: [{ number: '2025550111', route: 3, account: '2025550100' }],
    })
  })

  it('to an account with another payer is refused, as to one that does not exist', async () => {
    await using t = await setUp()
    const other = await t.another('Other')
    const { username } = other.profile
    const answer = await t.legacy('/numbers/move/', {
      numbers: [
        { number: '2025550111', route: 3, account: username },
        { number: '2025550112', route: 4, account: '2025550100' },
      ],
    })
    expect(answer.body).toMatchObject({
      statusCode: '409',
      numbers_success: [{ number: '2025550112', route: 4 }],
      numbers_failed: [{ number: '2025550111', reason: 'Account not found' }],
    })
    expect((await t.rest('GET', '/numbers/2025550111', undefined, other)).status).toBe(404)
  })
})

describe('a move to a sub-account that was closed', () => {
  it('is refused, and the number stays where it is', async () => {
    await using t = await setUp()
    const { sid, profile } = await t.accounts.create({
      friendlyName: 'Branch',
      profile: { masterSid: t.account.sid },
    })
    await t.accounts.setStatus(sid, 'closed')
    const moved = await t.rest('PATCH', `/numbers/${NUMBER}`, { accountId: profile.username })
    expect([moved.status, moved.text]).toEqual([400, expect.stringContaining('Account not found')])
    expect((await t.rest('GET', `/numbers/${NUMBER}`)).status).toBe(200)
  })
})

describe('in the legacy style', () => {
  it.each([
    [
      '/numbers/cnam/',
      { cnam: 'TRUE' },
      { message: 'CNAM results', numbers: [{ number: '2025550111', cnam: 'TRUE' }] },
      { looksUpCallerName: true },
    ],
    [
      '/numbers/lidb/',
      { cnam: 'ACME' },
      {
        message: 'LIDB results',
        numbers: [{ number: '2025550111', cnam: 'ACME', success: 'Local database updated' }],
      },
      { callerName: 'ACME' },
    ],
    [
      '/numbers/forward/',
      { destination: '12125550199' },
      {
        message: 'Foward results',
        foward: [{ number: '2025550111', destination: '+12125550199' }],
      },
      { forwardTo: '+12125550199' },
    ],
    [
      '/numbers/route/',
      { route: '5' },
      { message: 'Route results', numbers: [{ number: '2025550111', route: 5 }] },
      { route: 5 },
    ],
    [
      '/numbers/translations/',
      { translation: 100 },
      {
        message: 'Translation results',
        translation: [{ number: '2025550111', translation: '100' }],
      },
      { translation: '100' },
    ],
  ])('%s answers what it has set', async (path, item, answered, settings) => {
    await using t = await setUp()
    const answer = await t.legacy(path, { numbers: [{ number: 2_025_550_111, ...item }] })
    expect(answer.body).toEqual({ statusCode: '200', status: 'Success', ...answered })
    expect(await settingsOf(t)).toMatchObject(settings)
  })

  it.each([
    ['/numbers/cnam/', { cnam: 'FALSE' }, 'numbers_success', 'numbers_failed'],
    ['/numbers/lidb/', { cnam: 'ACME' }, 'numbers_success', 'numbers_fail'],
    ['/numbers/forward/', { destination: '2125550199' }, 'foward_success', 'foward_failed'],
    ['/numbers/route/', { route: 4 }, 'numbers_success', 'numbers_failed'],
    ['/numbers/translations/', { translation: '7' }, 'translation_success', 'translation_failed'],
    ['/numbers/disconnect/', {}, 'numbers_success', 'numbers_error'],
    ['/numbers/remove/', {}, 'numbers_success', 'numbers_error'],
  ])('%s with a number of nobody is a 409 that names both parts', async (path, item, done, failed) => {
    await using t = await setUp()
    const numbers = ['2025550111', ABSENT].map((number) => ({ number, ...item }))
    const answer = await t.legacy(path, { numbers })
    expect(answer.status).toBe(409)
    const { statusCode, status, message, ...named } = answer.body
    expect([statusCode, status]).toEqual(['409', 'Error'])
    expect(message).toContain(ABSENT)
    expect(named).toEqual({
      [done]: [expect.objectContaining({ number: '2025550111' })],
      [failed]: [{ number: ABSENT, reason: 'Number not found on account' }],
    })
  })

  it('DELETE of a forward answers `removed`', async () => {
    await using t = await setUp()
    await t.legacy('/numbers/forward/', {
      numbers: [{ number: '2025550111', destination: '2125550199' }],
    })
    const answer = await t.send('DELETE', '/v2.1/numbers/forward/', {
      apikey: t.account.secret,
      numbers: [{ number: '2025550111' }],
    })
    expect(answer.body).toEqual({
      statusCode: '200',
      status: 'Success',
      message: 'Foward results',
      foward: [{ number: '2025550111', destination: 'removed' }],
    })
    expect((await settingsOf(t))?.forwardTo).toBeUndefined()
  })

  it('a number that is porting is neither disconnected nor removed nor moved', async () => {
    await using t = await setUp()
    await t.port('out')
    const number = '2025550111'
    const reason = 'Number is porting'
    for (const path of ['/numbers/disconnect/', '/numbers/remove/']) {
      const answer = await t.legacy(path, { numbers: [{ number }] })
      expect(answer.body).toMatchObject({ statusCode: '409', numbers_error: [{ number, reason }] })
    }
    const item = { number, route: 3, account: '2025550100' }
    const moved = await t.legacy('/numbers/move/', { numbers: [item] })
    expect(moved.body).toMatchObject({ statusCode: '409', numbers_failed: [{ number, reason }] })
  })

  it('takes one number for PINs without its list', async () => {
    await using t = await setUp()
    const tnItem = { tn: '2025550111', portOutPin: '0042' }
    const answer = await t.numbering('portOutPinUpdate', { portOutPin: { tnList: { tnItem } } })
    expect(answer.body).toMatchObject({ portOutPin: { tnList: { tnItem: [tnItem] } } })
  })

  it.each([{}, { portOutPin: '' }])('makes a PIN that is absent (%j)', async (absent) => {
    await using t = await setUp()
    const tnItem = [
      { tn: '2025550111', portOutPin: '0042' },
      { tn: 2_025_550_112, ...absent },
      { tn: ABSENT, portOutPin: '1234' },
    ]
    const answer = await t.numbering('portOutPinUpdate', { portOutPin: { tnList: { tnItem } } })
    const made = expect.stringMatching(/^[1-9][0-9]{3}$/) as string
    expect(answer.body).toEqual({
      statusCode: '200',
      status: 'Success',
      portOutPin: {
        tnList: {
          tnItem: [
            { tn: '2025550111', portOutPin: '0042' },
            { tn: '2025550112', portOutPin: made },
          ],
        },
      },
    })
    expect(await portOutPinOf(t.db.read, t.deps.vault, t.sid)).toBe('0042')
  })

  it('answers the one PIN that a number has when the number is named twice', async () => {
    await using t = await setUp()
    const tnItem = [
      { tn: '2025550111', portOutPin: '0042' },
      { tn: 12_025_550_111, portOutPin: '0043' },
    ]
    const answer = await t.numbering('portOutPinUpdate', { portOutPin: { tnList: { tnItem } } })
    const pins = [{ tn: '2025550111', portOutPin: '0042' }]
    expect(answer.body).toMatchObject({ portOutPin: { tnList: { tnItem: pins } } })
    expect(await portOutPinOf(t.db.read, t.deps.vault, t.sid)).toBe('0042')
  })
})

describe('requests that name the same numbers in opposite orders', () => {
  const MORE = ['2025550113', '2025550114', '2025550115', '2025550116']
  const NUMBERS = ['2025550111', '2025550112', ...MORE]
  const PAIRS = Array.from({ length: 8 }, () => [NUMBERS, NUMBERS.toReversed()]).flat()

  it.each<[string, object]>([
    ['/numbers/translations/', { translation: '100' }],
    ['/messaging/routein/', { route: 'owner@acme.example' }],
  ])('all change them by %s', async (path, change) => {
    await using t = await setUp()
    for (const number of MORE) await hold(t.db, t.account.sid, `+1${number}`)
    const answers = await Promise.all(
      PAIRS.map((order, place) =>
        t.send(
          'POST',
          `/v2.1${path}`,
          { numbers: order.map((number) => ({ number, ...change })) },
          { key: t.account.secret, headers: { 'idempotency-key': `crossing-${place}` } },
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(PAIRS.map(() => 200))
  })
})
