import { describe, expect, it } from 'vitest'
import { newChildCall } from '../../../../../src/voice/calls/children/child-call.js'
import {
  type ChildCallRequest,
  DialRefusedError,
} from '../../../../../src/voice/markup/child-call.js'
import { newCallRecord } from '../../../../../src/voice/model/call-record.js'

const parent = newCallRecord(
  {
    sid: `CA${'0'.repeat(32)}`,
    accountSid: `AC${'0'.repeat(32)}`,
    direction: 'inbound',
    to: '+15551112222',
    from: '+15553334444',
    plan: { document: { type: 'inline', text: '<Response/>' }, timeoutSeconds: 30 },
  },
  0,
)

function refusalOf(number: string, callerId?: string, from = parent): number | undefined {
  const wanted: ChildCallRequest = {
    to: { type: 'number', number },
    callerId,
    callReason: undefined,
    timeoutSeconds: 30,
    sendDigits: undefined,
    screening: undefined,
    statusCallback: undefined,
    machineDetection: undefined,
  }
  const destinationRules = {
    regions: ['US'],
    blockedPrefixes: ['+1900'],
    allowed: [],
    denied: [],
    abroad: 'open',
  } as const
  const vault = {
    seal: (text: string) => text,
    open: (text: string) => text,
    keyFor: () => Buffer.alloc(32),
  }
  try {
    newChildCall(from, wanted, { destinationRules, vault, now: 0 })
    return undefined
  } catch (error) {
    if (error instanceof DialRefusedError) return error.number
    throw error
  }
}

describe('a party that a Dial names', () => {
  it.each([
    ['no number at all', '+1555', 13224],
    ['a blocked prefix', '+19002345678', 13225],
    ['a country code that does not exist', '+2105551234567', 13226],
    ['a country that the account does not call', '+442079460000', 13227],
  ])('is refused: %s', (_why, number, code) => {
    expect(refusalOf(number)).toBe(code)
  })

  it.each([
    ['a name', 'Anna', 13247],
    ['a SIP URI', 'sip:anna@phone.test', 13247],
    ['a number', '+15556667777', undefined],
    ['a short code', '12345', undefined],
  ])('that is a number is shown as caller: %s', (_what, callerId, code) => {
    expect(refusalOf('+15005550001', callerId)).toBe(code)
  })

  it('is refused when the hops of its caller are used up', () => {
    const led = (maxForwards: number) => ({ ...parent, plan: { ...parent.plan, maxForwards } })
    expect(refusalOf('+15005550001', undefined, led(0))).toBe(10004)
    expect(refusalOf('+15005550001', undefined, led(1))).toBeUndefined()
  })
})
