import { describe, expect, it } from 'vitest'
import { keywordOf } from '../../../src/messages/rules/keyword.js'
import { findHeldNumber, holdNumber, withdrawNumber } from '../../../src/numbers/held-numbers.js'
import { deferred } from '../../../src/platform/async/deferred.js'
import { newSid } from '../../../src/platform/ids.js'
import { FROM, messagesFixture, START, TO } from '../../support/messages/messages-fixture.js'
import { CAMPAIGN, permitAll } from '../../support/messages/permit-all.js'
import { waitUntil } from '../../support/time/wait-until.js'

type Fixture = Awaited<ReturnType<typeof messagesFixture>>

let count = 0
const say = async (fixture: Fixture, body: string, to = FROM) => {
  count += 1
  await fixture.messages.take({ carrier: 'scripted', id: `in-${count}`, from: TO, to, body })
  await fixture.messages.settle()
}

describe('keywords', () => {
  it.each([
    ['STOP', 'stop'],
    [' stop. ', 'stop'],
    ['Stop!!', 'stop'],
    ['"Stop"', 'stop'],
    ['opt-out', 'stop'],
    ['Opt  Out', 'stop'],
    ['OPTOUT', 'stop'],
    ['revoke', 'stop'],
    ['Arrêt', 'stop'],
    ['stop all', 'stop'],
    ['quit\n', 'stop'],
    ['\uff33\uff34\uff2f\uff30', 'stop'],
    ['S\u200bTOP\ufeff', 'stop'],
    ['\u202estop\u202c', 'stop'],
    ['\u00a0stop\u3000all\u2028', 'stop'],
    ['\u{1d5e6}\u{1d5e7}\u{1d5e2}\u{1d5e3}', 'stop'],
    ['STOP \u{1f6d1}', 'stop'],
    ['\u201cSTOP\u201d', 'stop'],
    ['opt_out', 'stop'],
    ['OPT\u2013OUT', 'stop'],
    ['ARRE\u0302T', 'stop'],
    ['td', 'stop'],
    ['END.', 'stop'],
    ['STOPP', undefined],
    ['S T O P', undefined],
    ['START', 'start'],
    ['unstop', 'start'],
    ['Yes.', 'start'],
    ['help?', 'help'],
    ['Info', 'help'],
    ['leave', 'stop'],
    ['STOP 12345', undefined],
    ['please stop', undefined],
    ['', undefined],
    ['…', undefined],
  ])('%j is %s', (body, keyword) => {
    const own = { optoutKeywords: ['Leave'], optinKeywords: [], helpKeywords: [''] }
    expect(keywordOf(body, own)).toBe(keyword)
  })
})

