import { describe, expect, it } from 'vitest'
import {
  recoverVerifications,
  settleVerification,
} from '../../../../src/voice/caller-ids/settle-verification.js'
import { createVerificationDocument } from '../../../../src/voice/caller-ids/verification-document.js'
import {
  createVerificationStore,
  insertVerification,
} from '../../../../src/voice/caller-ids/verification-store.js'
import { type CallRecord, newCallRecord } from '../../../../src/voice/model/call-record.js'
import { paramsOf, setUpCalls } from '../../../support/voice/calls-fixture.js'
import { RecordingOutbox } from '../../../support/voice/recording-outbox.js'

const BASE = 'http://internal.invalid/'
const CODE = '123456'
const NUMBER = '+15005550001'

async function setUp() {
  const bench = await setUpCalls()
  const { account, clock, db, vault } = bench
  const outbox = new RecordingOutbox(db)
  const store = createVerificationStore({ db, clock, outbox })
  const answer = createVerificationDocument({ store, vault })
  const calls = new Map<string, CallRecord>()
  /** Stores a verification and makes its call, which is not stored. */
  const begin = async (letter: string, phoneNumber = NUMBER) => {
    const call = newCallRecord(
      {
        sid: `CA${letter.repeat(32)}`,
        accountSid: account.sid,
        direction: 'outbound-api',
        to: phoneNumber,
        from: phoneNumber,
        plan: { document: { type: 'internal', name: 'caller-id-verification' }, timeoutSeconds: 1 },
      },
      clock.now(),
    )
    calls.set(call.sid, call)
    const verification = {
      callSid: call.sid,
      accountSid: account.sid,
      phoneNumber,
      friendlyName: 'desk',
      sealedCode: vault.seal(CODE),
      callback: { url: 'http://app.test/verified', method: 'POST' },
      createdAt: 0,
    } as const
    await db.write((tx) => insertVerification(tx, verification))
    return { call, verification }
  }
  const find = (_accountSid: string, sid: string) => Promise.resolve(calls.get(sid))
  const ask = async (call: CallRecord, attempt = 0, Digits = '') => {
    const url = attempt === 0 ? BASE : `${BASE}?attempt=${attempt}`
    return (await answer(call, { url, method: 'POST', params: { Digits } })).text
  }
  const told = () => outbox.callbacks.map(paramsOf)
  const held = async () =>
    (await bench.callerIds.list(account.sid, {}, { offset: 0, limit: 9 })).items
  return { ...bench, store, calls, begin, find, ask, told, held }
}

describe('the document of a verification call', () => {
  it('makes the number a caller ID once, however often the right code comes', async () => {
    await using t = await setUp()
    const { call } = await t.begin('a')
    expect(await t.ask(call)).toContain('<Gather action="?attempt=1"')
    expect(await t.ask(call, 1, '654321')).toContain('<Gather action="?attempt=2"')
    const answers = await Promise.all([t.ask(call, 2, CODE), t.ask(call, 2, CODE)])
    expect(answers.filter((text) => text.includes('is verified'))).toHaveLength(1)
    expect(await t.held()).toMatchObject([{ phoneNumber: NUMBER, friendlyName: 'desk' }])
    expect(t.told()).toHaveLength(1)
    const [{ sid } = { sid: '' }] = await t.held()
    expect(t.told()[0]).toMatchObject({ VerificationStatus: 'success', OutgoingCallerIdSid: sid })
  })

  it.each([
    '',
    '12345',
    '1234567',
    '123456#',
    '000000',
  ])('takes no %j for the code', async (typed) => {
    await using t = await setUp()
    const { call } = await t.begin('a')
    expect(await t.ask(call, 1, typed)).toContain('attempt=2')
    expect(await t.ask(call, 3, typed)).toContain('not verified')
    expect(await t.held()).toEqual([])
  })

  it('hangs up a call without a verification', async () => {
    await using t = await setUp()
    const { call, verification } = await t.begin('a')
    t.calls.set(call.sid, { ...call, status: 'completed', endedAt: 1 })
    await settleVerification(verification, t.store, t.find)
    expect(await t.ask(call, 1, CODE)).toBe('<Response><Hangup/></Response>')
    expect(await t.held()).toEqual([])
  })
})

describe('verifications that a killed process left', () => {
  it('fail once their calls are over, each with one callback; a live one goes on', async () => {
    await using t = await setUp()
    const over = await t.begin('a')
    t.calls.set(over.call.sid, { ...over.call, status: 'failed', endedAt: 1 })
    const live = await t.begin('b', '+15005550002')
    const gone = await t.begin('c', '+15005550003')
    t.calls.delete(gone.call.sid)
    expect(await recoverVerifications(t.store, t.find)).toBe(2)
    expect(await recoverVerifications(t.store, t.find)).toBe(0)
    expect(t.told()).toHaveLength(1)
    expect(t.told()[0]).toMatchObject({
      CallSid: over.call.sid,
      CallStatus: 'failed',
      VerificationStatus: 'failed',
    })
    expect(await t.store.allPending()).toMatchObject([{ callSid: live.call.sid }])
    await t.begin('d')
  })
})
