import { expect, it } from 'vitest'
import type { Answer, Body } from '../../support/account/account-api-fixture.js'
import { billedApiFixture } from '../../support/account/billed-api-fixture.js'
import { SUBSCRIBER } from '../../support/porting/port-samples.js'

type Fixture = Awaited<ReturnType<typeof billedApiFixture>>
type Ask = (t: Fixture, page: Body) => Promise<Answer>

const NUMBER = '2025550111'
const TIMES = [1, 2, 3]

const rest =
  (path: string): Ask =>
  (t, page) => {
    const query = new URLSearchParams(page as Record<string, string>)
    return t.rest('GET', `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`)
  }
const legacy =
  (path: string, body: Body = {}): Ask =>
  (t, page) =>
    t.legacy(path, { ...body, ...page })

const text = (body: string) => async (t: Fixture) => {
  await t.hold(NUMBER)
  for (const each of TIMES)
    await t.rest('POST', '/messages', {
      fromNumber: NUMBER,
      toNumber: '3035550142',
      text: `${body} ${each}`,
    })
}
const numbers = async (t: Fixture) => {
  for (const each of TIMES) await t.hold(`202555011${each}`)
}
const calls = async (t: Fixture) => {
  for (const each of TIMES) await t.call(`CA${each}`, 60)
}
const credits = async (t: Fixture) => {
  for (const amount of TIMES)
    await t.credits.give({ accountSid: t.account.sid, description: '', amount, isPaid: true })
}
const payments = async (t: Fixture) => {
  for (const each of TIMES)
    await t.payments.record({
      accountSid: t.account.sid,
      amount: 10_000 * each,
      payerEmail: '',
      transactionId: `T-${each}`,
      status: 'Completed',
    })
}
const ports = async (t: Fixture) => {
  await t.fund(100)
  for (const each of TIMES) {
    const number = `202555011${each}`
    await t.rest('GET', `/ports/availability/${number}`)
    await t.rest('POST', '/ports', { did: [number], ...SUBSCRIBER })
  }
}

it.each<[string, string, (t: Fixture) => Promise<void>, Ask]>([
  ['numbers', 'numbers', numbers, rest('/numbers')],
  ['numbers, legacy', 'numbers', numbers, legacy('/numbers/list/')],
  ['calls', 'cdr', calls, rest('/account/cdr')],
  ['calls, by a body', 'cdr', calls, (t, page) => t.rest('POST', '/account/cdr', page)],
  ['calls, legacy', 'cdr', calls, legacy('/account/cdr/')],
  ['texts', 'messages', text('Hello'), rest(`/messages?number=${NUMBER}`)],
  ['texts, legacy', 'mdr', text('Hello'), legacy('/messaging/mdr-sms/', { number: NUMBER })],
  ['reports', 'messages', text('Hello'), rest(`/messages?number=${NUMBER}&type=dlr`)],
  ['reports, legacy', 'dlr', text('Hello'), legacy('/messaging/dlr/', { number: NUMBER })],
  ['credits', 'credits', credits, rest('/account/credits')],
  ['paid credits', 'credits', credits, rest('/account/credits/paid')],
  ['payments', 'payments', payments, rest('/account/payments')],
  ['ports', 'ports', ports, rest('/ports')],
  ['ports, legacy', 'portStatusSummary', ports, legacy('/numbering/portStatus/')],
])('a list of %s that is cut says where it goes on, and its pages are the whole', async (...row) => {
  const [, key, fill, ask] = row
  await using t = await billedApiFixture()
  await fill(t)
  const listed = async (page: Body) => {
    const { status, body } = await ask(t, page)
    expect(status).toBe(200)
    const data = (body['data'] ?? body) as Body
    return { items: data[key] as unknown[], next: data['next'] as string | null }
  }
  const whole = await listed({})
  expect(whole.items).toHaveLength(3)
  expect(whole.next).toBeNull()
  const first = await listed({ limit: 2 })
  expect(first.items).toHaveLength(2)
  expect(first.next).not.toBeNull()
  const second = await listed({ limit: 2, after: first.next })
  expect(second.next).toBeNull()
  expect([...first.items, ...second.items]).toEqual(whole.items)
})

it.each([
  ['limit=0', /limit/],
  ['limit=10001', /limit/],
  ['after=x', /after: the `next` of the page before is expected/],
])('a list refuses %s', async (query, message) => {
  await using t = await billedApiFixture()
  const { status, text: shown } = await t.rest('GET', `/account/cdr?${query}`)
  expect(status).toBe(400)
  expect(shown).toMatch(message)
})