describe('STOP', () => {
  it('stops what waits from every number of the campaign, and is answered once', async () => {
    await using fixture = await messagesFixture()
    await fixture.hold('+12025550112')
    const waiting = await fixture.send({ sendAt: START + 60_000 })
    const other = await fixture.send({ from: '+12025550112', sendAt: START + 60_000 })
    const unrelated = await fixture.send({ to: '+13035550143', sendAt: START + 60_000 })
    await say(fixture, 'Stop!')
    await say(fixture, 'STOP')
    for (const { sid } of [waiting, other]) {
      const message = await fixture.messages.fetch(fixture.account.sid, sid)
      expect(message).toMatchObject({ status: 'failed', errorCode: 21610 })
    }
    expect(await fixture.status(unrelated.sid)).toBe('scheduled')
    expect(fixture.carrier.bodies).toEqual([CAMPAIGN.texts.optoutMessage])
    await expect(fixture.send()).rejects.toMatchObject({ number: 21610 })
    const page = { limit: 1, offset: 0 }
    const failed = { status: 'failed' as const, to: TO }
    const { items, total } = await fixture.messages.list(fixture.account.sid, failed, page)
    expect(items[0]).toMatchObject({ errorCode: 21610 })
    expect(total).toBe(3)
  })

  it('stops a message that a busy carrier has not taken', async () => {
    await using fixture = await messagesFixture()
    fixture.carrier.answer = () => ({ type: 'busy', reason: 'throttled' })
    const { sid } = await fixture.send()
    await fixture.messages.settle()
    await say(fixture, 'STOP')
    fixture.turnTo(START + 10_000)
    await fixture.messages.settle()
    const message = await fixture.messages.fetch(fixture.account.sid, sid)
    expect(message).toMatchObject({ status: 'failed', errorCode: 21610 })
  })

  it('ends with START, which is answered once', async () => {
    await using fixture = await messagesFixture()
    await say(fixture, 'STOP')
    await say(fixture, 'start')
    await say(fixture, 'start')
    const { optinMessage, optoutMessage } = CAMPAIGN.texts
    expect(fixture.carrier.bodies).toEqual([optoutMessage, optinMessage])
    expect(await fixture.send()).toMatchObject({ status: 'queued' })
  })

  it('ends with a START that comes while the operator of the sender is asked for', async () => {
    const looked = deferred<undefined>()
    let asked = 0
    const operatorOf = () => {
      asked += 1
      return asked === 1 ? looked.done : Promise.resolve(undefined)
    }
    await using fixture = await messagesFixture({ operators: { operatorOf } })
    const stop = say(fixture, 'STOP')
    const start = say(fixture, 'START')
    await waitUntil('the first look-up is under way', () => asked > 0)
    // What overtook the first message would be stored by the time that this one is.
    await fixture.messages.take({
      ...{ carrier: 'scripted', id: 'other', from: '+13035550143' },
      ...{ to: FROM, body: 'Hi' },
    })
    looked.resolve(undefined)
    await Promise.all([stop, start])
    const { optinMessage, optoutMessage } = CAMPAIGN.texts
    expect(fixture.carrier.bodies).toEqual([optoutMessage, optinMessage])
    expect(await fixture.send()).toMatchObject({ status: 'queued' })
  })

  it('works for a toll-free or foreign number that was put under a campaign', async () => {
    await using fixture = await messagesFixture()
    for (const from of ['+18005550101', '+493012345678']) {
      await fixture.hold(from, true)
      const waiting = await fixture.send({ from, sendAt: START + 60_000 })
      await say(fixture, 'STOP', from)
      expect(await fixture.status(waiting.sid)).toBe('failed')
      await expect(fixture.send({ from })).rejects.toMatchObject({ number: 21610 })
      await say(fixture, 'START', from)
      expect(await fixture.send({ from })).toMatchObject({ status: 'queued' })
    }
  })

  it('works for a number without campaign, by that number alone', async () => {
    await using fixture = await messagesFixture({
      maySend: () => Promise.resolve({ isAllowed: false, reason: 'no-campaign' }),
    })
    await fixture.hold('+18005550101', true)
    await fixture.hold('+18005550102', true)
    await say(fixture, 'STOP', '+18005550101')
    await expect(fixture.send({ from: '+18005550101' })).rejects.toMatchObject({ number: 21610 })
    expect(await fixture.send({ from: '+18005550102' })).toMatchObject({ status: 'queued' })
  })
})

