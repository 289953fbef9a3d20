import { describe, expect, it } from 'vitest'
import type { CallPlan } from '../../../../src/voice/model/call-plan.js'
import { type CallRecord, newCallRecord } from '../../../../src/voice/model/call-record.js'
import {
  standardParams,
  statusCallbackParams,
} from '../../../../src/voice/model/callback-params.js'
import { applicationHeaders, forwardedFrom } from '../../../../src/voice/model/invite-headers.js'

const plan: CallPlan = { document: { type: 'inline', text: '<Response/>' }, timeoutSeconds: 60 }
const at = new Date('2010-08-20T01:13:42Z')

function call(changes: Partial<CallRecord> = {}): CallRecord {
  const ends = { from: '+14158675310', to: '+442079460000' }
  const wanted = {
    sid: 'CA1',
    accountSid: 'AC1',
    direction: 'outbound-api',
    ...ends,
    plan,
  } as const
  return { ...newCallRecord(wanted, 0), ...changes }
}
const of = (params: readonly (readonly [string, string])[]) => {
  expect(new Set(params.map(([name]) => name)).size).toBe(params.length)
  return Object.fromEntries(params)
}

describe('parameters of a voice webhook', () => {
  it('always has who, whom, which and how', () => {
    expect(of(standardParams(call({ status: 'in-progress' })))).toEqual({
      ...{ CallSid: 'CA1', AccountSid: 'AC1', ApiVersion: '2010-04-01' },
      ...{ From: '+14158675310', To: '+442079460000' },
      ...{ Caller: '+14158675310', Called: '+442079460000' },
      ...{ CallStatus: 'in-progress', Direction: 'outbound-api' },
      ...{ FromCity: '', FromState: '', FromZip: '', FromCountry: 'US' },
      ...{ CallerCity: '', CallerState: '', CallerZip: '', CallerCountry: 'US' },
      ...{ ToCity: '', ToState: '', ToZip: '', ToCountry: 'GB' },
      ...{ CalledCity: '', CalledState: '', CalledZip: '', CalledCountry: 'GB' },
    })
  })

  it.each([
    ['ParentCallSid', { direction: 'outbound-dial', parentCallSid: 'CA0' }, 'CA0'],
    ['CallerName', { callerName: 'Ann' }, 'Ann'],
    ['ForwardedFrom', { forwardedFrom: '+15005550009' }, '+15005550009'],
    ['AnsweredBy', { answeredBy: 'human' }, 'human'],
    ['FromCountry', { from: '12345' }, ''],
  ] satisfies [
    string,
    Partial<CallRecord>,
    string,
  ][])('%s when it applies', (name, changes, value) => {
    expect(of(standardParams(call(changes)))[name]).toBe(value)
    if (name !== 'FromCountry') expect(of(standardParams(call()))).not.toHaveProperty(name)
  })

  it.each<[string, Partial<CallRecord>, string | undefined, string | undefined]>([
    ['a number has neither', { to: '+15005550001' }, undefined, undefined],
    ['a SIP destination ringing', { to: 'sip:a@b' }, 'id', undefined],
    ['a SIP destination answered', { to: 'sip:a@b', answeredAt: 1 }, 'id', '200'],
    [
      'an inbound call of a SIP address',
      { direction: 'inbound', from: 'sip:a@b', answeredAt: 1 },
      'id',
      undefined,
    ],
  ])('SipCallId and SipResponseCode: %s', (_title, changes, id, code) => {
    const params = of(standardParams(call({ sipCallId: 'id', ...changes })))
    expect([params['SipCallId'], params['SipResponseCode']]).toEqual([id, code])
  })

  it.each<[string, Partial<CallRecord>, boolean]>([
    ['an inbound call of a SIP address', { from: 'sip:a@b' }, true],
    ['an inbound call of a number', {}, false],
  ])('SipDomain and SipSourceIp: %s', (_title, changes, isTold) => {
    const sipOrigin = { domain: 'pbx.test', sourceIp: '198.41.0.4' }
    const params = of(standardParams(call({ direction: 'inbound', sipOrigin, ...changes })))
    expect([params['SipDomain'], params['SipSourceIp']]).toEqual(
      isTold ? ['pbx.test', '198.41.0.4'] : [undefined, undefined],
    )
  })

  it('has no place for a SIP address', () => {
    const names = Object.keys(of(standardParams(call({ to: 'sip:a@b' }))))
    expect(names).not.toContain('ToCountry')
    expect(names).toContain('FromCountry')
  })

  it('passes on the application headers of the INVITE', () => {
    const sipHeaders = [
      ['X-Customer-Id', '7'],
      ['User-to-User', 'abc;encoding=hex'],
    ] as const
    expect(of(standardParams(call({ direction: 'inbound', sipHeaders })))).toMatchObject({
      'SipHeader_X-Customer-Id': '7',
      'SipHeader_User-to-User': 'abc;encoding=hex',
    })
  })
})

