import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/accounts.js'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { recurringChargesOf, startPaidCharge } from '../../../src/ledger/recurring-charges.js'
import { holdNumber } from '../../../src/numbers/held-numbers.js'
import { createInventory } from '../../../src/numbers/inventory.js'
import { NumberNotAvailableError, NumberTakenError } from '../../../src/numbers/number-errors.js'
import { findNumberWithSettings } from '../../../src/numbers/number-settings.js'
import type { Database } from '../../../src/platform/database/database.js'
import { newSid } from '../../../src/platform/ids.js'
import type { LosingCarrier } from '../../../src/porting/losing-carrier.js'
import { createPortabilityChecks } from '../../../src/porting/portability.js'
import { portedNumbers } from '../../../src/porting/porting-accounts.js'
import { createSimulatedCarrier } from '../../../src/porting/simulated-carrier.js'
import { createNumberBindings } from '../../../src/voice/applications/number-bindings.js'
import {
  type Answer,
  accountApiFixture,
  type Body,
} from '../../support/account/account-api-fixture.js'
import { quietLedger } from '../../support/billing/quiet-ledger.js'
import { stock, stocked } from '../../support/numbers/stock.js'
import {
  DEAD_CAMPAIGN,
  FOREIGN_CAMPAIGN,
  GATEWAY,
  MONTHLY_RATE,
} from '../../support/porting/open-porting.js'
import {
  legacyOrder,
  letterForm,
  REJECTED_ACCOUNT,
  SUBSCRIBER,
} from '../../support/porting/port-samples.js'
import { interrupted } from '../../support/process/interrupted-database.js'
import { DAY } from '../../support/registry/registry-fixture.js'

type Fixture = Awaited<ReturnType<typeof accountApiFixture>>

const LOCAL = '2025550143'
const TOLL_FREE = '8885550143'
const HOUR = 3_600_000
const NEVER = new AbortController().signal
/** No id and no time contains it. */
const PIN = 'Pin4Acme'

const dataOf = (answer: Answer) => answer.body['data'] as Body
const messageOf = (answer: Answer) => (answer.body['error'] as Body)['message']
const portOf = (answer: Answer) => dataOf(answer)['port'] as Body

const check = (t: Fixture, number: string, as?: Account) =>
  t.rest('GET', `/ports/availability/${number}`, undefined, as)

/** An account with money and checked numbers submits them. */
async function submit(t: Fixture, numbers: readonly string[], more: Body = {}): Promise<Answer> {
  await t.fund(100)
  for (const number of numbers) await check(t, number)
  return await t.rest('POST', '/account/port', { did: numbers, ...SUBSCRIBER, ...more })
}

const pidOf = (answer: Answer) => String(dataOf(answer)['pid'])
const shown = async (t: Fixture, pid: string) => portOf(await t.rest('GET', `/ports/${pid}`))
const dollarsOf = async (t: Fixture, { sid }: Account = t.account) =>
  (await balanceOf(t.db.read, sid)).amount / 10_000

