import { describe, expect, it } from 'vitest'
import { CallDelay } from '../../../../../src/voice/calls/admission/call-delay.js'
import { TooManyCallsError } from '../../../../../src/voice/model/call-errors.js'
import { PLAN, setUpCalls } from '../../../../support/voice/calls-fixture.js'

const LIMIT_MS = 200

describe('the delay by which calls are refused', () => {
  it.each<[string, readonly number[], boolean]>([
    ['nothing was measured', [], false],
    ['every turn is in time', [0, 1, 3, 2], false],
    ['one long pause', [0, 0, 5_000, 0], false],
    ['three late turns', [900, 900, 900], false],
    ['four late turns', [900, 900, 900, 201], true],
    ['the last turn is in time again', [900, 900, 900, 900, 200], false],
  ])('of the event loop: %s', (_title, turns, isLate) => {
    const delay = new CallDelay(LIMIT_MS)
    for (const lateMs of turns) delay.turned(lateMs)
    expect(delay.refuses(0)).toBe(isLate)
    expect(delay.refused).toBe(isLate ? 1 : 0)
  })

  it.each<[string, readonly number[], boolean]>([
    ['three slow ones', [900, 900, 900], false],
    ['four slow ones', [900, 900, 900, 201], true],
    ['half of them quick', [5_000, 900, 10, 10, 10], false],
    [
      'slow ones before many quick ones',
      Array.from({ length: 32 }, (_, call) => (call < 16 ? 900 : 5)),
      false,
    ],
  ])('of the set-up of calls: %s', (_title, setUps, isLate) => {
    const delay = new CallDelay(LIMIT_MS)
    for (const tookMs of setUps) delay.setUp(tookMs, 10)
    expect(delay.refuses(20)).toBe(isLate)
  })

  it('of set-ups is forgotten after half a second, so that calls are tried again', () => {
    const delay = new CallDelay(LIMIT_MS)
    for (let call = 0; call < 8; call += 1) delay.setUp(900, call)
    expect(delay.ms(499)).toBe(900)
    expect(delay.refuses(510)).toBe(false)
  })

  it.each([
    [200, false],
    [201, true],
  ])('of channels that take %i ms', (takeMs, isLate) => {
    const delay = new CallDelay(LIMIT_MS)
    delay.channels(5_000)
    delay.channels(takeMs)
    expect(delay.ms(0)).toBe(takeMs)
    expect(delay.refuses(0)).toBe(isLate)
  })

  it('refuses none where the limit is 0', () => {
    const delay = new CallDelay(0)
    for (let turn = 0; turn < 8; turn += 1) delay.turned(60_000)
    expect(delay.refuses(0)).toBe(false)
  })
})

describe('a server that is late with its calls', () => {
  const NUMBER = '+12125550143'
  const to = (user: string) => ({ requestUri: { uri: `sip:${user}@here`, user, host: 'here' } })

  async function setUp() {
    const t = await setUpCalls(undefined, { maxDelayMs: 60_000 })
    await t.numbers.assign(t.account.sid, NUMBER, { voiceUrl: 'http://a.test/' })
    const create = () => t.calls.create(t.account, { to: '+15005550001', from: NUMBER, plan: PLAN })
    const beLate = (): void => {
      // Measured in the future: the second in which it counts is longer than the test.
      for (let call = 0; call < 4; call += 1) t.delay.setUp(90_000, Number.MAX_SAFE_INTEGER)
    }
    return Object.assign(t, { create, beLate })
  }

  it('takes calls while it is in time', async () => {
    await using t = await setUp()
    expect((await t.create()).status).toBe('queued')
    const { rejected } = t.telephony.invite(to(NUMBER))
    await t.telephony.leg(1)
    expect(rejected).toEqual([])
  })

  it('refuses an INVITE at once with 503 and says when to try again', async () => {
    await using t = await setUp()
    t.beLate()
    const answers: unknown[] = []
    t.telephony.invite({
      ...to(NUMBER),
      reject: (status, _reason, headers) => {
        answers.push([status, headers])
      },
    })
    expect(answers).toEqual([[503, { 'Retry-After': '5' }]])
    expect(t.calls.liveCount()).toBe(0)
  })

  it('refuses a call of the REST API, and stores nothing of it', async () => {
    await using t = await setUp()
    t.beLate()
    await expect(t.create()).rejects.toThrow(TooManyCallsError)
    expect((await t.calls.list(t.account.sid, {}, { limit: 9, offset: 0 })).items).toEqual([])
    expect(t.delay.refused).toBe(1)
  })

  it.each(['911', '933', '+911'])('does not refuse a call to %s for it', async (number) => {
    await using t = await setUp()
    t.beLate()
    t.telephony.invite(to(number))
    expect(t.delay.refused).toBe(0)
    expect(t.calls.liveCount()).toBe(0)
  })
})
