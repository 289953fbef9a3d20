import { expect, it } from 'vitest'
import { createAccounts } from '../../../src/accounts/accounts.js'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { paymentApi } from '../../../src/ledger/payment-api.js'
import {
  createSignedProvider,
  type PaymentNews,
  signatureOf,
} from '../../../src/ledger/payment-provider.js'
import { createPayments } from '../../../src/ledger/payments.js'
import { DescribedApp } from '../../../src/platform/api/described-app.js'
import { mountApi } from '../../../src/platform/api/mount-api.js'
import { ledgerFixture, START } from '../../support/billing/ledger-fixture.js'

const SECRET = 'a secret of the provider'

/** How the signature of a request differs from a right one. */
interface How {
  readonly at?: number
  readonly secret?: string
  readonly signed?: Partial<PaymentNews>
}

async function setUp() {
  const fixture = await ledgerFixture()
  const vault = {
    seal: (text: string) => text,
    open: (text: string) => text,
    keyFor: () => Buffer.alloc(32),
  }
  const accounts = createAccounts({ ...fixture, vault })
  const account = await accounts.create({ friendlyName: 'payer' })
  const app = new DescribedApp()
  const payments = createPayments(fixture)
  const provider = createSignedProvider(SECRET)
  mountApi(app, paymentApi({ ...fixture, accounts, payments, provider }))
  const news: PaymentNews = {
    accountSid: account.sid,
    amount: '12.50',
    transactionId: 'T-1',
    status: 'Completed',
    payerEmail: 'a@b.test',
  }
  const send = async (change: Partial<PaymentNews> = {}, how: How = {}) => {
    const { at = START, secret = SECRET, signed = {} } = how
    const body = { ...news, ...change }
    const time = String(Math.floor(at / 1_000))
    const signature = signatureOf({ ...body, ...signed }, time, secret)
    const answer = await app.request('/payments/webhook', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-payment-signature': `t=${time},v1=${signature}`,
      },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const balance = async () => (await balanceOf(fixture.db.read, account.sid)).amount
  return { ...fixture, send, balance }
}

it('credits a payment once, however often its provider tells of it', async () => {
  await using t = await setUp()
  expect(await t.send()).toEqual({ status: 200, body: { status: 'Completed' } })
  expect(await t.send()).toEqual({ status: 200, body: { status: 'Completed' } })
  expect(await t.balance()).toBe(125_000)
  expect(await t.send({ status: 'Pending' })).toEqual({ status: 200, body: { status: null } })
  expect(await t.send({ status: 'Reversed' })).toMatchObject({ status: 200 })
  expect(await t.balance()).toBe(0)
  expect((await t.send({ amount: '13' })).status).toBe(409)
})

it.each<[string, Partial<PaymentNews>, How]>([
  ['another secret', {}, { secret: 'another' }],
  ['an amount that was not signed', { amount: '99' }, { signed: { amount: '12.50' } }],
  ['an account that was not signed', {}, { signed: { accountSid: `AC${'0'.repeat(32)}` } }],
  ['a time long past', {}, { at: START - 301_000 }],
  ['a time to come', {}, { at: START + 301_000 }],
])('refuses news with %s', async (_title, change, how) => {
  await using t = await setUp()
  expect((await t.send(change, how)).status).toBe(401)
  expect(await t.balance()).toBe(0)
})

it.each([
  ['amount', { amount: '1.23456' }],
  ['amount', { amount: '0' }],
  ['amount', { amount: '2000000' }],
  ['status', { status: 'Lost' as never }],
  ['transactionId', { transactionId: '' }],
])('names the field %s that is wrong: %j', async (field, change) => {
  await using t = await setUp()
  const answer = await t.send(change)
  expect(answer.status).toBe(400)
  expect(JSON.stringify(answer.body)).toContain(field)
})

it('answers 404 for the payment of an account that does not exist', async () => {
  await using t = await setUp()
  expect((await t.send({ accountSid: `AC${'0'.repeat(32)}` })).status).toBe(404)
})
