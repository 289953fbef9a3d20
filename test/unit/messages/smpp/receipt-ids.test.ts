import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { readDelivered } from '../../../../src/messages/smpp/codec/delivered.js'
import {
  plainId,
  type ReceiptSpelling,
  responseIds,
} from '../../../../src/messages/smpp/smpp-carrier.js'
import { FROM, messagesFixture, START, TO } from '../../../support/messages/messages-fixture.js'
import { smppFixture, submission } from '../../../support/messages/smpp-fixture.js'
import { deliverBody } from '../../../support/messages/test-smsc.js'

describe('the text of a receipt', () => {
  it.each([
    [
      'as most write it',
      'id:a1 sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:DELIVRD err:000 text:Hi',
      'DELIVRD',
    ],
    [
      'with seconds in its dates',
      'id:a1 sub:001 dlvrd:001 submit date:261122120000 done date:261122120130 stat:EXPIRED err:000 text:Hi',
      'EXPIRED',
    ],
    [
      'without sub and dlvrd',
      'id:a1 submit date:2611221200 done date:2611221201 stat:UNDELIV err:099 text:',
      'UNDELIV',
    ],
    [
      'with a capital Text',
      'id:a1 sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:REJECTD err:000 Text:Hi',
      'REJECTD',
    ],
    [
      'with a word and a date of no standard',
      'id:a1 sub:001 dlvrd:000 submit date:2611221200 done date:0000000000 stat:FAILED err:001 text:',
      'FAILED',
    ],
    ['in capitals, without a text', 'ID:a1 SUB:001 DLVRD:001 STAT:ACCEPTD ERR:000', 'ACCEPTD'],
  ])('is read %s', (_title, data, state) => {
    const found = readDelivered(deliverBody({ esmClass: 4, data }))
    expect(found).toMatchObject({ type: 'receipt', id: 'a1', state, from: '+13035550142' })
  })
})

describe('the ids that a receipt may mean', () => {
  it.each<[string, string, ReceiptSpelling, string[]]>([
    ['decimal beside hexadecimal, not told', '41394', 'any', ['41394', 'a1b2', '267156']],
    ['hexadecimal beside decimal, not told', '00A1B2', 'any', ['a1b2', '41394']],
    ['decimal, told', '41394', 'decimal', ['a1b2']],
    ['hexadecimal, told', 'A1B2', 'hex', ['41394']],
    ['the same, told', '0041394', 'same', ['41394']],
    ['no number', 'id-1', 'any', ['id-1']],
    ['one digit', '7', 'any', ['7']],
    ['only zeros', '000', 'any', ['0']],
    ['more digits than a number has', '9'.repeat(41), 'any', ['9'.repeat(41)]],
  ])('%s', (_title, id, spelling, ids) => {
    expect(responseIds(id, spelling)).toEqual(ids)
  })

  it('are stored without leading zeros and in small letters', () => {
    expect(['00A1B2', 'id-00A1', '0'].map(plainId)).toEqual(['a1b2', 'id-00A1', '0'])
  })

  it('are given with the recipient', async () => {
    await using t = await smppFixture()
    await t.send(submission())
    const data = 'id:41394 sub:001 dlvrd:001 stat:DELIVRD err:000 text:'
    expect(await t.smsc.deliver(deliverBody({ esmClass: 4, data }))).toBe(0)
    const ids = ['41394', 'a1b2', '267156'].map((id) => `${t.place}/${id}`)
    expect(t.received).toEqual([
      { carrier: 'smpp', id: ids[0], otherIds: ids.slice(1), recipient: TO, state: 'DELIVRD' },
    ])
  })
})

describe('a receipt that may mean several ids', () => {
  const OTHER = '+13035550199'
  /** Two messages whose ids could be taken for each other's. */
  async function setUp() {
    const t = await messagesFixture()
    t.carrier.answer = ({ to }) => ({ type: 'accepted', ids: [to === TO ? '16' : '10'] })
    const first = await t.send()
    const second = await t.send({ to: OTHER })
    await t.messages.settle()
    const receive = (id: string, otherIds: string[], recipient: string | undefined) =>
      t.messages.receive({ carrier: 'scripted', id, otherIds, recipient, state: 'DELIVRD' })
    const states = async () => [await t.status(first.sid), await t.status(second.sid)]
    return Object.assign(t, { receive, states })
  }

  it('is for the message that went to its recipient', async () => {
    await using t = await setUp()
    await t.receive('16', ['10', '22'], OTHER)
    expect(await t.states()).toEqual(['sent', 'delivered'])
  })

  it('is for the message with its own spelling when the recipient says nothing', async () => {
    await using t = await setUp()
    await t.receive('16', ['10', '22'], undefined)
    expect(await t.states()).toEqual(['delivered', 'sent'])
    await t.receive('99', ['10'], undefined)
    expect(await t.states()).toEqual(['delivered', 'delivered'])
  })

  it('waits for its message under each of the ids', async () => {
    await using t = await messagesFixture()
    const early = { carrier: 'scripted', id: '41394', otherIds: ['a1b2'], recipient: TO }
    t.carrier.answer = async () => {
      await t.messages.receive({ ...early, state: 'DELIVRD' })
      return { type: 'accepted', ids: ['a1b2'] }
    }
    const { sid } = await t.send({ from: FROM })
    await t.messages.settle()
    expect(await t.status(sid)).toBe('delivered')
  })

  it('waits for no other message than that of its recipient', async () => {
    await using t = await messagesFixture()
    const early = { carrier: 'scripted', id: '16', otherIds: ['10', '22'], recipient: OTHER }
    await t.messages.receive({ ...early, state: 'DELIVRD' })
    t.carrier.answer = ({ to }) => ({ type: 'accepted', ids: [to === TO ? '22' : '10'] })
    const first = await t.send()
    const second = await t.send({ to: OTHER })
    await t.messages.settle()
    expect([await t.status(first.sid), await t.status(second.sid)]).toEqual(['sent', 'delivered'])
  })

  it('waits no more for another message once it has found its own', async () => {
    await using t = await messagesFixture()
    const early = { carrier: 'scripted', id: '16', otherIds: ['10', '22'], recipient: TO }
    await t.messages.receive({ ...early, state: 'DELIVRD' })
    t.carrier.answer = ({ segments }) => ({ type: 'accepted', ids: [segments.join('')] })
    const first = await t.send({ body: '10' })
    await t.messages.settle()
    const second = await t.send({ body: '22' })
    await t.messages.settle()
    expect([await t.status(first.sid), await t.status(second.sid)]).toEqual(['delivered', 'sent'])
  })

  it('that was kept by an earlier version is found', async () => {
    await using t = await messagesFixture({
      earlier: {
        migration: 'messages/6-own-opt-outs',
        store: (tx) =>
          sql`insert into message_early_receipts (carrier, "carrierId", state, "receivedAt")
            values ('scripted', '10', 'DELIVRD', ${START})`.execute(tx),
      },
    })
    t.carrier.answer = () => ({ type: 'accepted', ids: ['10'] })
    const { sid } = await t.send()
    await t.messages.settle()
    expect(await t.status(sid)).toBe('delivered')
  })
})
