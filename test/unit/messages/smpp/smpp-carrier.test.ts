import { describe, expect, it } from 'vitest'
import { smppFixture, submission } from '../../../support/messages/smpp-fixture.js'
import { deliverBody, TestSmsc, unit } from '../../../support/messages/test-smsc.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const THROTTLED = 0x58
const RECEIPT =
  'id:m1 sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:DELIVRD err:000 text:'

describe('a bind', () => {
  it('as transceiver shows its credentials, and sends', async () => {
    await using t = await smppFixture()
    expect(await t.send(submission('Hi €'))).toEqual({ type: 'accepted', ids: [`${t.place}/m1`] })
    expect(t.smsc.binds).toEqual([{ command: 9, systemId: 'esme', password: 'secret' }])
    expect(t.smsc.taken[0]).toMatchObject({ from: '12025550111', to: '13035550142', coding: 0 })
    expect(t.smsc.taken[0]?.data.toString('hex')).toBe('4869201b65')
  })

  it('of both kinds sends on the one and receives on the other', async () => {
    await using t = await smppFixture({ query: '?bind=separate' })
    await t.smsc.bound(2)
    expect(t.smsc.binds.map(({ command }) => command).sort()).toEqual([1, 2])
    await t.send(submission())
    expect(await t.smsc.deliver(deliverBody({ esmClass: 4, data: RECEIPT }))).toBe(0)
    const id = `${t.place}/m1`
    const receipt = { carrier: 'smpp', id, otherIds: [], recipient: '+13035550142' }
    expect(t.received).toEqual([{ ...receipt, state: 'DELIVRD' }])
  })

  it('that is refused is tried again, until it is taken', async () => {
    await using t = await smppFixture()
    t.smsc.bindStatus = 0x0e // ESME_RINVPASWD
    t.smsc.cut()
    await t.smsc.bound(3)
    t.smsc.bindStatus = 0
    await t.send(submission())
  })

  it('is over when the carrier is: it says so first', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    await t.carrier[Symbol.asyncDispose]()
    await waitUntil('no connection', () => t.smsc.connections === 0)
    expect((await t.submit(submission())).type).toBe('busy')
  })

  it('is over once what is under way has its answer, and sends nothing more', async () => {
    await using t = await smppFixture({ query: '?window=1' })
    await t.send(submission())
    t.smsc.onSubmit = () => 'hold'
    const [first, waiting] = [t.submit(submission()), t.submit(submission())]
    await waitUntil('one waits for its answer', () => t.smsc.held === 1)
    const over = t.carrier[Symbol.asyncDispose]()
    // A goodbye would have been read before the answer to this.
    expect(await t.smsc.deliver(deliverBody({ data: 'Hi' }))).toBe(0)
    t.smsc.release()
    expect((await first).type).toBe('accepted')
    expect((await waiting).type).toBe('busy')
    await over
    expect(t.smsc.submits).toBe(2)
  })

  it('of several shares the load', async () => {
    await using t = await smppFixture({ binds: 3, query: '?window=2' })
    const isEachBound = async () => {
      await Promise.all([1, 2, 3].map(() => t.send(submission())))
      return t.smsc.used === 3
    }
    await waitUntil('each has carried a message', isEachBound)
    const before = t.smsc.taken.length
    t.smsc.onSubmit = () => 'hold'
    const sent = Array.from({ length: 6 }, () => t.send(submission()))
    await waitUntil('every window is full', () => t.smsc.held === 6)
    t.smsc.onSubmit = () => 0
    t.smsc.release()
    await Promise.all(sent)
    expect(t.smsc.taken).toHaveLength(before + 6)
  })
})

describe('the window', () => {
  it('is not exceeded, and answers find their requests in any order', async () => {
    await using t = await smppFixture({ query: '?window=5' })
    await t.send(submission())
    t.smsc.onSubmit = () => 'hold'
    const numbers = Array.from({ length: 20 }, (_, index) => `+130355502${String(10 + index)}`)
    const outcomes = numbers.map((to) => t.submit(submission('x', to)))
    for (let done = 0; done < 20; done += 5) {
      await waitUntil('five wait', () => t.smsc.held === 5)
      t.smsc.release()
    }
    const ids = await Promise.all(outcomes)
    expect(t.smsc.mostHeld).toBe(5)
    const owed = numbers.map((to) => t.smsc.taken.find((one) => `+${one.to}` === to)?.id ?? '')
    expect(ids).toEqual(owed.map((id) => ({ type: 'accepted', ids: [`${t.place}/${id}`] })))
  })
})

