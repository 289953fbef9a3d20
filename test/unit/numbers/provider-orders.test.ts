import { describe, expect, it } from 'vitest'
import { createHttpSeller } from '../../../src/numbers/http-seller.js'
import {
  ORDER_KEPT_MS,
  startOrderRetention,
} from '../../../src/numbers/provider/order-retention.js'
import { ProviderOrders } from '../../../src/numbers/provider-orders.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { type Answer, accountApiFixture } from '../../support/account/account-api-fixture.js'
import { FakeNumberProvider, type Fault } from '../../support/numbers/fake-number-provider.js'
import { hold, stock, stocked } from '../../support/numbers/stock.js'
import { SUBSCRIBER } from '../../support/porting/port-samples.js'
import { waitUntil } from '../../support/time/wait-until.js'

const DID = 1_250_000
const PRICE = 12_500
const FUNDS = 100_000
const [A, B, C] = ['+17755550111', '+17755550112', '+17755550113'] as const
const ten = (e164: string) => e164.slice(2)
const DAY_MS = 24 * 3_600_000

/** The account API beside a provider that has three numbers, at 1.25 dollars a month. */
async function setUp() {
  const provider = new FakeNumberProvider([A, B, C])
  const server = { url: 'https://numbers.example', token: 'secret' }
  const seller = createHttpSeller(provider.outbound, server)
  const t = await accountApiFixture({}, { seller })
  const now = t.clock.now()
  await t.db.write((tx) => changeAccountRates(tx, t.account.sid, { did: DID }, now))
  await t.fund(FUNDS / 10_000)
  const { providerOrders } = t
  if (providerOrders === undefined) throw new Error('the fixture has orders at a seller')
  const order = (numbers: readonly unknown[], key?: string): Promise<Answer> =>
    t.send(
      'POST',
      '/v2.2/orders',
      { numbers },
      { key: t.account.secret, headers: key === undefined ? {} : { 'idempotency-key': key } },
    )
  const money = async () =>
    await t.db.read
      .selectFrom('ledger_balances')
      .select(['amount', 'reserved'])
      .where('accountSid', '=', t.account.sid)
      .executeTakeFirst()
  const states = async () =>
    (await t.db.read.selectFrom('number_orders').select('state').orderBy('id').execute()).map(
      ({ state }) => state,
    )
  const numbers = async () => {
    const rows = await t.db.read
      .selectFrom('phone_numbers')
      .select('phoneNumber')
      .where('accountSid', '=', t.account.sid)
      .orderBy('phoneNumber')
      .execute()
    return rows.map((row) => row.phoneNumber)
  }
  /** Turns the clock and lets the orders go on until all have ended. */
  const settle = async (ms = 1_000) => {
    await waitUntil('every order has ended', async () => {
      t.clock.turn(ms)
      providerOrders.wake()
      return (await states()).every((state) => state !== 'placing')
    })
  }
  const others = { provider, seller, providerOrders, order, money, states, numbers, settle }
  return Object.assign(t, others)
}

const dataOf = ({ body }: Answer) => body['data'] as Readonly<Record<string, unknown>>