const upload = (t: Fixture, pid: string) =>
  t.app.request(`/v2.2/ports/${pid}/loa`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.account.secret}` },
    body: letterForm(),
  })

/** Turns the clock of ports and lets the carrier answer. */
async function turn(t: Fixture, ms: number): Promise<void> {
  t.clock.turn(ms)
  await t.porting.settled()
}

/** Moves a fresh port to its date; resolves with its pid. */
async function untilDate(t: Fixture, more: Body = {}): Promise<string> {
  t.porting.start()
  const pid = pidOf(await submit(t, [LOCAL], more))
  expect((await upload(t, pid)).status).toBe(201)
  await t.porting.settled()
  await turn(t, HOUR)
  await turn(t, DAY)
  return pid
}

describe('the portability check', () => {
  it('tells a portable number with its carrier', async () => {
    await using t = await accountApiFixture()
    expect(dataOf(await check(t, LOCAL))).toEqual({
      number: LOCAL,
      portable: true,
      reason: null,
      losingCarrier: 'Simulated Carrier',
      localRoutingNumber: '2025550000',
      rateCenterTier: '1',
    })
  })

  it.each(['2025550143', '12025550143', '+12025550143'])('reads %s', async (spelled) => {
    await using t = await accountApiFixture()
    expect(dataOf(await check(t, spelled))['number']).toBe(LOCAL)
  })

  it('says why a number cannot be ported', async () => {
    await using t = await accountApiFixture()
    const answer = dataOf(await check(t, '2025550199'))
    expect(answer['portable']).toBe(false)
    expect(answer['reason']).toContain('number portability')
  })

  it('says whose a number is that is on this system, without naming the account', async () => {
    await using t = await accountApiFixture()
    const other = await t.another('Other')
    const sid = newSid('PN')
    const capabilities = { voice: true, sms: false, mms: false, fax: false }
    const held = { sid, accountSid: other.sid, e164: `+1${LOCAL}`, capabilities }
    await t.db.write((tx) => holdNumber(tx, held, 0))
    expect(dataOf(await check(t, LOCAL))['reason']).toContain('ask the operator')
    expect(dataOf(await check(t, LOCAL, other))['reason']).toContain('on your account already')
  })

  it.each(['0125550143', '555', 'abc', '+442071234567'])('refuses %s', async (number) => {
    await using t = await accountApiFixture()
    expect((await check(t, number)).status).toBe(400)
  })

  it('is 502 while nobody can say, and the legacy style names the number', async () => {
    await using t = await accountApiFixture()
    expect((await check(t, '2025550198')).status).toBe(502)
    const both = await t.send('POST', '/v2/numbering/portInAvailability/', {
      apikey: t.account.secret,
      tnList: { tnItem: [{ tn: '2025550198' }, { tn: 2_025_550_143 }] },
    })
    expect(both.body['serviceAvailable']).toEqual([
      {
        telephoneNumber: '2025550198',
        isPortable: 'false',
        notPortableReason: expect.stringContaining('Try again later') as string,
        serviceProviderName: '',
      },
      {
        telephoneNumber: LOCAL,
        isPortable: 'true',
        serviceProviderName: 'Simulated Carrier',
        localRoutingNumber: '2025550000',
        rateCenterTier: '1',
      },
    ])
  })

  it('of 500 numbers says what it knows when carriers hang, and asks no more of them', async () => {
    await using base = await accountApiFixture()
    const asked: string[] = []
    const carrier: Pick<LosingCarrier, 'portability'> = {
      portability: (e164) => {
        asked.push(e164)
        if (e164 === `+1${LOCAL}`) return createSimulatedCarrier().portability(e164, NEVER)
        return new Promise(() => undefined)
      },
    }
    const { db, clock, porting } = base
    const portability = createPortabilityChecks({ db, clock, carrier, allMs: 2_000 })
    await using t = await accountApiFixture({ porting: { ...porting, portability } })
    const hanging = Array.from({ length: 499 }, (_, index) => `2025560${String(index + 100)}`)
    const { body, status } = await t.send('POST', '/v2/numbering/portInAvailability/', {
      apikey: t.account.secret,
      tnList: { tnItem: [LOCAL, ...hanging].map((tn) => ({ tn })) },
    })
    expect(status).toBe(200)
    const [known, ...unknown] = body['serviceAvailable'] as readonly Body[]
    expect(known).toMatchObject({ telephoneNumber: LOCAL, isPortable: 'true' })
    expect(unknown).toEqual(
      hanging.map((telephoneNumber) => ({
        telephoneNumber,
        isPortable: 'false',
        notPortableReason: 'Try again later: the carriers take too long to answer',
        serviceProviderName: '',
      })),
    )
    expect(asked).toHaveLength(8)
  })

  it('takes one number of the legacy style without its list', async () => {
    await using t = await accountApiFixture()
    const one = await t.send('POST', '/v2/numbering/portInAvailability/', {
      apikey: t.account.secret,
      tnList: { tnItem: { tn: LOCAL } },
    })
    expect(one.body['serviceAvailable']).toMatchObject([
      { telephoneNumber: LOCAL, isPortable: 'true' },
    ])
  })

  it('is kept for an hour and no longer', async () => {
    await using t = await accountApiFixture()
    await check(t, LOCAL)
    const row = () =>
      t.db.read.selectFrom('port_checks').select('checkedAt').executeTakeFirstOrThrow()
    const first = (await row()).checkedAt
    for (const [ms, isKept] of [
      [HOUR - 1, true],
      [1, false],
    ] as const) {
      t.clock.turn(ms)
      await check(t, LOCAL)
      expect((await row()).checkedAt === first).toBe(isKept)
    }
  })
})

describe('a submission', () => {
  it('takes 6 dollars for each number, opens a ticket and asks for the letter', async () => {
    await using t = await accountApiFixture()
    const answer = await submit(t, [LOCAL, '2025550144'])
    expect(answer.status).toBe(201)
    const data = dataOf(answer)
    expect(data['pid']).toMatch(/^[A-Z0-9]{5}$/)
    expect(data['ticket']).toBeGreaterThan(0)
    expect(data['message']).toContain('letter of authorisation')
    expect(await dollarsOf(t)).toBe(88)
    const [mail] = await t.mailed()
    expect(mail?.to).toBe('owner@acme.example')
    expect(mail?.subject).toBe(`Port ${pidOf(answer)}: Submitted`)
    expect(mail?.text).toContain(String(data['loaUrl']))
  })

  it('gives toll-free numbers a port of their own, with the same ticket', async () => {
    await using t = await accountApiFixture()
    const answer = await submit(t, [TOLL_FREE, LOCAL])
    const ports = dataOf(answer)['ports'] as Body[]
    expect(ports.map(({ numbers, kind, ticket }) => [numbers, kind, ticket])).toEqual([
      [[LOCAL], 'local', dataOf(answer)['ticket']],
      [[TOLL_FREE], 'toll-free', dataOf(answer)['ticket']],
    ])
    expect(pidOf(answer)).toBe(ports[0]?.['pid'])
    expect(await dollarsOf(t)).toBe(88)
    expect(await t.mailed()).toHaveLength(2)
  })

  it('keeps every field, and shows no PIN', async () => {
    await using t = await accountApiFixture()
    const more = {
      pin: PIN,
      streetPrefix: 'NW',
      streetSuffix: '',
      unitValue: '5A',
      building: 'Main',
      floor: '5',
      room: '12',
      desiredDueDate: '2026-03-02T10:00:00Z',
      features: [
        {
          number: LOCAL,
          routing: { gatewayId: GATEWAY },
          sms: { campaignId: 'CABC123' },
          lidb: { name: 'ACME' },
        },
      ],
    }
    const answer = await submit(t, [LOCAL], more)
    const { pin: _pin, ...fields } = more
    const port = await shown(t, pidOf(answer))
    expect(port).toMatchObject({
      ...SUBSCRIBER,
      ...fields,
      desiredDueDate: '2026-03-02',
      hasPin: true,
      status: 'Submitted',
      foc: '',
      email: 'owner@acme.example',
    })
    expect(port['id']).toMatch(/^[0-9a-f]{40}$/)
    expect(JSON.stringify(port)).not.toContain(PIN)
    const stored = await t.db.read.selectFrom('ports').selectAll().executeTakeFirstOrThrow()
    expect(JSON.stringify(stored)).not.toContain(PIN)
  })

  it('takes the names that older clients write', async () => {
    await using t = await accountApiFixture()
    await t.fund(10)
    await check(t, LOCAL)
    const answer = await t.rest('POST', '/ports', {
      did: [LOCAL],
      name: 'Acme Inc',
      name_type: 'business',
      auth_person: 'Jane Doe',
      lc_btn: '2025550123',
      lc_account_number: '4711',
      StreetNumber: '1600',
      Street: 'Pennsylvania',
      street_type: 'Ave.',
      City: 'Washington',
      State: 'dc',
      Zip: '20006',
      Country: 'USA',
      desired_due_date: '',
      features: [{ number: LOCAL, routing: { gateway_id: 3 }, sms: { campaign_id: 'CABC123' } }],
    })
    expect(answer.status, answer.text).toBe(201)
    expect(await shown(t, pidOf(answer))).toMatchObject({
      ...SUBSCRIBER,
      features: [{ number: LOCAL, routing: { gatewayId: 3 }, sms: { campaignId: 'CABC123' } }],
    })
  })

  it.each<[string, Body, RegExp]>([
    ['no numbers', { did: [] }, /^did: /],
    ['a number of nine digits', { did: ['202555014'] }, /^did\.0: /],
    ['a number twice', { did: [LOCAL, `+1${LOCAL}`] }, /^did\.1: /],
    ['another type of name', { nameType: 'company' }, /^nameType: /],
    ['a billing number that is none', { lcBtn: '123' }, /^lcBtn: /],
    ['a street type that nobody uses', { streetType: 'STREETLET' }, /^streetType: /],
    ['another direction', { streetPrefix: 'NNW' }, /^streetPrefix: /],
    ['a state of three letters', { state: 'DCC' }, /^state: /],
    ['a state that there is not', { state: 'XX' }, /^state: /],
    ['a ZIP code of four digits', { zip: '2050' }, /^zip: /],
    ['another country', { country: 'DE' }, /^country: /],
    ['a PIN with a space', { pin: '12 34' }, /^pin: /],
    ['a date that there is not', { desiredDueDate: '2026-02-30' }, /^desiredDueDate: /],
    ['a date in the past', { desiredDueDate: '2026-01-14' }, /^desiredDueDate: .*past/],
    [
      'features of another number',
      { features: [{ number: '2025550144' }] },
      /^features\.0\.number: /,
    ],
    [
      'features twice',
      { features: [{ number: LOCAL }, { number: LOCAL }] },
      /^features\.1\.number: /,
    ],
    [
      'a gateway of nobody',
      { features: [{ number: LOCAL, routing: { gatewayId: 999 } }] },
      /^features: .*999/,
    ],
    [
      'a campaign of six characters',
      { features: [{ number: LOCAL, sms: { campaignId: 'CABC12' } }] },
      /^features\.0\.sms\.campaignId: /,
    ],
    [
      'a campaign of another account',
      { features: [{ number: LOCAL, sms: { campaignId: FOREIGN_CAMPAIGN } }] },
      /^features: .*sms\.campaignId: there is no campaign CELSE00/,
    ],
    [
      'a caller name of sixteen characters',
      { features: [{ number: LOCAL, lidb: { name: 'ACME INCORPORATE' } }] },
      /^features\.0\.lidb\.name: /,
    ],
  ])('refuses %s and leaves nothing behind', async (_title, wrong, message) => {
    await using t = await accountApiFixture()
    const answer = await submit(t, [LOCAL], wrong)
    expect(answer.status, answer.text).toBe(400)
    expect(messageOf(answer)).toMatch(message)
    expect(dataOf(await t.rest('GET', '/ports'))['ports']).toEqual([])
    expect(await dollarsOf(t)).toBe(100)
    expect(await t.mailed()).toEqual([])
  })

  it('takes the date of a day that is not over in the west', async () => {
    await using t = await accountApiFixture()
    t.clock.turn(15 * HOUR)
    const answer = await submit(t, [LOCAL], { desiredDueDate: '2026-01-15' })
    expect(answer.status, answer.text).toBe(201)
  })

  it('is 412 for a number that was checked more than an hour ago, in both styles', async () => {
    await using t = await accountApiFixture()
    await t.fund(100)
    await check(t, LOCAL)
    t.clock.turn(HOUR)
    const rest = await t.rest('POST', '/account/port', { did: [LOCAL], ...SUBSCRIBER })
    expect(rest.status).toBe(412)
    expect(rest.body['error']).toEqual({
      code: 412,
      message: expect.stringContaining(LOCAL) as string,
    })
    const administrator = await t.accounts.create({
      friendlyName: 'Operator',
      profile: { isAdministrator: true },
    })
    const legacy = await t.send('POST', '/v2/numbering/portInOrder/', {
      apikey: administrator.secret,
      portInOrder: legacyOrder(LOCAL),
    })
    expect([legacy.status, legacy.body['statusCode'], legacy.body['status']]).toEqual([
      412,
      '412',
      'Error',
    ])
  })

  it('is 412 for a number that cannot be ported', async () => {
    await using t = await accountApiFixture()
    expect((await submit(t, [LOCAL, '2025550199'])).status).toBe(412)
    expect(await dollarsOf(t)).toBe(100)
  })

  it('is 409 for an account that was closed while it was on its way', async () => {
    await using t = await accountApiFixture()
    await t.fund(100)
    await check(t, LOCAL)
    const { ports } = t.porting
    const submitted = ports.submit.bind(ports)
    ports.submit = async (...asked) => {
      await t.accounts.setStatus(t.account.sid, 'closed')
      return await submitted(...asked)
    }
    const answer = await t.rest('POST', '/ports', { did: [LOCAL], ...SUBSCRIBER })
    expect(answer.status, answer.text).toBe(409)
    expect(await dollarsOf(t)).toBe(100)
    expect(await portedNumbers.accountOf(t.db.read, `+1${LOCAL}`)).toBeUndefined()
  })

  it('is 402 when the balance does not cover the fee', async () => {
    await using t = await accountApiFixture()
    await t.fund(11)
    for (const number of [LOCAL, '2025550144']) await check(t, number)
    const answer = await t.rest('POST', '/ports', { did: [LOCAL, '2025550144'], ...SUBSCRIBER })
    expect(answer.status).toBe(402)
    expect(messageOf(answer)).toContain('12 dollars')
    expect(await dollarsOf(t)).toBe(11)
    expect(dataOf(await t.rest('GET', '/ports'))['ports']).toEqual([])
    expect((await t.rest('POST', '/ports', { did: [LOCAL], ...SUBSCRIBER })).status).toBe(201)
  })

  it('is charged to the account that pays for a sub-account', async () => {
    await using t = await accountApiFixture()
    const sub = await t.accounts.create({
      friendlyName: 'Branch',
      profile: { masterSid: t.account.sid },
    })
    await t.fund(10)
    await check(t, LOCAL, sub)
    const answer = await t.rest('POST', '/ports', { did: [LOCAL], ...SUBSCRIBER }, sub)
    expect(answer.status, answer.text).toBe(201)
    expect(await dollarsOf(t)).toBe(4)
  })

  it('is 409 for a number in another port, of this account or another', async () => {
    await using t = await accountApiFixture()
    const pid = pidOf(await submit(t, [LOCAL]))
    const again = await t.rest('POST', '/ports', { did: [LOCAL], ...SUBSCRIBER })
    expect([again.status, messageOf(again)]).toEqual([409, expect.stringContaining(pid)])
    const other = await t.another('Other')
    await t.fund(10, other)
    const theirs = await t.rest('POST', '/ports', { did: [LOCAL], ...SUBSCRIBER }, other)
    expect(theirs.status).toBe(409)
    expect(messageOf(theirs)).not.toContain(pid)
    expect(await dollarsOf(t, other)).toBe(10)
  })

  it('happens once for one Idempotency-Key', async () => {
    await using t = await accountApiFixture()
    await t.fund(100)
    await check(t, LOCAL)
    const send = () =>
      t.send(
        'POST',
        '/v2.2/account/port',
        { did: [LOCAL], ...SUBSCRIBER },
        { key: t.account.secret, headers: { 'idempotency-key': 'one' } },
      )
    const first = await send()
    const second = await send()
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await dollarsOf(t)).toBe(94)
    expect(await t.mailed()).toHaveLength(1)
  })

  it('that comes twice at once is one port', async () => {
    await using t = await accountApiFixture()
    await t.fund(100)
    await check(t, LOCAL)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => t.rest('POST', '/ports', { did: [LOCAL], ...SUBSCRIBER })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect(await dollarsOf(t)).toBe(94)
  })
})

describe('the legacy submission', () => {
  it('is the administrator’s, and goes to the losing carrier at once', async () => {
    await using t = await accountApiFixture()
    const administrator = await t.accounts.create({
      friendlyName: 'Operator',
      profile: { isAdministrator: true, email: 'op@acme.example' },
    })
    await t.fund(100, administrator)
    for (const number of [LOCAL, TOLL_FREE]) await check(t, number)
    const body = { apikey: administrator.secret, portInOrder: legacyOrder(LOCAL, TOLL_FREE) }
    const answer = await t.send('POST', '/v2/iNumbering/portInOrder', body)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body['orderId']).toBeGreaterThan(0)
    expect(await dollarsOf(t, administrator)).toBe(88)
    const { body: summary } = await t.legacy('/numbering/portStatus/', {}, administrator)
    const entries = summary['portStatusSummary'] as Body[]
    expect(entries.map(({ value }) => (value as Body)['status'])).toEqual(['Pending', 'Pending'])
    expect(entries[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      key: [administrator.profile.username, String(t.clock.now() / 1_000)],
      value: {
        pid: expect.stringMatching(/^[A-Z0-9]{5}$/) as string,
        status: 'Pending',
        message: expect.stringContaining('losing carrier') as string,
        foc: '',
        notify: '1',
        url: expect.stringContaining('/a/port/') as string,
        pin: '',
      },
    })
    const pids = entries.map(({ value }) => String((value as Body)['pid']))
    const details = await Promise.all(
      pids.map((pid) => t.rest('GET', `/ports/${pid}`, undefined, administrator)),
    )
    expect(details.map((each) => portOf(each)['numbers'])).toEqual(
      expect.arrayContaining([[LOCAL], [TOLL_FREE]]),
    )
    const [first] = details.map(portOf)
    expect(first).toMatchObject({
      nameType: 'business',
      streetPrefix: 'N',
      streetType: 'AVE',
      unitValue: '500',
      floor: '5',
      hasPin: true,
    })
  })

  it.each([
    ['Canada', { city: 'Toronto', state: 'ON', postalCode: 'm5v 3l9' }, 'CA'],
    ['the United States', {}, 'US'],
  ])('of a subscriber in %s says so', async (_title, address, country) => {
    await using t = await accountApiFixture()
    const profile = { isAdministrator: true }
    const administrator = await t.accounts.create({ friendlyName: 'Operator', profile })
    await t.fund(100, administrator)
    await check(t, LOCAL)
    const order = legacyOrder(LOCAL)
    const tnItem = order.tnList.tnItem.map((item) => ({
      ...item,
      endUser: { ...item.endUser, ...address },
    }))
    const body = { apikey: administrator.secret, portInOrder: { ...order, tnList: { tnItem } } }
    expect((await t.send('POST', '/v2/numbering/portInOrder/', body)).status).toBe(200)
    const { ports } = (await t.rest('GET', '/ports', undefined, administrator)).body['data'] as {
      readonly ports: readonly { readonly pid: string }[]
    }
    const path = `/ports/${ports[0]?.pid ?? ''}`
    const detail = await t.rest('GET', path, undefined, administrator)
    expect(portOf(detail)['country']).toBe(country)
  })

  it('is refused to a customer', async () => {
    await using t = await accountApiFixture()
    await t.fund(100)
    await check(t, LOCAL)
    const body = { apikey: t.account.secret, portInOrder: legacyOrder(LOCAL) }
    const answer = await t.send('POST', '/v2/numbering/portInOrder/', body)
    expect([answer.status, answer.body['statusCode']]).toEqual([403, '403'])
    expect(await dollarsOf(t)).toBe(100)
  })
})

describe('the ports of an account', () => {
  it('are listed newest first, and are nobody else’s', async () => {
    await using t = await accountApiFixture()
    const first = pidOf(await submit(t, [LOCAL]))
    t.clock.turn(1_000)
    await check(t, '2025550144')
    const body = { did: ['2025550144'], ...SUBSCRIBER }
    const second = pidOf(await t.rest('POST', '/ports', body))
    const ports = dataOf(await t.rest('GET', '/ports'))['ports'] as Body[]
    expect(ports.map(({ pid }) => pid)).toEqual([second, first])
    const other = await t.another('Other')
    expect(dataOf(await t.rest('GET', '/ports', undefined, other))).toEqual({
      ports: [],
      next: null,
    })
    for (const pid of [first, 'AAAA0', 'none', '%00%00%00%00%00'])
      expect((await t.rest('GET', `/ports/${pid}`, undefined, other)).status).toBe(404)
    expect((await t.rest('GET', `/ports/${first.toLowerCase()}`)).status).toBe(200)
  })
})

describe('a port on its way', () => {
  it('goes from its letter to completion, with a mail for each change', async () => {
    await using t = await accountApiFixture()
    const features = [
      {
        number: LOCAL,
        routing: { gatewayId: GATEWAY },
        sms: { campaignId: 'CABC123' },
        lidb: { name: 'ACME' },
      },
    ]
    const pid = await untilDate(t, { features })
    expect(await shown(t, pid)).toMatchObject({ status: 'FOC', foc: '20260123' })
    expect(await findNumberWithSettings(t.db.read, `+1${LOCAL}`)).toBeUndefined()
    await turn(t, 8 * DAY)
    expect(await shown(t, pid)).toMatchObject({ status: 'Complete', foc: '20260123' })
    const found = await findNumberWithSettings(t.db.read, `+1${LOCAL}`)
    expect(found?.number.accountSid).toBe(t.account.sid)
    expect(found?.settings).toMatchObject({
      route: GATEWAY,
      callerName: 'ACME',
      porting: undefined,
    })
    const charges = await recurringChargesOf(t.db.read, t.account.sid)
    expect(charges.map(({ amount, reference }) => [amount, reference])).toEqual([
      [MONTHLY_RATE, found?.number.sid],
    ])
    const subjects = (await t.mailed()).map(({ subject }) => subject)
    expect(subjects).toEqual(
      ['Submitted', 'Validating', 'Pending', 'FOC', 'Complete'].map(
        (status) => `Port ${pid}: ${status}`,
      ),
    )
    const history = (await shown(t, pid))['history'] as Body[]
    expect(history.map(({ status, by }) => [status, by])).toEqual([
      ['Submitted', 'customer'],
      ['Submitted', 'customer'],
      ['Validating', 'carrier'],
      ['Pending', 'carrier'],
      ['FOC', 'carrier'],
      ['Complete', 'carrier'],
    ])
  })

  it('that the carrier rejects is corrected and resubmitted without a second fee', async () => {
    await using t = await accountApiFixture()
    const pid = await untilDate(t, { lcAccountNumber: REJECTED_ACCOUNT })
    const rejected = await shown(t, pid)
    expect(rejected['status']).toBe('Exception')
    expect(rejected['message']).toContain('lcAccountNumber')
    const fixed = await t.rest('PATCH', `/ports/${pid}`, { lc_account_number: '4711' })
    expect(portOf(fixed)).toMatchObject({ status: 'Exception', lcAccountNumber: '4711' })
    const sent = await t.rest('POST', `/ports/${pid}/resubmit`, { pin: '99' })
    expect(portOf(sent)).toMatchObject({ status: 'Submitted', hasPin: true })
    await t.porting.settled()
    await turn(t, HOUR)
    await turn(t, DAY)
    expect((await shown(t, pid))['status']).toBe('FOC')
    await turn(t, 10 * DAY)
    expect((await shown(t, pid))['status']).toBe('Complete')
    expect(await dollarsOf(t)).toBeCloseTo(94 - ratedRest(t), 3)
    const subjects = (await t.mailed()).map(({ subject }) => subject.replace(`Port ${pid}: `, ''))
    expect(subjects).toEqual([
      ...['Submitted', 'Validating', 'Pending', 'Exception'],
      ...['Submitted', 'Validating', 'Pending', 'FOC', 'Complete'],
    ])
  })

  it('tells of a feature that cannot be set, and is complete all the same', async () => {
    await using t = await accountApiFixture()
    const features = [{ number: LOCAL, sms: { campaignId: DEAD_CAMPAIGN } }]
    const pid = await untilDate(t, { features })
    await turn(t, 10 * DAY)
    const port = await shown(t, pid)
    expect(port['status']).toBe('Complete')
    expect(port['message']).toContain(`${DEAD_CAMPAIGN} was not set`)
    expect((await t.mailed()).at(-1)?.text).toContain('the campaign has expired')
  })

  it('is charged once for a number that the account holds already, which can then do more', async () => {
    await using t = await accountApiFixture()
    const pid = await untilDate(t)
    const e164 = `+1${LOCAL}`
    const capabilities = { voice: true, sms: false, mms: false, fax: false }
    const number = { sid: newSid('PN'), accountSid: t.account.sid, e164, capabilities }
    const reference = number.sid
    const charge = { accountSid: t.account.sid, amount: 1, description: 'Number', reference }
    await t.db.write(async (tx) => {
      await holdNumber(tx, number, 0)
      await startPaidCharge(tx, charge, t.clock.now())
    })
    await turn(t, 10 * DAY)
    expect(await shown(t, pid)).toMatchObject({ status: 'Complete' })
    const charges = await recurringChargesOf(t.db.read, t.account.sid)
    expect(charges.map(({ amount, description }) => [amount, description])).toEqual([[1, 'Number']])
    const found = await findNumberWithSettings(t.db.read, e164)
    expect(found?.number).toMatchObject({ sid: reference, capabilities: { sms: true, mms: true } })
  })

  it('keeps its numbers from the claims of other accounts until it is over', async () => {
    await using t = await accountApiFixture()
    const pid = await untilDate(t)
    const other = await t.another('Other')
    const { db, clock } = t
    const numbers = createNumberBindings({ db, clock, claims: 'any', ported: portedNumbers })
    const claim = ({ sid }: Account) =>
      numbers.claim(sid, { e164: `+1${LOCAL}` }, {}, quietLedger())
    await expect(claim(other)).rejects.toBeInstanceOf(NumberTakenError)
    expect((await t.rest('POST', `/ports/${pid}/cancel`)).status).toBe(200)
    expect(await claim(other)).toMatchObject({ number: { accountSid: other.sid } })
  })

  it('keeps its numbers of the inventory from the orders of other accounts until it is over', async () => {
    await using t = await accountApiFixture()
    const free = '2025550144'
    await stock(t.db, [stocked(`+1${LOCAL}`), stocked(`+1${free}`)])
    const pid = await untilDate(t)
    const other = await t.another('Other')
    const order = async () =>
      dataOf(await t.rest('POST', '/orders', { numbers: [LOCAL, free] }, other))
    expect(await order()).toMatchObject({
      numbersOrdered: [free],
      failed: [{ number: LOCAL, reason: 'Number is not available' }],
    })
    const { db, clock } = t
    const numbers = createNumberBindings({ db, clock, claims: 'any', ported: portedNumbers })
    await expect(
      numbers.claim(other.sid, { areaCode: '202' }, {}, quietLedger()),
    ).rejects.toBeInstanceOf(NumberNotAvailableError)
    expect((await t.rest('POST', `/ports/${pid}/cancel`)).status).toBe(200)
    expect(await order()).toMatchObject({ numbersOrdered: [LOCAL] })
  })

  it('keeps its numbers out of every search until it is over', async () => {
    await using t = await accountApiFixture()
    const free = '2025550144'
    await stock(t.db, [stocked(`+1${LOCAL}`), stocked(`+1${free}`)])
    const { db, clock } = t
    const inventory = createInventory({ db, clock, ported: portedNumbers })
    const other = await t.another('Other')
    const offered = async (account: Account) => {
      const rest = dataOf(await t.rest('GET', '/inventory?tnMask=202', undefined, account))
      const named = dataOf(await t.rest('GET', `/inventory?tnMask=${LOCAL}`, undefined, account))
      const page = { limit: 10, offset: 0 }
      const voice = await inventory.search({ country: 'US', kind: 'local' }, page)
      return {
        rest: (rest['numbers'] as { number: string }[]).map(({ number }) => number),
        named: (named['numbers'] as { number: string }[]).map(({ number }) => number),
        voice: voice.items.map(({ e164 }) => e164.slice(2)),
        total: voice.total,
      }
    }
    const pid = await untilDate(t)
    const hidden = { rest: [free], named: [], voice: [free], total: 1 }
    expect(await offered(other)).toEqual(hidden)
    expect(await offered(t.account)).toEqual(hidden)
    const counted = dataOf(await t.rest('GET', '/inventory/coverage?countBy=npanxx&npa=202'))
    expect(counted['coverage']).toMatchObject([{ npa: '202', nxx: '555', count: 1 }])
    expect((await t.rest('POST', `/ports/${pid}/cancel`)).status).toBe(200)
    expect(await offered(other)).toEqual({
      rest: [LOCAL, free],
      named: [LOCAL],
      voice: [LOCAL, free],
      total: 2,
    })
  })

  it('leaves the other numbers of its area code to claims, however many it has', async () => {
    await using t = await accountApiFixture()
    const free = '2025550199'
    const ported = Array.from({ length: 10 }, (_, index) => String(2_025_550_140 + index))
    await stock(
      t.db,
      [...ported, free].map((number) => stocked(`+1${number}`)),
    )
    expect((await submit(t, ported)).status).toBe(201)
    const other = await t.another('Other')
    const { db, clock } = t
    const numbers = createNumberBindings({ db, clock, claims: 'any', ported: portedNumbers })
    expect(await numbers.claim(other.sid, { areaCode: '202' }, {}, quietLedger())).toMatchObject({
      number: { e164: `+1${free}` },
    })
  })

  it('and an order of the same number at once do not both succeed', async () => {
    let next: ReturnType<typeof interrupted>['next'] | undefined
    const watch = (db: Database) => {
      const seen = interrupted(db)
      next = seen.next
      return seen.db
    }
    await using t = await accountApiFixture({}, { watch })
    await stock(t.db, [stocked(`+1${LOCAL}`)])
    await t.fund(100)
    await check(t, LOCAL)
    const other = await t.another('Other')
    const pids: string[] = []
    if (next !== undefined)
      next.first = async () => {
        pids.push(pidOf(await t.rest('POST', '/account/port', { did: [LOCAL], ...SUBSCRIBER })))
      }
    const ordered = await t.rest('POST', '/orders', { numbers: [LOCAL] }, other)
    expect(pids).toEqual([expect.stringMatching(/^[A-Z0-9]{5}$/)])
    expect(dataOf(ordered)['numbersOrdered']).toEqual([])
  })

  it('may have numbers that its own account has claimed', async () => {
    await using t = await accountApiFixture()
    await untilDate(t)
    const { db, clock } = t
    const numbers = createNumberBindings({ db, clock, claims: 'any', ported: portedNumbers })
    const { sid } = t.account
    const claimed = await numbers.claim(sid, { e164: `+1${LOCAL}` }, {}, quietLedger())
    expect(claimed).toMatchObject({ number: { accountSid: sid } })
  })

  it('has an exception when another account has got the number meanwhile', async () => {
    await using t = await accountApiFixture()
    const pid = await untilDate(t)
    const other = await t.another('Other')
    const capabilities = { voice: true, sms: false, mms: false, fax: false }
    const held = { sid: newSid('PN'), accountSid: other.sid, e164: `+1${LOCAL}`, capabilities }
    await t.db.write((tx) => holdNumber(tx, held, 0))
    await turn(t, 10 * DAY)
    expect(await shown(t, pid)).toMatchObject({
      status: 'Exception',
      message: expect.stringContaining('another account') as string,
    })
    expect(await recurringChargesOf(t.db.read, t.account.sid)).toEqual([])
  })

  it('can be cancelled until 48 hours before its date, and frees its numbers', async () => {
    await using t = await accountApiFixture()
    const pid = await untilDate(t)
    const early = portOf(await t.rest('POST', `/ports/${pid}/cancel`))
    expect(early['status']).toBe('Cancelled')
    expect((await t.mailed()).at(-1)?.subject).toBe(`Port ${pid}: Cancelled`)
    await turn(t, 10 * DAY)
    expect((await shown(t, pid))['status']).toBe('Cancelled')
    expect((await submit(t, [LOCAL])).status).toBe(201)
    expect((await t.rest('POST', `/ports/${pid}/cancel`)).status).toBe(409)
  })

  it('cannot be cancelled later', async () => {
    await using t = await accountApiFixture()
    const pid = await untilDate(t)
    await turn(t, 6 * DAY)
    const late = await t.rest('POST', `/ports/${pid}/cancel`)
    expect([late.status, messageOf(late)]).toEqual([409, expect.stringContaining('48 hours')])
    expect((await shown(t, pid))['status']).toBe('FOC')
  })

  it('takes no campaign of another account in a correction', async () => {
    await using t = await accountApiFixture()
    const pid = pidOf(await submit(t, [LOCAL]))
    const features = [{ number: LOCAL, sms: { campaignId: FOREIGN_CAMPAIGN } }]
    const answer = await t.rest('PATCH', `/ports/${pid}`, { features })
    expect([answer.status, messageOf(answer)]).toEqual([
      400,
      expect.stringContaining('there is no campaign CELSE00') as string,
    ])
    expect((await shown(t, pid))['features']).toEqual([])
  })

  it('keeps a gateway that its features name until it is over', async () => {
    await using t = await accountApiFixture()
    const added = dataOf(await t.rest('POST', '/gateways', { gateway: '8.8.8.8' }))
    expect(added['id']).toBe(GATEWAY)
    const features = [{ number: LOCAL, routing: { gatewayId: GATEWAY } }]
    const pid = pidOf(await submit(t, [LOCAL], { features }))
    const kept = await t.rest('DELETE', `/gateways/${GATEWAY}`)
    expect([kept.status, kept.text]).toEqual([
      409,
      expect.stringContaining('numbers of an open port go to the gateway') as string,
    ])
    expect((await t.rest('POST', `/ports/${pid}/cancel`)).status).toBe(200)
    expect((await t.rest('DELETE', `/gateways/${GATEWAY}`)).status).toBe(204)
  })

  it('keeps its data from a correction once the carrier has it, but not its features', async () => {
    await using t = await accountApiFixture()
    const pid = await untilDate(t)
    const others = await t.rest('PATCH', `/ports/${pid}`, { did: ['2025550199'] })
    expect([others.status, others.text]).toEqual([400, expect.stringContaining('did: ') as string])
    expect((await t.rest('PATCH', `/ports/${pid}`, { name: 'Other' })).status).toBe(409)
    const features = [{ number: LOCAL, routing: { gatewayId: GATEWAY } }]
    expect((await t.rest('PATCH', `/ports/${pid}`, { features })).status).toBe(200)
    const foreign = [{ number: '2025550144' }]
    expect((await t.rest('PATCH', `/ports/${pid}`, { features: foreign })).status).toBe(400)
    await turn(t, 10 * DAY)
    const found = await findNumberWithSettings(t.db.read, `+1${LOCAL}`)
    expect(found?.settings.route).toBe(GATEWAY)
  })

  it.each([
    'PATCH',
    'POST /resubmit',
    'POST /cancel',
  ])('of another account is 404 to %s', async (what) => {
    await using t = await accountApiFixture()
    const pid = pidOf(await submit(t, [LOCAL]))
    const other = await t.another('Other')
    const [method = '', path = ''] = what.split(' ')
    const answer = await t.rest(method, `/ports/${pid}${path}`, {}, other)
    expect(answer.status).toBe(404)
  })
})

/** The rest of the month in which a port is complete, in dollars. */
function ratedRest(t: Fixture): number {
  const date = new Date(t.clock.now())
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return (MONTHLY_RATE * (days - date.getUTCDate() + 1)) / days / 10_000
}