describe('an SMSC that', () => {
  it('throttles is left alone, longer each time', async () => {
    await using t = await smppFixture({ times: { retryMs: 1_000, maxRetryMs: 8_000 } })
    await t.send(submission())
    t.smsc.onSubmit = () => THROTTLED
    for (const [attempt, rest] of [1_000, 2_000, 4_000, 8_000, 8_000].entries()) {
      expect((await t.submit(submission())).type).toBe('busy')
      t.turnBy(rest - 1)
      expect((await t.submit(submission())).type).toBe('busy')
      expect(t.smsc.submits).toBe(attempt + 2)
      t.turnBy(1)
    }
    t.smsc.onSubmit = () => 0
    expect((await t.submit(submission())).type).toBe('accepted')
  })

  it('throttles a whole window is left alone as after one answer', async () => {
    await using t = await smppFixture({
      query: '?window=5',
      times: { retryMs: 1_000, maxRetryMs: 60_000 },
    })
    await t.send(submission())
    t.smsc.onSubmit = () => THROTTLED
    const numbers = Array.from({ length: 20 }, (_, index) => `+130355502${String(10 + index)}`)
    const outcomes = await Promise.all(numbers.map((to) => t.submit(submission('x', to))))
    expect(outcomes.map(({ type }) => type)).toEqual(numbers.map(() => 'busy'))
    // What waited for its place in the window is not sent any more.
    expect(t.smsc.submits).toBe(1 + 5)
    t.smsc.onSubmit = () => 0
    t.turnBy(1_000)
    expect((await t.submit(submission())).type).toBe('accepted')
  })

  it.each([
    ['no id', ''],
    ['an id without an end', 'm9'],
    ['an id that is too long', `${'m'.repeat(80)}\0`],
  ])('takes a message with %s gets it once', async (_title, answer) => {
    await using t = await smppFixture()
    await t.send(submission())
    t.smsc.answerOf = () => Buffer.from(answer)
    const message = submission()
    const id = answer.replace('\0', '') || `${message.sid}-0`
    expect(await t.submit(message)).toEqual({ type: 'accepted', ids: [`${t.place}/${id}`] })
  })

  it.each([
    ['has no room', 0x14, { type: 'busy' }],
    ['has a fault', 0x08, { type: 'busy' }],
    ['does not know the destination', 0x0b, { type: 'refused', errorCode: 30005 }],
    ['refuses for good', 0x45, { type: 'refused', errorCode: 30008 }],
  ])('%s', async (_title, status, outcome) => {
    await using t = await smppFixture()
    await t.send(submission())
    t.smsc.onSubmit = () => status
    expect(await t.submit(submission())).toMatchObject(outcome)
  })

  it('closes instead of an answer gets the message again, and it is taken once', async () => {
    await using t = await smppFixture()
    t.smsc.onSubmit = (_message, count) => (count === 1 ? 'close' : 0)
    expect((await t.send(submission())).type).toBe('accepted')
    expect([t.smsc.submits, t.smsc.taken.length]).toEqual([2, 1])
  })

  it('never answers loses its connection, and gets the message on the next', async () => {
    await using t = await smppFixture({ times: { responseMs: 500 } })
    t.smsc.onSubmit = (_message, count) => (count === 1 ? 'silence' : 0)
    expect((await t.send(submission())).type).toBe('accepted')
    expect(t.smsc.binds.length).toBeGreaterThan(1)
  })

  it.each([
    ['random bytes', Buffer.from('deadbeefdeadbeefdeadbeefdeadbeef', 'hex')],
    ['a unit that is too short', Buffer.from('00000004', 'hex')],
  ])('sends %s loses its connection, and is bound again', async (_title, bytes) => {
    await using t = await smppFixture()
    await t.send(submission())
    t.smsc.raw(bytes)
    await t.smsc.bound(2)
    expect((await t.send(submission())).type).toBe('accepted')
  })

  it('sends half a unit and no more loses its connection', async () => {
    await using t = await smppFixture({ times: { responseMs: 500, enquireMs: 100 } })
    await t.send(submission())
    const binds = t.smsc.binds.length
    t.smsc.raw(unit(0x05, 0, 1, Buffer.alloc(5_000)).subarray(0, 2_000))
    await t.smsc.bound(binds + 1)
    expect((await t.send(submission())).type).toBe('accepted')
  })

  it('says nothing is asked whether it is there, and loses its connection when it is not', async () => {
    await using t = await smppFixture({ times: { responseMs: 500, enquireMs: 50 } })
    await waitUntil('it is asked', () => t.smsc.enquiries >= 2)
    const binds = t.smsc.binds.length
    t.smsc.answersEnquiries = false
    await t.smsc.bound(binds + 1)
  })

  it('sends commands and answers that nobody asked for is answered and heard', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    t.smsc.raw(unit(0x8000_0004, 0, 77, Buffer.from('m9\0')))
    t.smsc.raw(unit(0x0000_0103, 0, 1, Buffer.alloc(3)))
    expect((await t.send(submission())).type).toBe('accepted')
    expect(t.smsc.binds).toHaveLength(1)
  })

  it('closes, throttles and answers late takes 300 messages once each', {
    timeout: 60_000,
  }, async () => {
    await using t = await smppFixture({ binds: 2 })
    t.smsc.onSubmit = (_message, count) => {
      if (count % 41 === 0) return 'close'
      if (count % 13 === 0) return THROTTLED
      return count % 7 === 0 ? 'hold' : 0
    }
    const released = setInterval(() => {
      t.turnBy(10)
      t.smsc.release()
    }, 5)
    const numbers = Array.from({ length: 300 }, (_, index) => `+1303555${String(1_000 + index)}`)
    for (let at = 0; at < numbers.length; at += 30)
      await Promise.all(numbers.slice(at, at + 30).map((to) => t.send(submission('x', to))))
    clearInterval(released)
    expect(t.smsc.taken.map(({ to }) => `+${to}`).sort()).toEqual(numbers)
  })
})