describe('an order of numbers that only the provider has', () => {
  it('brings the numbers, charges them, and is placed under its own key', async () => {
    await using t = await setUp()
    const answer = await t.order([ten(A), { number: B, route: 3 }])
    expect(answer.status, answer.text).toBe(201)
    expect(dataOf(answer)).toMatchObject({
      amountCharged: 2.5,
      numbersOrdered: [ten(A), ten(B)],
      failed: [],
    })
    const id = String(dataOf(answer)['orderId'])
    expect(t.provider.placed).toEqual(new Map([[id, 1]]))
    expect(await t.numbers()).toEqual([A, B])
    expect(await t.money()).toEqual({ amount: FUNDS - 2 * PRICE, reserved: 0 })
    const held = await t.rest('GET', `/numbers/${ten(B)}`)
    expect(dataOf(held)).toMatchObject({ number: ten(B), route: 3 })
  })

  it('names each number that could not be had, and charges only the rest', async () => {
    await using t = await setUp()
    const other = await t.another('Other')
    await hold(t.db, other.sid, C)
    await stock(t.db, [stocked('+12025550111')])
    t.provider.stock.delete(B)
    const answer = await t.order([A, B, C, A, '2025550111', { number: '7755550119', route: 77 }])
    expect(answer.status, answer.text).toBe(201)
    expect(dataOf(answer)).toMatchObject({
      amountCharged: 2.5,
      numbersOrdered: [ten(A), '2025550111'],
      failed: [
        { number: ten(B), reason: 'Sold to somebody else' },
        { number: ten(C), reason: 'Number is not available' },
        { number: ten(A), reason: 'Number is named twice' },
        { number: '7755550119', reason: 'Route not found on account' },
      ],
    })
    expect(t.provider.stock).toEqual(new Set([C]))
    expect(await t.money()).toEqual({ amount: FUNDS - 2 * PRICE, reserved: 0 })
  })

  it('are not bought while another account has them in a port', async () => {
    await using t = await setUp()
    const other = await t.another('Other')
    await t.fund(10, other)
    await t.rest('GET', `/ports/availability/${ten(A)}`, undefined, other)
    const port = await t.rest('POST', '/ports', { did: [ten(A)], ...SUBSCRIBER }, other)
    expect(port.status, port.text).toBe(201)
    expect(dataOf(await t.order([ten(A), ten(B)]))).toMatchObject({
      numbersOrdered: [ten(B)],
      failed: [{ number: ten(A), reason: 'Number is not available' }],
    })
    expect([...t.provider.stock]).toEqual([A, C])
    const found = dataOf(await t.rest('GET', '/inventory?tnMask=775&quantity=10'))
    expect(found['numbers']).toMatchObject([{ number: ten(C) }])
  })

  it('beyond the balance is a 402, and the provider hears nothing of it', async () => {
    await using t = await setUp()
    await t.db.write((tx) =>
      changeAccountRates(tx, t.account.sid, { did: 4_000_000 }, t.clock.now()),
    )
    const answer = await t.order([A, B, C])
    expect(answer.status).toBe(402)
    expect(t.provider.requests).toEqual([])
    expect(await t.money()).toEqual({ amount: FUNDS, reserved: 0 })
    expect(await t.states()).toEqual([])
  })

  it('with a key happens once; the same key for other numbers is a 409', async () => {
    await using t = await setUp()
    const first = await t.order([A], 'order_1')
    const again = await t.order([A], 'order_1')
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect((await t.order([B], 'order_1')).status).toBe(409)
    expect([...t.provider.placed.values()]).toEqual([1])
    expect(await t.money()).toEqual({ amount: FUNDS - PRICE, reserved: 0 })
  })

  it('under a key that another operation has used is a 409, and the provider hears nothing', async () => {
    await using t = await setUp()
    const headers = { 'idempotency-key': 'used' }
    const body = { gateway: 'pbx.example.com' }
    const key = t.account.secret
    expect((await t.send('POST', '/v2.2/gateways', body, { key, headers })).status).toBe(201)
    expect((await t.order([A], 'used')).status).toBe(409)
    expect(t.provider.requests).toEqual([])
  })

  it('with a key that is too long is a 400 in each style, and the provider hears nothing', async () => {
    await using t = await setUp()
    const headers = { 'idempotency-key': 'x'.repeat(256) }
    const body = { numbers: [{ number: ten(A) }] }
    for (const path of ['/v2.2/orders', '/v2.2/numbers', '/v2.1/numbers/add/']) {
      const answer = await t.send('POST', path, body, { key: t.account.secret, headers })
      expect(answer.status, path).toBe(400)
    }
    expect(t.provider.requests).toEqual([])
  })

  it('shows what the provider says of a refusal as plain text, however odd it is', async () => {
    await using t = await setUp()
    const numbers = [
      { number: A, ordered: false, reason: `No\r\n\u0000${'x'.repeat(5_000)}` },
      { number: B, ordered: false, reason: { a: 1 } },
      { number: C, ordered: true, capabilities: 'all' },
    ]
    t.provider.fail('POST', { status: 200, body: { numbers } })
    expect(dataOf(await t.order([A, B, C]))).toMatchObject({
      numbersOrdered: [ten(C)],
      failed: [
        { number: ten(A), reason: `No ${'x'.repeat(197)}` },
        { number: ten(B), reason: 'Number is not available' },
      ],
    })
  })

  it('in the legacy styles answers with their keys', async () => {
    await using t = await setUp()
    const added = await t.legacy('/numbers/add/', { numbers: [{ number: ten(A) }] })
    expect(added.body).toMatchObject({ statusCode: '200', numbers: [{ number: ten(A), route: 4 }] })
    const tnOrder = { customerOrderReference: 'mine', tnList: { tnItem: [{ tn: B }, { tn: A }] } }
    const ordered = await t.send('POST', '/v2/numbering/tnOrder/', {
      apikey: t.account.secret,
      tnOrder,
    })
    expect(ordered.body).toMatchObject({
      statusCode: '409',
      numbers_success: [{ number: ten(B), route: 4 }],
      numbers_failed: [{ number: ten(A), reason: 'Number is on the account already' }],
    })
    const entries = await t.db.read.selectFrom('ledger_entries').select('description').execute()
    expect(entries.some(({ description }) => description.includes('(mine): 1 numbers'))).toBe(true)
  })
})

