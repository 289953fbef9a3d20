import { describe, expect, it } from 'vitest'
import { balanceOf } from '../../../src/ledger/ledger.js'
import { FROM, messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { CAMPAIGN, permitAll, permitAtRate } from '../../support/messages/permit-all.js'

const MINUTE = 60_000

describe('a message that is sent', () => {
  it('goes to the carrier once, is charged by the segment and reported in order', async () => {
    await using fixture = await messagesFixture()
    await fixture.charge(7_500)
    await fixture.pay(1_000)
    const message = await fixture.send({ body: 'a'.repeat(161) })
    expect(message).toMatchObject({ status: 'queued', segments: 2, price: undefined })
    await fixture.messages.settle()
    expect(fixture.carrier.submitted).toHaveLength(1)
    const sent = await fixture.messages.fetch(fixture.account.sid, message.sid)
    expect(sent).toMatchObject({ status: 'sent', price: 150, sentAt: START })
    await fixture.messages.receive({
      carrier: 'scripted',
      id: `id-${message.sid}`,
      state: 'DELIVRD',
    })
    expect(await fixture.status(message.sid)).toBe('delivered')
    expect(fixture.reported()).toEqual(['sent', 'delivered'])
    const { read } = fixture.db
    expect(await balanceOf(read, fixture.account.sid)).toEqual({ amount: 850, reserved: 0 })
  })

  it('keeps the order of a pair over a carrier that throttles', async () => {
    await using fixture = await messagesFixture()
    fixture.carrier.answer = () => ({ type: 'busy', reason: 'throttled' })
    for (const body of ['one', 'two', 'three']) await fixture.send({ body })
    await fixture.messages.settle()
    expect(fixture.carrier.bodies).toEqual(['one'])
    fixture.carrier.answer = ({ sid }) => ({ type: 'accepted', ids: [sid] })
    fixture.turnTo(START + 2_000)
    await fixture.messages.settle()
    expect(fixture.carrier.bodies).toEqual(['one', 'one', 'two', 'three'])
  })

  it('is given up when no carrier takes it within its validity (30036)', async () => {
    await using fixture = await messagesFixture()
    await fixture.charge(7_500)
    await fixture.pay(1_000)
    fixture.carrier.answer = () => Promise.reject(new Error('connection lost'))
    const { sid } = await fixture.send({ validitySeconds: 60 })
    await fixture.messages.settle()
    fixture.turnTo(START + 2 * MINUTE)
    await fixture.messages.settle()
    expect(await fixture.messages.fetch(fixture.account.sid, sid)).toMatchObject({
      status: 'failed',
      errorCode: 30036,
      price: undefined,
    })
    const balance = await balanceOf(fixture.db.read, fixture.account.sid)
    expect(balance).toEqual({ amount: 1_000, reserved: 0 })
  })

  it('is not sent once its account is disabled (30002)', async () => {
    await using fixture = await messagesFixture()
    await fixture.charge(7_500)
    await fixture.pay(1_000)
    const { sid } = await fixture.send({ sendAt: START + 10 * MINUTE })
    await fixture.accounts.setStatus(fixture.account.sid, 'suspended')
    fixture.turnTo(START + 11 * MINUTE)
    await fixture.messages.settle()
    expect(fixture.carrier.submitted).toEqual([])
    expect(await fixture.messages.fetch(fixture.account.sid, sid)).toMatchObject({
      status: 'failed',
      errorCode: 30002,
      price: undefined,
    })
    expect(fixture.reported()).toEqual(['queued', 'failed'])
    const balance = await balanceOf(fixture.db.read, fixture.account.sid)
    expect(balance).toEqual({ amount: 1_000, reserved: 0 })
  })

  it('waits for its time, and can be canceled until then', async () => {
    await using fixture = await messagesFixture()
    const first = await fixture.send({ body: 'later', sendAt: START + 10 * MINUTE })
    const second = await fixture.send({ body: 'never', sendAt: START + 10 * MINUTE })
    expect(first.status).toBe('scheduled')
    await fixture.messages.settle()
    expect(fixture.carrier.submitted).toEqual([])
    const { messages, account } = fixture
    expect(await messages.cancel(account.sid, second.sid)).toMatchObject({ status: 'canceled' })
    await expect(messages.cancel(account.sid, second.sid)).rejects.toMatchObject({
      code: 'message-not-scheduled',
    })
    fixture.turnTo(START + 10 * MINUTE)
    await fixture.messages.settle()
    expect(fixture.carrier.bodies).toEqual(['later'])
    expect(fixture.reported()).toEqual(['canceled', 'queued', 'sent'])
  })

  it('waits for its turn at the rate of its campaign, by segments', async () => {
    await using fixture = await messagesFixture({ maySend: permitAtRate(60) })
    await fixture.hold('+12025550112')
    await fixture.send({ body: 'a'.repeat(161) })
    await fixture.send({ body: 'second', to: '+13035550143' })
    await fixture.send({ body: 'third', from: '+12025550112' })
    await fixture.messages.settle()
    expect(fixture.carrier.bodies).toEqual(['a'.repeat(161)])
    fixture.turnTo(START + 2_000)
    await fixture.messages.settle()
    expect(fixture.carrier.bodies.slice(1)).toEqual(['second'])
    fixture.turnTo(START + 3_000)
    await fixture.messages.settle()
    expect(fixture.carrier.bodies.slice(2)).toEqual(['third'])
  })

  it('is refused while the queue is longer than its validity (21611)', async () => {
    await using fixture = await messagesFixture({ maySend: permitAtRate(1, 'PHONE_NUMBER') })
    await fixture.send()
    await fixture.send()
    await expect(fixture.send({ validitySeconds: 60 })).rejects.toMatchObject({
      code: 'message-queue-full',
    })
    // What was refused has taken no turn.
    const { sid } = await fixture.send({ validitySeconds: 180 })
    fixture.turnTo(START + 2 * MINUTE)
    await fixture.messages.settle()
    expect(await fixture.status(sid)).toBe('sent')
  })

  it('is the same one for the same Idempotency-Key', async () => {
    await using fixture = await messagesFixture()
    const [first, second] = await Promise.all([
      fixture.send({ idempotencyKey: 'k1' }),
      fixture.send({ idempotencyKey: 'k1' }),
    ])
    expect(second.sid).toBe(first.sid)
    await fixture.messages.settle()
    expect(fixture.carrier.submitted).toHaveLength(1)
  })

  it('is refused with the Idempotency-Key of another request', async () => {
    await using fixture = await messagesFixture()
    const first = { idempotencyKey: 'k1', requestDigest: 'one' }
    const { sid } = await fixture.send(first)
    expect((await fixture.send(first)).sid).toBe(sid)
    await expect(
      fixture.send({ ...first, body: 'Other', requestDigest: 'two' }),
    ).rejects.toMatchObject({ refusal: { type: 'idempotency-key-reused' } })
  })
})

describe('delivery receipts', () => {
  const receive = (
    fixture: Awaited<ReturnType<typeof messagesFixture>>,
    id: string,
    state: string,
  ) => fixture.messages.receive({ carrier: 'scripted', id, state })

  it('may come before the answer of the carrier', async () => {
    await using fixture = await messagesFixture()
    fixture.carrier.answer = async ({ sid }) => {
      await receive(fixture, sid, 'ENROUTE')
      await receive(fixture, sid, 'UNDELIV')
      await receive(fixture, sid, 'ACCEPTD')
      return { type: 'accepted', ids: [sid] }
    }
    const { sid } = await fixture.send()
    await fixture.messages.settle()
    const message = await fixture.messages.fetch(fixture.account.sid, sid)
    expect(message).toMatchObject({ status: 'undelivered', errorCode: 30003 })
    expect(fixture.reported()).toEqual(['sent', 'undelivered'])
  })

  it('may come twice, late, in any order and for messages that nobody knows', async () => {
    await using fixture = await messagesFixture()
    fixture.carrier.answer = () => ({ type: 'accepted', ids: ['one', 'two'] })
    const { sid } = await fixture.send({ body: 'a'.repeat(200) })
    await fixture.messages.settle()
    await receive(fixture, 'unknown', 'DELIVRD')
    await receive(fixture, 'two', 'DELIVRD')
    await receive(fixture, 'two', 'UNDELIV')
    expect(await fixture.status(sid)).toBe('sent')
    fixture.turnTo(START + 24 * 60 * MINUTE)
    await receive(fixture, 'one', 'DELIVRD')
    await receive(fixture, 'one', 'ENROUTE')
    expect(await fixture.status(sid)).toBe('delivered')
    expect(fixture.reported()).toEqual(['sent', 'delivered'])
  })

  it.each([
    ['has its receipt', 'delivered'],
    ['waits for one', 'sent'],
  ])('are for the last message of an id that a carrier gives again while another %s', async (_title, status) => {
    await using fixture = await messagesFixture()
    fixture.carrier.answer = () => ({ type: 'accepted', ids: ['one', 'one', 'two'] })
    const earlier = await fixture.send()
    await fixture.messages.settle()
    for (const id of status === 'sent' ? [] : ['one', 'two']) await receive(fixture, id, 'DELIVRD')
    const later = await fixture.send()
    await fixture.messages.settle()
    await receive(fixture, 'one', 'UNDELIV')
    expect(await fixture.status(later.sid)).toBe('sent')
    await receive(fixture, 'two', 'DELIVRD')
    expect(await fixture.status(later.sid)).toBe('undelivered')
    expect(await fixture.status(earlier.sid)).toBe(status)
  })

  it('change nothing of a message that was deleted', async () => {
    await using fixture = await messagesFixture()
    const { sid } = await fixture.send()
    await fixture.messages.settle()
    await fixture.messages.remove(fixture.account.sid, sid)
    await receive(fixture, `id-${sid}`, 'DELIVRD')
    expect(fixture.reported()).toEqual(['sent'])
  })
})

describe('a message that is refused', () => {
  it.each([
    [21211, { to: 'nobody' }],
    [21211, { to: 'sip:someone@pbx.test' }],
    [21212, { from: 'Acme' }],
    [21602, { body: '' }],
    [21617, { body: 'a'.repeat(1_601) }],
    [21606, { from: '+12025550199' }],
  ])('gets %i and leaves nothing behind', async (number, wanted) => {
    await using fixture = await messagesFixture()
    await expect(fixture.send(wanted)).rejects.toMatchObject({ number })
    const { items } = await fixture.messages.list(fixture.account.sid, {}, { limit: 9, offset: 0 })
    expect(items).toEqual([])
  })

  it('needs a campaign (30034), unless it comes from a toll-free number that can send', async () => {
    await using fixture = await messagesFixture({
      maySend: () => Promise.resolve({ isAllowed: false, reason: 'no-campaign' }),
    })
    await expect(fixture.send()).rejects.toMatchObject({ number: 30034 })
    await fixture.hold('+18005550101', true)
    await fixture.hold('+18005550102', false)
    expect(await fixture.send({ from: '+18005550101' })).toMatchObject({ status: 'queued' })
    await expect(fixture.send({ from: '+18005550102' })).rejects.toMatchObject({ number: 21606 })
  })

  it('fails with 30034 when its campaign is suspended while it waits', async () => {
    await using fixture = await messagesFixture()
    const { sid } = await fixture.send({ sendAt: START + 10 * MINUTE })
    fixture.permit(() =>
      Promise.resolve({ isAllowed: false, ...CAMPAIGN, reason: 'no-operator-allows' }),
    )
    fixture.turnTo(START + 10 * MINUTE)
    await fixture.messages.settle()
    const message = await fixture.messages.fetch(fixture.account.sid, sid)
    expect(message).toMatchObject({ status: 'failed', errorCode: 30034 })
    fixture.permit(permitAll)
  })

  it('is not sent on credit: what waits counts as spent', async () => {
    await using fixture = await messagesFixture()
    await fixture.charge(7_500)
    await fixture.pay(150)
    const waiting = await fixture.send({ sendAt: START + 10 * MINUTE })
    await fixture.send()
    await expect(fixture.send()).rejects.toMatchObject({ code: 'insufficient-balance' })
    await fixture.messages.cancel(fixture.account.sid, waiting.sid)
    expect(await fixture.send()).toMatchObject({ status: 'queued' })
  })
})

describe('the record of a message', () => {
  it('is neither redacted nor deleted before a carrier has taken it', async () => {
    await using fixture = await messagesFixture()
    const { sid } = await fixture.send({ sendAt: START + 10 * MINUTE })
    const { messages, account } = fixture
    const refused = { code: 'message-under-way' }
    await expect(messages.redact(account.sid, sid)).rejects.toMatchObject(refused)
    await expect(messages.remove(account.sid, sid)).rejects.toMatchObject(refused)
    fixture.turnTo(START + 10 * MINUTE)
    await messages.settle()
    expect(await messages.redact(account.sid, sid)).toMatchObject({ body: '', status: 'sent' })
    await messages.remove(account.sid, sid)
    await expect(messages.fetch(account.sid, sid)).rejects.toMatchObject({
      code: 'message-not-found',
    })
  })
})

describe('the simulated carrier', () => {
  it.each([
    ['+13035550100', 'delivered', undefined],
    ['+13035550101', 'undelivered', 30003],
    ['+13035550102', 'undelivered', 30036],
    ['+13035550103', 'undelivered', 30007],
    ['+13035550108', 'sent', undefined],
    ['+15005550002', 'delivered', undefined],
    ['+15005550005', 'undelivered', 30003],
    ['+15005550006', 'undelivered', 30007],
    ['+15005550007', 'sent', undefined],
    ['+15005550099', 'undelivered', 30003],
    [TO, 'delivered', undefined],
  ])('%s: %s', async (to, status, errorCode) => {
    await using fixture = await messagesFixture({ simulated: true })
    const { sid } = await fixture.send({ to, from: FROM })
    await fixture.messages.settle()
    fixture.turnTo(START + 1_000)
    await expect
      .poll(() => fixture.messages.fetch(fixture.account.sid, sid), { timeout: 15_000 })
      .toMatchObject({ status, errorCode })
  })

  it('throttles twice at …0104, and then takes the message once', async () => {
    await using fixture = await messagesFixture({ simulated: true })
    const { sid } = await fixture.send({ to: '+13035550104' })
    for (const at of [0, 2_000, 6_000]) {
      fixture.turnTo(START + at)
      await fixture.messages.settle()
    }
    expect(fixture.reported()[0]).toBe('sent')
    expect(await fixture.status(sid)).toMatch(/sent|delivered/)
  })
})
