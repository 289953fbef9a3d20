import { describe, expect, it } from 'vitest'
import { COVERAGE_KEPT_MS } from '../../../src/numbers/coverage.js'
import type { Database } from '../../../src/platform/database/database.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import { type Answer, accountApiFixture } from '../../support/account/account-api-fixture.js'
import { quietLedger } from '../../support/billing/quiet-ledger.js'
import { hold, stock, stocked } from '../../support/numbers/stock.js'
import { interrupted } from '../../support/process/interrupted-database.js'

type Fixture = Awaited<ReturnType<typeof accountApiFixture>>

const DID = 1_250_000
const dataOf = ({ body }: Answer) => body['data'] as Readonly<Record<string, unknown>>

/** The account API with three numbers to order, at 1.25 dollars a month, and a balance. */
async function setUp(
  balance = 100_000,
  ...fixture: Parameters<typeof accountApiFixture>
): Promise<Fixture> {
  const t = await accountApiFixture(...fixture)
  await stock(t.db, [stocked('+12025550111'), stocked('+12025550112'), stocked('+12025550113')])
  const now = t.clock.now()
  await t.db.write((tx) => changeAccountRates(tx, t.account.sid, { did: DID }, now))
  await t.db.write((tx) =>
    quietLedger().post(tx, {
      key: 'opening',
      accountSid: t.account.sid,
      cause: 'credit',
      reference: '',
      amount: balance,
      description: 'Opening',
      at: now,
    }),
  )
  return t
}

const balanceOf = async ({ db, account }: Fixture) => {
  const row = await db.read
    .selectFrom('ledger_balances')
    .select('amount')
    .where('accountSid', '=', account.sid)
    .executeTakeFirst()
  return row?.amount
}
const charges = async ({ db }: Fixture) =>
  await db.read
    .selectFrom('ledger_recurring_charges')
    .select(['amount', 'description', 'endedAt'])
    .orderBy('description')
    .execute()
const held = async ({ rest }: Fixture) =>
  (dataOf(await rest('GET', '/numbers'))['numbers'] as { number: string; route: number }[]).map(
    ({ number, route }) => [number, route],
  )

describe('an order of an account that another one pays for', () => {
  it.each([
    ['no rate of its own', undefined, 1.25],
    ['a rate of its own', 500_000, 0.5],
    ['a rate of zero', 0, 0],
  ])('is paid by its master, with %s', async (_, did, dollars) => {
    await using t = await setUp()
    const account = await t.accounts.create({
      friendlyName: 'sub',
      profile: { masterSid: t.account.sid },
    })
    const now = t.clock.now()
    if (did !== undefined)
      await t.db.write((tx) => changeAccountRates(tx, account.sid, { did }, now))
    const answer = await t.rest('POST', '/orders', { numbers: ['2025550111'] }, account)
    expect(answer.body).toMatchObject({ data: { amountCharged: dollars } })
    expect(await balanceOf(t)).toBe(100_000 - dollars * 10_000)
  })
})