describe('parameters of a status callback', () => {
  const ended = { status: 'completed', endedAt: 9, answeredAt: 1, sipStatus: 200 } as const

  it('tells when, what it is, and which of the call', () => {
    expect(of(statusCallbackParams(call(), 'ringing', 1, at))).toMatchObject({
      CallStatus: 'ringing',
      Timestamp: 'Fri, 20 Aug 2010 01:13:42 +0000',
      CallbackSource: 'call-progress-events',
      SequenceNumber: '1',
    })
  })

  it.each([
    ['initiated', 'initiated'],
    ['ringing', 'ringing'],
    ['answered', 'in-progress'],
  ] as const)('%s says %s and nothing of an end', (event, status) => {
    const params = of(statusCallbackParams(call(), event, 0, at))
    expect(params['CallStatus']).toBe(status)
    for (const name of ['CallDuration', 'Duration', 'SipResponseCode'])
      expect(params).not.toHaveProperty(name)
  })

  it.each([
    [0, '0'],
    [1, '1'],
    [49, '1'],
    [60, '1'],
    [61, '2'],
  ])('%i s are %s minutes', (durationSeconds, minutes) => {
    const params = of(statusCallbackParams(call({ ...ended, durationSeconds }), 'completed', 3, at))
    expect(params).toMatchObject({
      CallDuration: String(durationSeconds),
      Duration: minutes,
      SipResponseCode: '200',
    })
  })

  it.each([
    ['busy', 486],
    ['no-answer', 487],
    ['failed', 404],
    ['canceled', 487],
  ] as const)('a call that was %s says so with %i', (status, sipStatus) => {
    const record = call({ status, endedAt: 9, durationSeconds: 0, sipStatus })
    expect(of(statusCallbackParams(record, 'completed', 0, at))).toMatchObject({
      CallStatus: status,
      CallDuration: '0',
      Duration: '0',
      SipResponseCode: String(sipStatus),
    })
  })

  it('of an inbound call has no response code: it was ours', () => {
    const record = call({ ...ended, direction: 'inbound', durationSeconds: 5 })
    expect(of(statusCallbackParams(record, 'completed', 0, at))).not.toHaveProperty(
      'SipResponseCode',
    )
  })
})

describe('headers of an INVITE', () => {
  it('are told when they are for applications, with a bound', () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ name: `X-${i}`, value: 'v' }))
    const told = applicationHeaders([
      { name: 'P-Asserted-Identity', value: 'x' },
      { name: 'X-Long', value: 'x'.repeat(1_025) },
      { name: 'user-to-user', value: 'u' },
      ...many,
    ])
    expect(told).toHaveLength(20)
    expect(told.slice(0, 2)).toEqual([
      ['User-to-User', 'u'],
      ['X-0', 'v'],
    ])
  })

  it.each([
    ['<sip:+15005550009@192.0.2.1>;reason=unconditional', '+15005550009'],
    ['"Desk" <sip:5005550009@a.test:5060;user=phone>;counter=1, <sip:x@y>', '+15005550009'],
    ['sip:15005550009@a.test', '+15005550009'],
    ['<tel:+15005550009>', '+15005550009'],
    ['<sip:alice@a.test>', 'sip:alice@a.test'],
    ['nonsense', undefined],
    ['', undefined],
  ])('%j was forwarded from %s', (value, expected) => {
    expect(forwardedFrom([{ name: 'Diversion', value }])).toBe(expected)
  })
})