/** Every way in which a first request can fail without an end of the order. */
const PASSING: readonly (readonly [title: string, fault: Fault])[] = [
  ['that never arrives', 'lost'],
  ['whose answer is lost', 'answer-lost'],
  ['that meets a 503', { status: 503 }],
  ['that meets a 429', { status: 429 }],
  ['that is redirected', { status: 302 }],
  ['that is under way', { status: 202 }],
  ['that crosses another of its key', { status: 409 }],
  ['whose answer is no JSON', { obeyed: true, status: 200, body: '<html>' }],
  ['whose answer is of another shape', { obeyed: true, status: 201, body: { numbers: 'all' } }],
  ['whose answer leaves a number out', { obeyed: true, status: 200, body: { numbers: [] } }],
  [
    'whose answer names another number',
    { obeyed: true, status: 200, body: { numbers: [{ number: C, ordered: true }] } },
  ],
  [
    'whose answer has a number with a line feed',
    { obeyed: true, status: 200, body: { numbers: [{ number: `${A}\n`, ordered: true }] } },
  ],
]

describe('an order whose first request', () => {
  it.each(PASSING)('%s is placed once and settled later', async (_title, fault) => {
    await using t = await setUp()
    t.provider.fail('POST', fault)
    const answer = await t.order([A, B], 'key')
    expect(answer.status, answer.text).toBe(502)
    expect(await t.numbers()).toEqual([])
    expect(await t.money()).toEqual({ amount: FUNDS, reserved: 2 * PRICE })
    await t.settle()
    expect(await t.numbers()).toEqual([A, B])
    expect([...t.provider.placed.values()]).toEqual([1])
    expect(await t.money()).toEqual({ amount: FUNDS - 2 * PRICE, reserved: 0 })
    const again = await t.order([A, B], 'key')
    expect(again.status).toBe(201)
    expect(dataOf(again)).toMatchObject({ amountCharged: 2.5, numbersOrdered: [ten(A), ten(B)] })
    expect([...t.provider.placed.values()]).toEqual([1])
  })

  it.each([
    400, 401, 402, 403, 404, 422,
  ])('is refused with %i brings nothing and costs nothing', async (status) => {
    await using t = await setUp()
    t.provider.fail('POST', { status, body: { message: 'No contract' } })
    const answer = await t.order([A])
    expect(dataOf(answer)).toMatchObject({
      amountCharged: 0,
      numbersOrdered: [],
      failed: [{ number: ten(A), reason: 'No contract' }],
    })
    expect(await t.money()).toEqual({ amount: FUNDS, reserved: 0 })
  })

  it('is never answered is given up after a day, and all of it is given back', async () => {
    await using t = await setUp()
    t.provider.fail('POST', 'answer-lost')
    t.provider.fail('GET', ...Array.from({ length: 50 }, () => ({ status: 500 })))
    expect((await t.order([A, B], 'key')).status).toBe(502)
    await t.settle(DAY_MS)
    expect(await t.states()).toEqual(['abandoned'])
    expect(await t.money()).toEqual({ amount: FUNDS, reserved: 0 })
    const again = await t.order([A, B], 'key')
    // The key is older than a day by then: this is a new order.
    expect(again.status).toBe(201)
    await waitUntil('both are given back', () => {
      t.providerOrders.wake()
      return t.provider.givenBack.length === 2
    })
    expect(t.provider.givenBack.toSorted()).toEqual([A, B])
  })
})