describe('an order', () => {
  it('of an account that is closed at that moment gets nothing', async () => {
    let next: ReturnType<typeof interrupted>['next'] | undefined
    const watch = (db: Database) => {
      const seen = interrupted(db)
      next = seen.next
      return seen.db
    }
    await using t = await setUp(100_000, {}, { watch })
    if (next !== undefined) next.first = () => t.accounts.setStatus(t.account.sid, 'closed')
    const answer = await t.rest('POST', '/orders', { numbers: ['2025550111'] })
    expect(answer.status, answer.text).toBe(409)
    const { numbers } = t.deps.numbering
    expect(await numbers.list(t.account.sid, {}, 10)).toEqual([])
    expect([await balanceOf(t), await charges(t)]).toEqual([100_000, []])
  })

  it('charges the DID rate for each number, and goes to the routes that it names', async () => {
    await using t = await setUp()
    const numbers = ['2025550111', { number: '+12025550112', route: 3 }, 12_025_550_113]
    const answer = await t.rest('POST', '/orders', { numbers })
    expect(answer.status, answer.text).toBe(201)
    expect(answer.body).toEqual({
      status: 'success',
      data: {
        amountCharged: 3.75,
        numbersOrdered: ['2025550111', '2025550112', '2025550113'],
        orderId: expect.stringMatching(/^\d{17}-[0-9a-f]{8}$/) as string,
        failed: [],
      },
    })
    expect(await held(t)).toEqual([
      ['2025550111', 4],
      ['2025550112', 3],
      ['2025550113', 4],
    ])
    expect(await balanceOf(t)).toBe(100_000 - 37_500)
    const monthly = { amount: 12_500, endedAt: null }
    expect(await charges(t)).toEqual([
      { description: 'Number +12025550111', ...monthly },
      { description: 'Number +12025550112', ...monthly },
      { description: 'Number +12025550113', ...monthly },
    ])
  })

  it('names what cannot be had, with the reason, and charges only the rest', async () => {
    await using t = await setUp()
    const other = await t.another('Other')
    await hold(t.db, other.sid, '+12025550112')
    await hold(t.db, t.account.sid, '+12025550113')
    const numbers = [
      '2025550112',
      '2025550111',
      '2025550111',
      '2025550113',
      '2125550100',
      { number: '2025550111', route: 99 },
    ]
    const answer = await t.rest('POST', '/orders', { numbers })
    expect(dataOf(answer)).toMatchObject({
      amountCharged: 1.25,
      numbersOrdered: ['2025550111'],
      failed: [
        { number: '2025550112', reason: 'Number is not available' },
        { number: '2025550111', reason: 'Number is named twice' },
        { number: '2025550113', reason: 'Number is on the account already' },
        { number: '2125550100', reason: 'Number is not available' },
        { number: '2025550111', reason: 'Number is named twice' },
      ],
    })
    expect(await balanceOf(t)).toBe(100_000 - 12_500)
  })

  it('beyond the balance is a 402 that leaves nothing behind, in each style', async () => {
    await using t = await setUp(24_999)
    const message = 'The balance does not cover the monthly rate of these numbers'
    const numbers = ['2025550111', '2025550112']
    const answer = await t.rest('POST', '/orders', { numbers })
    expect(answer.status).toBe(402)
    expect(answer.body).toEqual({ status: 'error', error: { code: 402, message } })
    const added = await t.legacy('/numbers/add/', {
      numbers: numbers.map((number) => ({ number })),
    })
    expect(added.body).toEqual({ statusCode: '402', status: 'Error', message })
    expect(await held(t)).toEqual([])
    expect(await charges(t)).toEqual([])
    expect(await balanceOf(t)).toBe(24_999)
  })

  it('with a key happens once, however often it is sent', async () => {
    await using t = await setUp()
    const order = () =>
      t.send(
        'POST',
        '/v2.2/orders',
        { numbers: ['2025550111'] },
        {
          key: t.account.secret,
          headers: { 'idempotency-key': 'order_1-a' },
        },
      )
    const first = await order()
    const second = await order()
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await balanceOf(t)).toBe(100_000 - 12_500)
  })

  it('races with others for the same numbers, and each number is sold once', async () => {
    await using t = await setUp()
    const others = await Promise.all(['A', 'B', 'C', 'D'].map((name) => t.another(name)))
    const numbers = ['2025550113', '2025550111', '2025550112']
    const orders = [...others, ...others].map((account, index) =>
      t.send(
        'POST',
        '/v2.2/orders',
        { numbers: numbers.toSorted(() => (index % 2) - 0.5) },
        {
          key: account.secret,
          headers: { 'idempotency-key': `race-${index}` },
        },
      ),
    )
    const answers = await Promise.all(orders)
    expect(answers.map(({ status }) => status)).toEqual(orders.map(() => 201))
    const sold = answers.flatMap((answer) => dataOf(answer)['numbersOrdered'] as string[])
    expect(sold.toSorted()).toEqual(['2025550111', '2025550112', '2025550113'])
  })

  it.each([
    ['a key with a space', 'a b'],
    ['a key of 129 characters', 'x'.repeat(129)],
  ])('with %s is a 400', async (_title, key) => {
    await using t = await setUp()
    const answer = await t.send(
      'POST',
      '/v2.2/orders',
      { numbers: ['2025550111'] },
      {
        key: t.account.secret,
        headers: { 'idempotency-key': key },
      },
    )
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Idempotency-Key')
    expect(await held(t)).toEqual([])
  })

  it.each([
    ['no numbers', [], 'numbers'],
    ['101 numbers', Array.from({ length: 101 }, () => '2025550111'), 'numbers'],
    ['a number of nine digits', ['202555011'], 'numbers.0.number: '],
    ['a list of a number', [['2025550111']], 'numbers.0: '],
    ['nothing', [null], 'Field Required: numbers.0'],
    ['a route that is no integer', [{ number: '2025550111', route: 1.5 }], 'numbers.0.route: '],
    [
      'a campaign that is none',
      [{ number: '2025550111', campaignId: 'x' }],
      'numbers.0.campaignId: ',
    ],
  ])('of %s is a 400 that names the field', async (_title, numbers, field) => {
    await using t = await setUp()
    const answer = await t.rest('POST', '/orders', { numbers })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(field)
  })

  it('takes no reference of two lines: it is in the ledger', async () => {
    await using t = await setUp()
    const answer = await t.send('POST', '/v2/numbering/tnOrder/', {
      apikey: t.account.secret,
      tnOrder: { customerOrderReference: 'PO\r\n7', tnList: { tnItem: { tn: '2025550111' } } },
    })
    expect(answer.status).toBe(400)
    expect(answer.body['message']).toBe(
      'tnOrder.customerOrderReference: one line of text is expected',
    )
    expect(await held(t)).toEqual([])
  })

  it('below /v2 answers with its id, and with 409 when a part failed', async () => {
    await using t = await setUp()
    const order = (tnItem: unknown) =>
      t.send('POST', '/v2/iNumbering/tnOrder', {
        apikey: t.account.secret,
        tnOrder: { customerOrderReference: 'PO 7', tnList: { tnItem } },
      })
    const whole = await order({ tn: '2025550111', route: 3 })
    expect(whole.body).toMatchObject({ statusCode: '200', status: 'Success' })
    const part = await order([{ tn: '2025550111' }, { tn: '2025550112' }])
    expect(part.body).toMatchObject({
      statusCode: '409',
      status: 'Error',
      orderId: expect.any(String) as string,
      numbers_success: [{ number: '2025550112', route: 4 }],
      numbers_failed: [{ number: '2025550111', reason: 'Number is on the account already' }],
    })
    const entries = await t.db.read
      .selectFrom('ledger_entries')
      .select('description')
      .where('cause', '=', 'number')
      .execute()
    expect(entries.map(({ description }) => description)).toEqual([
      expect.stringContaining('(PO 7): 1 numbers') as string,
      expect.stringContaining('(PO 7): 1 numbers') as string,
    ])
  })
})

