import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../../../src/platform/database/storage-error.js'
import type { Rejection } from '../../../../../src/voice/calls/admission/classify-sender.js'
import { explained, Refusals } from '../../../../../src/voice/calls/admission/refusals.js'
import type { Refusal } from '../../../../../src/voice/refused-calls/refused-calls.js'
import type { IncomingInvite } from '../../../../../src/voice/telephony/port.js'
import { recordingLog } from '../../../../support/process/recording-log.js'

const FULL: Rejection = {
  type: 'reject',
  status: 486,
  reason: 'Busy Here',
  why: 'the account has its calls at once',
  accountSid: 'AC1',
}

function setUp() {
  const { log, lines } = recordingLog()
  const appended: unknown[] = []
  const sent: number[] = []
  const noted: Refusal[] = []
  let now = 0
  const refusals = new Refusals({
    clock: { monotonic: () => now },
    log,
    events: { append: (event) => appended.push(event) },
    refusedCalls: { note: (refusal) => noted.push(refusal) },
  })
  const invite = {
    callId: 'c1',
    source: { address: '192.0.2.9', port: 5060, transport: 'udp' },
    from: { user: '+15550001111', host: 'y', uri: 'sip:+15550001111@y' },
    requestUri: { user: '+15551112222', host: 'x', uri: 'sip:+15551112222@x' },
    reject: (status: number) => sent.push(status),
    drop: () => undefined,
  } as unknown as IncomingInvite // nothing else of it is read
  const wait = (ms: number) => {
    now += ms
  }
  const entries = () => lines.map(({ fields }) => fields)
  return { refusals, invite, entries, appended, noted, sent, wait }
}

describe('a call that is refused before it is stored', () => {
  it('is explained in the log, and in the events of its account', () => {
    const { refusals, invite, entries, appended, noted, sent } = setUp()
    refusals.refuse(invite, FULL)
    expect(noted).toEqual([
      {
        ...{ address: '192.0.2.9', port: 5060, transport: 'udp', userAgent: '', callId: 'c1' },
        ...{ fromUri: 'sip:+15550001111@y', called: 'sip:+15551112222@x' },
        ...{ status: 486, why: FULL.why, accountSid: 'AC1' },
      },
    ])
    expect(sent).toEqual([486])
    expect(entries()).toMatchObject([
      { msg: 'refused a call', status: 486, why: FULL.why, number: '+15551112222', callId: 'c1' },
    ])
    expect(appended).toMatchObject([
      { accountSid: 'AC1', kind: 'sip', detail: { message: '486 Busy Here', why: FULL.why } },
    ])
  })

  it('is explained in the log alone when it is no account’s', () => {
    const { refusals, invite, entries, appended } = setUp()
    const why = 'nobody holds the number'
    refusals.refuse(invite, { type: 'reject', status: 404, reason: 'Not Found', why })
    expect(entries()).toMatchObject([{ msg: 'refused a call', status: 404, why }])
    expect(appended).toEqual([])
  })

  it('is one of many that one line tells of, when the server is full', () => {
    const { refusals, invite, entries, sent, wait } = setUp()
    for (let i = 0; i < 100; i += 1) refusals.refuseForNow(invite, 'the server has its 9 calls')
    wait(5_000)
    refusals.refuseForNow(invite, 'the server has its 9 calls')
    expect(sent).toEqual(Array(101).fill(503))
    expect(entries()).toMatchObject([
      { msg: 'refused calls for now', calls: 1, why: 'the server has its 9 calls' },
      { msg: 'refused calls for now', calls: 100 },
    ])
  })
})

it('notes each refused call with its status, and no digest challenge', () => {
  const { refusals, invite, noted } = setUp()
  refusals.refuse(invite, FULL)
  refusals.refuse(invite, { type: 'reject', status: 401, reason: 'Unauthorized' })
  refusals.refuseForNow(invite, 'this server is shutting down')
  refusals.refuseFailed(invite, new Error('a fault'))
  refusals.refuseFailed(invite, new StorageUnavailableError('the disk is full'))
  refusals.drop(invite)
  expect(noted.map(({ status }) => status)).toEqual([486, 503, 500, 503, 0])
})

describe('the reason of a rejection', () => {
  it.each<[string, Partial<Rejection>, string | undefined]>([
    ['its own', { why: 'w', headers: { Warning: '399 trunkline "13225 x"' } }, 'w'],
    [
      'that of its Warning',
      { headers: { Warning: '399 trunkline "13225 not allowed"' } },
      '13225 not allowed',
    ],
    ['its reason phrase', {}, 'Forbidden'],
    ['none: it is a challenge', { status: 401 }, undefined],
  ])('is %s', (_title, part, why) => {
    const rejection = { type: 'reject', status: 403, reason: 'Forbidden', ...part } as const
    expect(explained(rejection, 'AC1')).toEqual(
      why === undefined ? rejection : { ...rejection, why, accountSid: 'AC1' },
    )
  })

  it('is not asked of a call that is taken', () => {
    expect(explained({ type: 'take' }, 'AC1')).toEqual({ type: 'take' })
  })
})