describe('the STOP to a number', () => {
  const OTHER = '+12025550112'
  const underCampaign = (campaignId: string) => () =>
    Promise.resolve({ isAllowed: true as const, ...CAMPAIGN, campaignId })

  /** Gives a number to another account, as a move between accounts and a new holder do. */
  async function giveTo(fixture: Fixture, accountSid: string, e164 = FROM): Promise<void> {
    const held = await findHeldNumber(fixture.db.read, e164)
    if (held === undefined) throw new Error('nobody holds the number')
    await fixture.db.write(async (tx) => {
      await withdrawNumber(tx, held, START)
      await holdNumber(tx, { ...held, sid: newSid('PN'), accountSid }, START)
    })
  }

  it('stays with it in another campaign, whose other numbers may send', async () => {
    await using fixture = await messagesFixture()
    await fixture.hold(OTHER)
    await say(fixture, 'STOP')
    fixture.permit(underCampaign('C000002'))
    await expect(fixture.send()).rejects.toMatchObject({ number: 21610 })
    expect(await fixture.send({ from: OTHER })).toMatchObject({ status: 'queued' })
    await say(fixture, 'START')
    expect(await fixture.send()).toMatchObject({ status: 'queued' })
    fixture.permit(permitAll)
    // The first campaign was told STOP too, and no START.
    await expect(fixture.send()).rejects.toMatchObject({ number: 21610 })
  })

  it('stops what has waited since it was under another campaign', async () => {
    await using fixture = await messagesFixture()
    const { sid } = await fixture.send({ sendAt: START + 60_000 })
    fixture.permit(underCampaign('C000002'))
    await say(fixture, 'STOP')
    expect(await fixture.status(sid)).toBe('failed')
  })

  it('that its carrier has heard stays with it in another campaign', async () => {
    await using fixture = await messagesFixture()
    fixture.carrier.answer = () => ({ type: 'refused', errorCode: 21610 })
    await fixture.send()
    await fixture.messages.settle()
    fixture.permit(underCampaign('C000002'))
    await expect(fixture.send()).rejects.toMatchObject({ number: 21610 })
  })

  it.each([
    ['of a campaign', FROM],
    ['that sends by itself', '+18005550101'],
  ])('%s follows it between accounts of one payer, and binds no other holder', async (_title, e164) => {
    await using fixture = await messagesFixture()
    const masterSid = fixture.account.sid
    const sub = await fixture.accounts.create({ friendlyName: 'sub', profile: { masterSid } })
    const stranger = await fixture.accounts.create({ friendlyName: 'stranger' })
    const send = (account: typeof stranger) =>
      fixture.messages.create(account, {
        to: TO,
        from: e164,
        body: 'Hi',
        direction: 'outbound-api',
      })
    if (e164 !== FROM) await fixture.hold(e164, true)
    await say(fixture, 'STOP', e164)
    fixture.permit(underCampaign('C000002'))
    await giveTo(fixture, sub.sid, e164)
    await expect(send(sub)).rejects.toMatchObject({ number: 21610 })
    await giveTo(fixture, stranger.sid, e164)
    expect(await send(stranger)).toMatchObject({ status: 'queued' })
    await giveTo(fixture, fixture.account.sid, e164)
    await expect(send(fixture.account)).rejects.toMatchObject({ number: 21610 })
  })
})

it('answers HELP each time, until it looks like a loop', async () => {
  await using fixture = await messagesFixture()
  for (let asked = 0; asked < 7; asked += 1) await say(fixture, 'help')
  expect(fixture.carrier.bodies).toEqual(Array.from({ length: 5 }, () => 'Call us.'))
})

it('stores a message that comes twice once, and none for a number that nobody holds', async () => {
  await using fixture = await messagesFixture()
  const inbound = { carrier: 'scripted', id: 'twice', from: TO, to: FROM, body: 'HELP' }
  await fixture.messages.take(inbound)
  await fixture.messages.take(inbound)
  await fixture.messages.take({ ...inbound, id: 'other', to: '+12025550199' })
  await fixture.messages.settle()
  expect(fixture.carrier.submitted).toHaveLength(1)
  const page = { limit: 9, offset: 0 }
  const { items } = await fixture.messages.list(fixture.account.sid, { to: FROM }, page)
  expect(items).toMatchObject([{ direction: 'inbound', status: 'received', body: 'HELP' }])
})

it('gets STOP from 555-0106 and a text from 555-0107', async () => {
  await using fixture = await messagesFixture({ simulated: true })
  await fixture.send({ to: '+13035550106' })
  await fixture.send({ to: '+13035550107' })
  await fixture.messages.settle()
  fixture.turnTo(START + 1_000)
  const received = async () => {
    const page = { limit: 9, offset: 0 }
    const { items } = await fixture.messages.list(fixture.account.sid, { to: FROM }, page)
    return new Set(items.map(({ body }) => body))
  }
  const both = new Set(['STOP', 'Thank you for your message.'])
  await expect.poll(received, { timeout: 15_000 }).toEqual(both)
  await expect(fixture.send({ to: '+13035550106' })).rejects.toMatchObject({ number: 21610 })
})

it.each([
  ['+15005550001', 'Hi', 'Hello, this is Anna. You wrote: Hi'],
  ['+15005550003', 'Hi \u{1f600}', 'Hi \u{1f600}'],
  ['+15005550004', 'Hi', '42'],
  ['+15005550013', 'Hi', 'Yes'],
])('gets an answer from the lab phone %s', async (to, body, answer) => {
  await using fixture = await messagesFixture({ simulated: true })
  await fixture.send({ to, body })
  await fixture.messages.settle()
  fixture.turnTo(START + 1_000)
  const page = { limit: 9, offset: 0 }
  const answers = async () =>
    (await fixture.messages.list(fixture.account.sid, { from: to }, page)).items.map(
      (message) => message.body,
    )
  await expect.poll(answers, { timeout: 15_000 }).toEqual([answer])
})
