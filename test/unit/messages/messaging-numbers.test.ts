import { describe, expect, it } from 'vitest'
import { FROM, messagesFixture, TO } from '../../support/messages/messages-fixture.js'

const REFUSED = { name: 'MessageRefusedError', number: 21606 }

/** A message that the number is sent. */
const inbound = (body: string) => ({
  carrier: 'scripted',
  id: `in-${body}`,
  from: TO,
  to: FROM,
  body,
})

async function setUp() {
  const t = await messagesFixture()
  const change = (wanted: Parameters<typeof t.messages.changeMessaging>[2]) =>
    t.messages.changeMessaging(t.account.sid, FROM, wanted)
  const listed = async () =>
    (await t.messages.list(t.account.sid, {}, { limit: 50, offset: 0 })).items
  return Object.assign(t, { change, listed })
}

describe('a number whose messaging is disabled', () => {
  it('sends nothing, and sends again once it is enabled', async () => {
    await using t = await setUp()
    await t.change({ isEnabled: false })
    await expect(t.send()).rejects.toMatchObject(REFUSED)
    expect(await t.messages.stateOf(t.account.sid, FROM)).toBe('not-enabled')
    await t.change({ isEnabled: true })
    const { sid } = await t.send()
    await t.messages.settle()
    expect(await t.status(sid)).toBe('sent')
  })

  it('fails the message that waits, with 21606', async () => {
    await using t = await setUp()
    t.carrier.answer = () => ({ type: 'busy', reason: 'throttled' })
    const { sid } = await t.send()
    await t.messages.settle()
    await t.change({ isEnabled: false })
    t.turnTo(t.clock.now() + 60_000)
    await t.messages.settle()
    const { status, errorCode } = await t.messages.fetch(t.account.sid, sid)
    expect([status, errorCode]).toEqual(['failed', 21606])
  })

  it('takes no message, but obeys STOP for the other numbers of the campaign', async () => {
    await using t = await setUp()
    await t.change({ isEnabled: false })
    await t.messages.take(inbound('Hello'))
    await t.messages.take(inbound('STOP'))
    expect(await t.listed()).toEqual([])
    await t.change({ isEnabled: true })
    await expect(t.send()).rejects.toMatchObject({ number: 21610 })
  })
})

describe('the route of outgoing messages', () => {
  it('is obeyed by the next message, and so is its end', async () => {
    await using t = await setUp()
    expect(t.messages.routesOut).toEqual(['scripted', 'other'])
    await t.change({ routeOut: 'other' })
    const { sid } = await t.send({ body: 'by the other' })
    await t.messages.settle()
    await t.messages.receive({ carrier: 'other', id: `id-${sid}`, state: 'DELIVRD' })
    expect(await t.status(sid)).toBe('delivered')
    await t.change({ routeOut: null })
    await t.send({ body: 'by the first' })
    await t.messages.settle()
    expect([t.other.bodies, t.carrier.bodies]).toEqual([['by the other'], ['by the first']])
  })

  it('is no carrier that the server lacks, and no number of others', async () => {
    await using t = await setUp()
    expect(await t.change({ routeOut: 'nobody' })).toBe('no-route')
    expect(await t.messages.changeMessaging(t.account.sid, TO, {})).toBe('not-held')
    const settings = await t.messages.messagingOf(t.account.sid, FROM)
    expect(settings).toMatchObject({ isEnabled: true, routeOut: undefined, hasMessaging: true })
  })
})

it('sends nothing for an account without the sms service', async () => {
  await using t = await setUp()
  await t.serve(false)
  await expect(t.send()).rejects.toMatchObject(REFUSED)
  await t.serve(true)
  expect(await t.send()).toMatchObject({ status: 'queued' })
})

it("takes a carrier's word that the recipient has sent STOP", async () => {
  await using t = await setUp()
  t.carrier.answer = () => ({ type: 'refused', errorCode: 21610 })
  const { sid } = await t.send()
  await t.messages.settle()
  expect(await t.status(sid)).toBe('failed')
  await expect(t.send()).rejects.toMatchObject({ number: 21610 })
})