describe('numbers that are added', () => {
  it('are charged as ordered ones, in each style', async () => {
    await using t = await setUp()
    const added = await t.rest('POST', '/numbers', { numbers: ['2025550111'] })
    expect(added.status).toBe(201)
    const number = { number: '2025550111', route: 4 }
    expect(dataOf(added)).toEqual({ amountCharged: 1.25, numbers: [number] })
    const legacy = await t.legacy('/numbers/add/', {
      numbers: [{ number: 2_025_550_112, route: '3' }],
    })
    expect(legacy.body).toMatchObject({
      message: 'Numbers added',
      numbers: [{ number: '2025550112', route: 3 }],
    })
    expect(await balanceOf(t)).toBe(100_000 - 25_000)
  })

  it('are kept when others of the request fail, and both are named', async () => {
    await using t = await setUp()
    const failed = [{ number: '2125550100', reason: 'Number is not available' }]
    const rest = await t.rest('POST', '/numbers', { numbers: ['2025550111', '2125550100'] })
    expect(rest.status).toBe(409)
    expect(dataOf(rest)).toMatchObject({ numbers: [{ number: '2025550111' }], failed })
    const legacy = await t.legacy('/numbers/add/', {
      numbers: [{ number: '2025550112' }, { number: '2125550100' }],
    })
    expect(legacy.body).toMatchObject({
      statusCode: '409',
      numbers_success: [{ number: '2025550112', route: 4 }],
      numbers_fail: failed,
    })
  })
})

describe('the monthly charge', () => {
  it('begins with the next month, and ends with the number', async () => {
    await using t = await setUp()
    await t.rest('POST', '/orders', { numbers: ['2025550111', '2025550112'] })
    await t.rest('DELETE', '/numbers/2025550111')
    const all = await charges(t)
    expect(all.map(({ endedAt }) => endedAt === null)).toEqual([false, true])
    expect(await balanceOf(t)).toBe(100_000 - 25_000)
    const again = await t.rest('POST', '/orders', { numbers: ['2025550111'] })
    expect(dataOf(again)).toMatchObject({ numbersOrdered: ['2025550111'], failed: [] })
  })
})