describe('a number that an account gives back', () => {
  it('goes back to the provider, once, however often the provider fails', async () => {
    await using t = await setUp()
    await t.order([A])
    t.provider.fail('DELETE', 'answer-lost', { status: 500 })
    expect((await t.rest('DELETE', `/numbers/${ten(A)}`)).status).toBe(204)
    await waitUntil('the provider has it', async () => {
      t.clock.turn(1_000)
      t.providerOrders.wake()
      const rows = await t.db.read.selectFrom('number_give_backs').selectAll().execute()
      return rows.length === 0
    })
    expect(t.provider.givenBack).toEqual([A])
    expect((await t.order([A])).status).toBe(201)
    expect(await t.numbers()).toEqual([A])
  })

  it('stays with its order while it moves to another account', async () => {
    await using t = await setUp()
    const profile = { masterSid: t.account.sid }
    const sub = await t.accounts.create({ friendlyName: 'Sub', profile })
    await t.order([A])
    const moved = await t.rest('PATCH', `/numbers/${ten(A)}`, { accountId: sub.sid, route: 4 })
    expect(moved.status, moved.text).toBe(200)
    expect(await t.db.read.selectFrom('number_give_backs').selectAll().execute()).toEqual([])
    expect((await t.rest('DELETE', `/numbers/${ten(A)}`, undefined, sub)).status).toBe(204)
    await waitUntil('the provider has it', () => {
      t.providerOrders.wake()
      return t.provider.givenBack.length === 1
    })
  })

  it('does not go to the provider when it came from elsewhere', async () => {
    await using t = await setUp()
    await t.hold('2025550111')
    expect((await t.rest('DELETE', '/numbers/2025550111')).status).toBe(204)
    expect(await t.db.read.selectFrom('number_give_backs').selectAll().execute()).toEqual([])
  })
})

describe('a number that the provider sold', () => {
  it('although another account holds it stays there', async () => {
    await using t = await setUp()
    t.provider.fail('POST', 'answer-lost')
    expect((await t.order([A, B], 'key')).status).toBe(502)
    const other = await t.another('Other')
    await hold(t.db, other.sid, A)
    await t.settle()
    expect(await t.numbers()).toEqual([B])
    const again = await t.order([A, B], 'key')
    expect(dataOf(again)).toMatchObject({
      amountCharged: 1.25,
      failed: [{ number: ten(A), reason: 'Number is not available' }],
    })
    expect(t.provider.givenBack).toEqual([])
  })

  it('to an account that was closed meanwhile goes back', async () => {
    await using t = await setUp()
    t.provider.fail('POST', 'answer-lost')
    expect((await t.order([A], 'key')).status).toBe(502)
    await t.db.write((tx) =>
      tx
        .updateTable('accounts')
        .set({ status: 'closed' })
        .where('sid', '=', t.account.sid)
        .execute(),
    )
    await t.settle()
    await waitUntil('the provider has it', () => {
      t.providerOrders.wake()
      return t.provider.givenBack.length === 1
    })
    expect(await t.numbers()).toEqual([])
    expect(await t.money()).toEqual({ amount: FUNDS, reserved: 0 })
  })
})

describe('search and coverage', () => {
  it('show the numbers of the provider beside the inventory, less those that accounts hold', async () => {
    await using t = await setUp()
    await stock(t.db, [stocked('+12025550111'), stocked(B)])
    await hold(t.db, t.account.sid, C)
    const found = await t.rest('GET', '/inventory?tnMask=xxxxxxxxxx&quantity=10')
    expect(dataOf(found)['numbers']).toEqual([
      expect.objectContaining({ number: '2025550111', city: 'Washington' }),
      { number: ten(A), city: 'Reno', province: 'NV', rateCenter: 'RENO', lata: '720' },
      expect.objectContaining({ number: ten(B), city: 'Washington' }),
    ])
    const covered = await t.rest('GET', '/inventory/coverage?countBy=state')
    expect(dataOf(covered)['coverage']).toMatchObject([
      { locState: 'DC', count: 2 },
      { locState: 'NV', count: 3 },
    ])
  })

  it.each<[string, Fault]>([
    ['does not answer', 'lost'],
    ['answers 500', { status: 500 }],
    ['sends HTML', { status: 200, body: '<html>' }],
    ['sends other shapes', { status: 200, body: { numbers: [{ number: 1 }], groups: [{}] } }],
    ['redirects', { status: 301 }],
  ])('are a 502 while the provider %s, and work again after it', async (_title, fault) => {
    await using t = await setUp()
    const paths = ['/inventory?tnMask=775', '/inventory/coverage?countBy=state']
    t.provider.fail('GET', fault, fault)
    for (const path of paths) expect((await t.rest('GET', path)).status).toBe(502)
    for (const path of paths) expect((await t.rest('GET', path)).status).toBe(200)
  })

  it('leave out what does not fit, and end when pages bring nothing new', async () => {
    await using t = await setUp()
    const numbers = [{ number: A }, { number: '+12125550100' }, { number: A }]
    t.provider.fail('GET', { status: 200, body: { numbers } }, { status: 200, body: { numbers } })
    const found = await t.rest('GET', '/inventory?tnMask=775&quantity=3')
    expect(dataOf(found)['numbers']).toMatchObject([{ number: ten(A) }])
  })
})

