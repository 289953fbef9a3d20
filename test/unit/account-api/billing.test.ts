import { describe, expect, it } from 'vitest'
import { createRecurringCharges } from '../../../src/ledger/recurring-charges.js'
import { billedApiFixture } from '../../support/account/billed-api-fixture.js'

describe('call detail records', () => {
  it('of the last day are shown in both styles, every field a text', async () => {
    await using t = await billedApiFixture()
    await t.call('CA1', 60)
    await t.call('CA2', 2 * 86_400)
    const { seconds } = t
    const answer = await t.rest('GET', '/account/cdr')
    const cdr = [
      {
        key: [t.account.profile.username, String(seconds - 60)],
        id: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        value: {
          ip: '',
          cn: 'Ann%20%26%20Co',
          nr: '0.025',
          dst: '+12125550100',
          dur: '40',
          ba: '0.017500',
          cid: '+12025550100',
        },
      },
    ]
    const found = { start: seconds, end: seconds - 86_400, cdr, next: null }
    expect(answer.body).toEqual({ status: 'success', data: found })
    expect((await t.legacy('/account/cdr/')).body).toEqual({
      statusCode: '200',
      status: 'Success',
      ...found,
    })
    expect((await t.rest('POST', '/account/cdr', {})).body).toEqual(answer.body)
  })

  it('are found by bounds in either order', async () => {
    await using t = await billedApiFixture()
    for (const [sid, ago] of [
      ['CA1', 10],
      ['CA2', 20],
      ['CA3', 30],
    ] as const)
      await t.call(sid, ago)
    const { seconds } = t
    const idsOf = ({ body }: Awaited<ReturnType<typeof t.rest>>) =>
      (body['data'] as { cdr: unknown[] }).cdr.length
    const [older, newer] = [seconds - 20, seconds - 10]
    expect(idsOf(await t.rest('GET', `/account/cdr?start=${newer}&end=${older}`))).toBe(2)
    expect(idsOf(await t.rest('GET', `/account/cdr?start=${older}&end=${newer}`))).toBe(2)
    expect(idsOf(await t.rest('GET', '/account/cdr?start=&end='))).toBe(3)
    expect(
      (await t.legacy('/account/cdr/', { start: older, end: older })).body['cdr'],
    ).toHaveLength(1)
  })

  it.each([
    ['start=x', 'start: an integer is expected'],
    ['end=-1', 'end: at least 0 is expected'],
    ['start=1.5', 'start: an integer is expected'],
  ])('are refused for the window %s', async (query, message) => {
    await using t = await billedApiFixture()
    const answer = await t.rest('GET', `/account/cdr?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ status: 'error', error: { code: 400, message } })
  })
})

it('shows recurring charges in both styles', async () => {
  await using t = await billedApiFixture()
  await using recurring = createRecurringCharges({ ...t.deps, ledger: t.ledger })
  const charge = { accountSid: t.account.sid, reference: '' }
  await t.db.write((tx) =>
    recurring.start(tx, { ...charge, amount: 12_500, description: 'Number' }),
  )
  await t.db.write((tx) => recurring.start(tx, { ...charge, amount: 1, description: 'Penny part' }))
  const charges = [
    { amount: 1.25, description: 'Number' },
    { amount: 0.0001, description: 'Penny part' },
  ]
  const answer = await t.rest('GET', '/account/recurring-charges')
  const shown = answer.body['data'] as { charges: unknown[]; total: number }
  expect(shown.total).toBe(1.2501)
  expect(shown.charges).toHaveLength(2)
  expect(shown.charges).toEqual(expect.arrayContaining(charges))
  expect((await t.rest('GET', '/account/mrc')).body).toEqual(answer.body)
  expect((await t.legacy('/account/mrc/')).body).toMatchObject({ total: 1.2501 })
})

it('shows credits, those that are paid and those that are not, and the balance', async () => {
  await using t = await billedApiFixture()
  const credit = { accountSid: t.account.sid, description: '' }
  await t.credits.give({ ...credit, amount: 100_000, isPaid: true })
  await t.credits.give({ ...credit, amount: 2_500, isPaid: false })
  const date = new Date(t.clock.now()).toISOString()
  const [paid, unpaid] = [
    { paid: true, date, amount: 10 },
    { paid: false, date, amount: 0.25 },
  ]
  const creditsAt = async (path: string) =>
    ((await t.rest('GET', path)).body['data'] as { credits: unknown[] }).credits
  expect(await creditsAt('/account/credits?status=paid')).toEqual([paid])
  expect(await creditsAt('/account/credits?status=unpaid')).toEqual([unpaid])
  expect(await creditsAt('/account/credits/paid')).toEqual([paid])
  expect(await creditsAt('/account/credits/unpaid')).toEqual([unpaid])
  expect(await creditsAt('/account/credits')).toHaveLength(2)
  // As a form in a browser sends a filter that was left empty.
  expect(await creditsAt('/account/credits?status=')).toHaveLength(2)
  expect((await t.rest('GET', '/account/credits?status=open')).status).toBe(400)
  expect((await t.rest('GET', '/account')).body).toMatchObject({ data: { cash: 10.25 } })
})

it('shows payments with every field', async () => {
  await using t = await billedApiFixture()
  await t.payments.record({
    accountSid: t.account.sid,
    amount: 250_000,
    payerEmail: 'owner@acme.example',
    transactionId: 'T-1',
    status: 'Pending',
  })
  expect((await t.rest('GET', '/account/payments')).body).toEqual({
    status: 'success',
    data: {
      next: null,
      payments: [
        {
          amount: 25,
          date: new Date(t.clock.now()).toISOString(),
          payerEmail: 'owner@acme.example',
          transactionId: 'T-1',
          status: 'Pending',
        },
      ],
    },
  })
})

it('shows nobody the money of another account', async () => {
  await using t = await billedApiFixture()
  await t.call('CA1', 60)
  await t.credits.give({ accountSid: t.account.sid, description: '', amount: 1, isPaid: true })
  const other = await t.another('Other')
  const seen = await t.rest('GET', '/account/cdr', undefined, other)
  expect(seen.body).toMatchObject({ data: { cdr: [] } })
  const credits = await t.rest('GET', '/account/credits', undefined, other)
  expect(credits.body).toEqual({ status: 'success', data: { credits: [], next: null } })
})

it('bills a sub-account to its master', async () => {
  await using t = await billedApiFixture()
  const sub = await t.another('Sub')
  await t.db.write((tx) =>
    tx
      .updateTable('accounts')
      .set({ masterSid: t.account.sid })
      .where('sid', '=', sub.sid)
      .execute(),
  )
  await t.db.write((tx) =>
    t.ledger.post(tx, {
      key: 'k',
      accountSid: sub.sid,
      cause: 'number',
      reference: '',
      amount: -15_000,
      description: '',
      at: 1,
    }),
  )
  for (const account of [sub, t.account])
    expect((await t.rest('GET', '/account', undefined, account)).body).toMatchObject({
      data: { cash: -1.5 },
    })
})