describe('the search of the inventory', () => {
  const searched = async (t: Fixture, query: string) => {
    const answer = await t.rest('GET', `/inventory?${query}`)
    const found = dataOf(answer)['numbers'] as { number: string }[]
    return found.map(({ number }) => number)
  }

  it.each([
    ['a mask', 'tnMask=20255501x2', ['2025550112']],
    ['a mask with wildcards at its beginning', 'tnMask=xxxxxxx113', ['2025550113']],
    ['a prefix', 'tnMask=202555&quantity=2', ['2025550111', '2025550112']],
    ['a prefix with a star', 'tnMask=202555*', ['2025550111', '2025550112', '2025550113']],
    ['a state', 'tnMask=xxxxxxxxxx&province=va', ['7035550100']],
    ['a rate center and a LATA', 'tnMask=xxxxxxxxxx&rateCenter=ARLINGTON&lata=236', ['7035550100']],
    ['a rate center in small letters', 'tnMask=7xxxxxxxxx&rateCenter=arlington', ['7035550100']],
    ['a rate center alone', 'tnMask=xxxxxx01xx&rateCenter=Arlington', ['7035550100']],
    ['nothing that there is', 'tnMask=212xxxxxxx', []],
  ])('finds by %s', async (_title, query, numbers) => {
    await using t = await setUp()
    await stock(t.db, [stocked('+17035550100', { region: 'VA', rateCenter: 'ARLINGTON' })])
    expect(await searched(t, query)).toEqual(numbers)
  })

  it('shows the place of each number, in each style', async () => {
    await using t = await setUp()
    const place = { city: 'Washington', province: 'DC', rateCenter: 'WASHINGTON' }
    const rest = await t.rest('GET', '/inventory?tnMask=2025550111')
    expect(dataOf(rest)).toEqual({ numbers: [{ number: '2025550111', ...place, lata: '236' }] })
    const legacy = await t.send('POST', '/v2/numbering/tnInventory/', {
      apikey: t.account.secret,
      tnMask: '2025550111',
      quantity: '5',
    })
    const found = { telephoneNumber: '2025550111', ...place, lata: 236 }
    expect(legacy.body['tnResult']).toEqual([found])
  })

  it('does not show a number that somebody holds', async () => {
    await using t = await setUp()
    const other = await t.another('Other')
    await hold(t.db, other.sid, '+12025550111')
    expect(await searched(t, 'tnMask=202xxxxxxx')).toEqual(['2025550112', '2025550113'])
  })

  it.each([
    ['tnMask=20255501111', 400],
    ['tnMask=2025!50111', 400],
    ['tnMask=202&quantity=0', 400],
    ['tnMask=202&quantity=1001', 400],
    ['tnMask=202&quantity=', 200],
    ['tnMask=202&quantity=1e1', 400],
    ['tnMask=202&province=&rateCenter=&lata=', 200],
    ['tnMask=', 400],
    ['', 400],
  ])('with "%s" is a %i', async (query, status) => {
    await using t = await setUp()
    expect((await t.rest('GET', `/inventory?${query}`)).status).toBe(status)
  })

  it.each([
    ['tnMask', ''],
    ['tnMask', ['202']],
    ['quantity', true],
    ['quantity', [2]],
    ['quantity', '2.5'],
    ['lata', false],
    ['lata', ''],
  ])('of the legacy style with %s %j is a 400 that names it', async (field, value) => {
    await using t = await setUp()
    const body = { apikey: t.account.secret, tnMask: '202xxxxxxx', quantity: 1, [field]: value }
    const answer = await t.send('POST', '/v2/numbering/tnInventory/', body)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body['message']).toMatch(new RegExp(`${field}(:|$)`))
  })

  it('of the legacy style takes a filter that is null for none', async () => {
    await using t = await setUp()
    const filters = { rateCenter: null, lata: null, province: null }
    const body = { apikey: t.account.secret, tnMask: '202xxxxxxx', quantity: 2, ...filters }
    const answer = await t.send('POST', '/v2/numbering/tnInventory/', body)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body['tnResult']).toHaveLength(2)
  })

  it('of more than 100,000 numbers is a 422 in the legacy style', async () => {
    await using t = await setUp()
    const body = { apikey: t.account.secret, tnMask: '202xxxxxxx', quantity: 100_001 }
    const answer = await t.send('POST', '/v2/numbering/tnInventory/', body)
    expect(answer.body).toMatchObject({ statusCode: '422', status: 'Error' })
  })
})