describe('a long message', () => {
  const LONG = 'x'.repeat(400)

  it.each([
    ['udh', 0x40],
    ['sar', 0],
  ])('is joined by %s', async (joined, esmClass) => {
    await using t = await smppFixture({ query: `?joined=${joined}` })
    const outcome = await t.send(submission(LONG))
    expect(outcome).toEqual({
      type: 'accepted',
      ids: ['m1', 'm2', 'm3'].map((id) => `${t.place}/${id}`),
    })
    expect(t.smsc.taken.map((one) => one.esmClass)).toEqual([esmClass, esmClass, esmClass])
    const numbers = t.smsc.taken.map(({ data, parameters }) =>
      joined === 'udh'
        ? [data[4], data[5]]
        : [parameters.get(0x20e)?.[0], parameters.get(0x20f)?.[0]],
    )
    expect(numbers).toEqual([
      [3, 1],
      [3, 2],
      [3, 3],
    ])
  })

  it('of which a part is throttled sends that part alone, by another process too', async () => {
    await using t = await smppFixture()
    t.smsc.onSubmit = (_message, count) => (count === 2 ? THROTTLED : 0)
    const message = submission(LONG)
    await waitUntil(
      'it is tried',
      async () => (await t.submit(message)).type === 'busy' && t.smsc.submits === 3,
    )
    const other = t.open()
    const outcome = await t.send(message, other)
    expect(outcome).toEqual({
      type: 'accepted',
      ids: ['m1', 'm4', 'm3'].map((id) => `${t.place}/${id}`),
    })
    expect(t.smsc.taken.map(({ data }) => data[5])).toEqual([1, 3, 2])
  })
})

