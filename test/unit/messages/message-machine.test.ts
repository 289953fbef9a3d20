import { describe, expect, it } from 'vitest'
import { type MessageEvent, type MessageLife, step } from '../../../src/messages/message-machine.js'
import { readReceiptState } from '../../../src/messages/receipt-state.js'

const scheduled: MessageLife = { state: 'scheduled' }
const queued: MessageLife = { state: 'queued' }
const sending: MessageLife = { state: 'sending' }
const sent = (...parts: Extract<MessageLife, { state: 'sent' }>['parts']): MessageLife => ({
  state: 'sent',
  parts,
})
const receipt = (
  part: number,
  state: Extract<MessageEvent, { type: 'receipt' }>['state'],
): MessageEvent => ({ type: 'receipt', part, state })

describe('the life of a message', () => {
  it.each<[string, MessageLife, MessageEvent, MessageLife, string[]]>([
    ['its time comes', scheduled, { type: 'due' }, queued, ['report']],
    [
      'it is canceled in time',
      scheduled,
      { type: 'cancel-requested' },
      { state: 'canceled' },
      ['return-money', 'report'],
    ],
    ['it is canceled too late', queued, { type: 'cancel-requested' }, queued, []],
    ['its turn comes', queued, { type: 'released' }, sending, []],
    [
      'the carrier takes it in two parts',
      sending,
      { type: 'accepted', parts: 2 },
      sent('ENROUTE', 'ENROUTE'),
      ['charge', 'report'],
    ],
    [
      'the carrier answers twice',
      sent('ENROUTE'),
      { type: 'accepted', parts: 1 },
      sent('ENROUTE'),
      [],
    ],
    [
      'the carrier refuses it',
      sending,
      { type: 'refused', errorCode: 30007 },
      { state: 'failed', errorCode: 30007 },
      ['return-money', 'report'],
    ],
    [
      'STOP comes while it waits',
      queued,
      { type: 'refused', errorCode: 21610 },
      { state: 'failed', errorCode: 21610 },
      ['return-money', 'report'],
    ],
    [
      'STOP comes too late',
      sent('ENROUTE'),
      { type: 'refused', errorCode: 21610 },
      sent('ENROUTE'),
      [],
    ],
    [
      'one of two parts arrives',
      sent('ENROUTE', 'ENROUTE'),
      receipt(1, 'DELIVRD'),
      sent('ENROUTE', 'DELIVRD'),
      [],
    ],
    [
      'the other arrives as well',
      sent('ENROUTE', 'DELIVRD'),
      receipt(0, 'DELIVRD'),
      { state: 'delivered' },
      ['report'],
    ],
    [
      'the worst part decides',
      sent('REJECTD', 'ENROUTE'),
      receipt(1, 'UNDELIV'),
      { state: 'undelivered', errorCode: 30007 },
      ['report'],
    ],
    ['a passing receipt', sent('ENROUTE'), receipt(0, 'ACCEPTD'), sent('ACCEPTD'), []],
    [
      'a receipt for a final part',
      sent('DELIVRD', 'ENROUTE'),
      receipt(0, 'UNDELIV'),
      sent('DELIVRD', 'ENROUTE'),
      [],
    ],
    [
      'a receipt for a part that it does not have',
      sent('ENROUTE'),
      receipt(3, 'DELIVRD'),
      sent('ENROUTE'),
      [],
    ],
    [
      'a receipt after the end',
      { state: 'delivered' },
      receipt(0, 'UNDELIV'),
      { state: 'delivered' },
      [],
    ],
    [
      'the carrier does not know why',
      sent('ENROUTE'),
      receipt(0, 'UNKNOWN'),
      { state: 'undelivered', errorCode: 30008 },
      ['report'],
    ],
    [
      'it expires on its way',
      sent('ENROUTE'),
      receipt(0, 'EXPIRED'),
      { state: 'undelivered', errorCode: 30036 },
      ['report'],
    ],
  ])('%s', (_title, life, event, after, effects) => {
    const taken = step(life, event)
    expect(taken.state).toEqual(after)
    expect(taken.effects.map(({ type }) => type)).toEqual(effects)
  })

  it.each([
    ['delivrd ', 'DELIVRD'],
    ['FAILED', 'UNDELIV'],
    ['whatever', 'UNKNOWN'],
    ['', 'UNKNOWN'],
  ])('reads the receipt %j as %s', (word, state) => {
    expect(readReceiptState(word)).toBe(state)
  })
})