describe('coverage', () => {
  const EMPTY = { block: '', nxx: '', rcAbbre: '', city: '', npa: '', lata: '' }
  const covered = async (t: Fixture, query: string) =>
    dataOf(await t.rest('GET', `/inventory/coverage?${query}`))['coverage']

  it.each([
    ['state', [{ ...EMPTY, locState: 'DC', count: 3 }]],
    ['city', [{ ...EMPTY, locState: 'DC', city: 'Washington', count: 3 }]],
    ['rateCenter', [{ ...EMPTY, locState: 'DC', rcAbbre: 'WASHINGTON', lata: '236', count: 3 }]],
    [
      'npanxx',
      [
        {
          block: '',
          nxx: '555',
          rcAbbre: 'WASHINGTON',
          city: 'Washington',
          npa: '202',
          locState: 'DC',
          lata: '236',
          count: 3,
        },
      ],
    ],
    [
      'block',
      [
        {
          block: '0',
          nxx: '555',
          rcAbbre: 'WASHINGTON',
          city: 'Washington',
          npa: '202',
          locState: 'DC',
          lata: '236',
          count: 3,
        },
      ],
    ],
  ])('counts by %s', async (countBy, groups) => {
    await using t = await setUp()
    expect(await covered(t, `countBy=${countBy}`)).toEqual(groups)
  })

  it('has the filters of the specification, and counts only what can be ordered', async () => {
    await using t = await setUp()
    await stock(t.db, [
      stocked('+17035550100', { region: 'VA', locality: 'Arlington', lata: '237' }),
      stocked('+442079460018', { country: 'GB', region: undefined }),
    ])
    await hold(t.db, t.account.sid, '+12025550111')
    const dc = [{ ...EMPTY, locState: 'DC', count: 2 }]
    const va = [{ ...EMPTY, locState: 'VA', count: 1 }]
    expect(await covered(t, 'countBy=state')).toEqual([...dc, ...va])
    for (const filter of ['locState=va', 'city=ARLINGTON', 'npa=703', 'lata=237'])
      expect(await covered(t, `countBy=state&${filter}`), filter).toEqual(va)
    expect(await covered(t, 'countBy=state&rcAbbre=WASHINGTON&npa=202')).toEqual(dc)
    expect(await covered(t, 'countBy=state&npa=212')).toEqual([])
  })

  it('is kept for ten minutes, in both styles', async () => {
    await using t = await setUp()
    const legacy = async () => {
      const body = { apikey: t.account.secret, countBy: 'state' }
      const answer = await t.send('POST', '/v2/numbering/tnInventoryCoverage/', body)
      return answer.body['tnInventoryCoverageList']
    }
    const three = [{ ...EMPTY, locState: 'DC', count: 3 }]
    expect(await covered(t, 'countBy=state')).toEqual(three)
    await hold(t.db, t.account.sid, '+12025550111')
    t.clock.turn(COVERAGE_KEPT_MS - 1)
    expect(await legacy()).toEqual(three)
    t.clock.turn(1)
    expect(await legacy()).toEqual([{ ...EMPTY, locState: 'DC', count: 2 }])
  })

  it.each([
    ['no grouping', ''],
    ['an unknown grouping', 'countBy=npa'],
    ['a LATA that is no integer', 'countBy=state&lata=x'],
    ['an empty countBy', 'countBy=&lata=237'],
  ])('with %s is a 400', async (_title, query) => {
    await using t = await setUp()
    expect((await t.rest('GET', `/inventory/coverage?${query}`)).status).toBe(400)
  })

  it('has one filter in the legacy style', async () => {
    await using t = await setUp()
    const body = { apikey: t.account.secret, npa: 202, locState: 'DC' }
    const answer = await t.send('POST', '/v2/numbering/tnInventoryCoverage/', body)
    expect(answer.body).toMatchObject({ statusCode: '400', status: 'Error' })
    expect(answer.text).toContain('npa, locState')
  })
})