describe('a process that dies', () => {
  it('before its request leaves an order that the next one places', async () => {
    await using t = await setUp()
    t.provider.fail('POST', 'lost')
    expect((await t.order([A], 'key')).status).toBe(502)
    await expectResumed(t)
  })

  it('after its request leaves an order that the next one finds by its key', async () => {
    await using t = await setUp()
    t.provider.fail('POST', 'answer-lost')
    expect((await t.order([A], 'key')).status).toBe(502)
    await expectResumed(t)
  })
})

/** A new process on the same database settles the order, even one that the first had claimed. */
async function expectResumed(t: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  await t.providerOrders[Symbol.asyncDispose]()
  const claim = { claimedBy: t.db.node, claimedUntil: Number.MAX_SAFE_INTEGER }
  await t.db.write((tx) => tx.updateTable('number_orders').set(claim).execute())
  t.clock.turn(1_000)
  await using next = new ProviderOrders({ ...t.ordering, log: t.deps.log, seller: t.seller })
  await next.start()
  await waitUntil('the order has ended', async () => (await t.states())[0] === 'settled')
  expect([...t.provider.placed.values()]).toEqual([1])
  expect(await t.numbers()).toEqual([A])
  expect(await t.money()).toEqual({ amount: FUNDS - PRICE, reserved: 0 })
}

describe('orders that are over', () => {
  it('are removed 90 days after their end, and the charge and the number stay', async () => {
    await using t = await setUp()
    expect((await t.order([A])).status).toBe(201)
    t.clock.turn(ORDER_KEPT_MS)
    expect((await t.order([C])).status).toBe(201)
    t.clock.turn(1)
    await using _retention = startOrderRetention({ db: t.db, clock: t.clock, log: t.deps.log })
    const wanted = async () =>
      (await t.db.read.selectFrom('number_orders').select('wanted').execute()).map(
        (row) => /\+\d+/.exec(row.wanted)?.[0],
      )
    await expect.poll(wanted).toEqual([C])
    expect(await t.money()).toEqual({ amount: FUNDS - 2 * PRICE, reserved: 0 })
    expect(await t.numbers()).toEqual([A, C])
    // The provider gets a number back by the name of its order, which is gone here.
    expect((await t.rest('DELETE', `/numbers/${ten(A)}`)).status).toBe(204)
    await waitUntil('the provider has it', () => {
      t.providerOrders.wake()
      return t.provider.givenBack.includes(A)
    })
  })
})

describe('two nodes', () => {
  it('place and settle each order once, whoever finds it', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => `+1775555${String(1_000 + index)}`)
    await using t = await setUp()
    for (const number of numbers) t.provider.stock.add(number)
    await t.fund(1_000)
    t.provider.fail('POST', ...numbers.map((): Fault => 'answer-lost'))
    const answers = await Promise.all(numbers.map((number) => t.order([number])))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]))
    await using db = await openDatabase(t.place, MIGRATIONS, 'b')
    await using other = new ProviderOrders({
      ...t.ordering,
      db,
      log: t.deps.log,
      seller: t.seller,
    })
    await waitUntil('every order has ended', async () => {
      t.clock.turn(1_000)
      for (const each of [t.providerOrders, other]) each.wake()
      return (await t.states()).every((state) => state === 'settled')
    })
    expect(await t.numbers()).toEqual(numbers)
    expect(new Set(t.provider.placed.values())).toEqual(new Set([1]))
    const entries = await t.db.read
      .selectFrom('ledger_entries')
      .select('entryKey')
      .where('cause', '=', 'number')
      .execute()
    expect(entries).toHaveLength(numbers.length)
  })
})