describe('what an SMSC delivers', () => {
  it('is answered once it is stored, and asked for again when it cannot be', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    t.fault.error = new Error('no database')
    const receipt = deliverBody({ esmClass: 4, data: RECEIPT })
    expect(await t.smsc.deliver(receipt)).toBe(0x64)
    t.fault.error = undefined
    expect(await t.smsc.deliver(receipt)).toBe(0)
    expect(t.received).toHaveLength(1)
    expect(await t.smsc.deliver(deliverBody({ esmClass: 4, data: 'nothing' }))).toBe(0x65)
    expect(await t.smsc.deliver(Buffer.from([1, 2, 3]))).toBe(0x65)
    expect(await t.smsc.deliver(deliverBody({ from: 'INFO', data: 'Hi' }))).toBe(0x0a)
  })

  it('is a message, whole or in parts, in any order and more than once', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    expect(await t.smsc.deliver(deliverBody({ data: 'Hi' }))).toBe(0)
    const part = (number: number, text: string) =>
      deliverBody({
        esmClass: 0x40,
        data: Buffer.from([5, 0, 3, 9, 3, number, ...Buffer.from(text)]),
      })
    for (const body of [part(3, 'C'), part(1, 'A'), part(3, 'C'), part(2, 'B')])
      expect(await t.smsc.deliver(body)).toBe(0)
    expect(t.arrived.map(({ from, to, body }) => [from, to, body])).toEqual([
      ['+13035550142', '+12025550111', 'Hi'],
      ['+13035550142', '+12025550111', 'ABC'],
    ])
    expect(await t.db.read.selectFrom('smpp_fragments').selectAll().execute()).toEqual([])
  })

  it('may come through another SMSC with the same system id', async () => {
    await using other = await TestSmsc.open()
    await using t = await smppFixture({ other })
    await Promise.all([t.smsc.bound(), other.bound()])
    expect(await other.deliver(deliverBody({ esmClass: 4, data: RECEIPT }))).toBe(0)
    const places = [`127.0.0.1:${String(other.port)}`, t.place]
    const [id, ...otherIds] = places.map((place) => `${place}/m1`)
    expect(t.received).toMatchObject([{ id, otherIds, recipient: '+13035550142' }])
    const part = (number: number, text: string) =>
      deliverBody({
        esmClass: 0x40,
        data: Buffer.from([5, 0, 3, 9, 2, number, ...Buffer.from(text)]),
      })
    expect(await t.smsc.deliver(part(1, 'A'))).toBe(0)
    expect(await other.deliver(part(2, 'B'))).toBe(0)
    expect(t.arrived.map(({ body }) => body)).toEqual(['AB'])
  })

  it('in parts of UCS-2 may be divided within a character', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    const part = (number: number, hex: string) =>
      deliverBody({
        esmClass: 0x40,
        coding: 8,
        data: Buffer.concat([Buffer.from([5, 0, 3, 9, 2, number]), Buffer.from(hex, 'hex')]),
      })
    expect(await t.smsc.deliver(part(2, 'de000041'))).toBe(0)
    expect(await t.smsc.deliver(part(1, '0022d83d'))).toBe(0)
    // Half a character that stays alone is none.
    expect(await t.smsc.deliver(part(1, '0022d83d'))).toBe(0)
    expect(await t.smsc.deliver(part(2, '0042'))).toBe(0)
    expect(t.arrived.map(({ body }) => body)).toEqual(['"\u{1f600}A', '"\ufffdB'])
  })

  it('in parts of the GSM alphabet may be divided behind an escape', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    const part = (number: number, hex: string) =>
      deliverBody({
        esmClass: 0x40,
        data: Buffer.concat([Buffer.from([5, 0, 3, 9, 2, number]), Buffer.from(hex, 'hex')]),
      })
    expect(await t.smsc.deliver(part(2, '6542'))).toBe(0)
    expect(await t.smsc.deliver(part(1, '411b'))).toBe(0)
    expect(await t.smsc.deliver(deliverBody({ data: Buffer.from('411b', 'hex') }))).toBe(0)
    expect(t.arrived.map(({ body }) => body)).toEqual(['A€B', 'A'])
  })

  it('in parts begins anew when a part comes with another text', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    const part = (number: number, text: string) =>
      deliverBody({
        esmClass: 0x40,
        data: Buffer.from([5, 0, 3, 9, 3, number, ...Buffer.from(text)]),
      })
    // The third part of the first message was lost.
    const parts = [part(1, 'old '), part(2, 'text '), part(1, 'A'), part(1, 'A'), part(3, 'C')]
    for (const body of parts) expect(await t.smsc.deliver(body)).toBe(0)
    expect(t.arrived).toEqual([])
    expect(await t.smsc.deliver(part(2, 'B'))).toBe(0)
    expect(t.arrived.map(({ body }) => body)).toEqual(['ABC'])
  })

  it('in parts is taken with the same id when the last part comes again after a fault', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    const part = (number: number) =>
      deliverBody({ esmClass: 0x40, data: Buffer.from([5, 0, 3, 9, 2, number, 0x41]) })
    expect(await t.smsc.deliver(part(1))).toBe(0)
    t.fault.error = new Error('no database')
    expect(await t.smsc.deliver(part(2))).toBe(0x64)
    t.fault.error = undefined
    expect(await t.smsc.deliver(part(2))).toBe(0)
    expect(t.arrived.map(({ body }) => body)).toEqual(['AA'])
  })
})

describe('a message to a short code', () => {
  it('goes to the SMSC alone that takes such', async () => {
    await using other = await TestSmsc.open()
    await using t = await smppFixture({ query: '?short_codes=abbreviated', other })
    await Promise.all([t.smsc.bound(), other.bound()])
    const sent = Array.from({ length: 6 }, () => t.send(submission('JOIN', '72345')))
    await Promise.all(sent)
    expect(t.smsc.taken.map(({ to, toType }) => [to, toType])).toEqual(
      Array.from({ length: 6 }, () => ['72345', 6]),
    )
    expect(other.submits).toBe(0)
    expect(t.carrier.takesShortCodes).toBe(true)
  })

  it('goes to none by default', async () => {
    await using t = await smppFixture()
    expect(t.carrier.takesShortCodes).toBe(false)
    await t.smsc.bound()
    expect((await t.submit(submission('JOIN', '72345'))).type).toBe('busy')
    expect(t.smsc.submits).toBe(0)
  })
})
