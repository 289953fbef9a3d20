import { describe, expect, it } from 'vitest'
import type { Load } from '../../../../../src/platform/under-way.js'
import { OverloadControl } from '../../../../../src/voice/calls/admission/overload-control.js'
import { TooManyCallsError } from '../../../../../src/voice/model/call-errors.js'
import { PLAN, setUpCalls } from '../../../../support/voice/calls-fixture.js'

const LIMIT_MS = 200
const NO_CHANNELS: Load = { delayMs: 0, underWay: 0, perSecond: 0, done: [] }

/** Overload control beside a media server with such a load. */
function measured(limitMs = LIMIT_MS, channels = NO_CHANNELS): OverloadControl {
  return new OverloadControl(limitMs, () => channels)
}

/** Has a call set up that took so long until `now`. */
function storeCall(overload: OverloadControl, tookMs: number, now: number): void {
  overload.end(overload.begin(now - tookMs), now)
}

describe('the delay by which calls are refused', () => {
  it.each<[string, readonly number[], boolean]>([
    ['nothing was measured', [], false],
    ['every tick is in time', [0, 1, 3, 2], false],
    ['one long pause', [0, 0, 5_000, 0], false],
    ['three late ticks', [900, 900, 900], false],
    ['four late ticks', [900, 900, 900, 201], true],
    ['the last tick is in time again', [900, 900, 900, 900, 200], false],
  ])('of the event loop: %s', (_title, ticks, isLate) => {
    const overload = measured()
    for (const lateMs of ticks) overload.recordLoopLag(lateMs)
    expect(overload.refuses(1_000)).toBe(isLate)
    expect(overload.refused).toBe(isLate ? 1 : 0)
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
    const overload = measured()
    for (const tookMs of setUps) storeCall(overload, tookMs, 10_010)
    expect(overload.refuses(10_020)).toBe(isLate)
  })

  it('of set-ups is forgotten after half a second, so that calls are tried again', () => {
    const overload = measured()
    for (let call = 0; call < 8; call += 1) storeCall(overload, 900, 10_000 + call)
    expect(overload.delayMs(10_499)).toBe(900)
    expect(overload.refuses(10_510)).toBe(false)
  })

  it('has the calls that wait for their row, until they have it or are dropped', () => {
    const overload = measured()
    const waiting = Array.from({ length: 4 }, () => overload.begin(1_000))
    expect(overload.delayMs(1_300)).toBe(300)
    expect(overload.refuses(1_300)).toBe(true)
    for (const call of waiting) overload.abandon(call, 1_300)
    expect(overload.delayMs(1_300)).toBe(0)
  })

  it.each([
    [200, false],
    [201, true],
  ])('of channels that take %i ms', (takeMs, isLate) => {
    const overload = measured(LIMIT_MS, { delayMs: takeMs, underWay: 1, perSecond: 5, done: [] })
    expect(overload.delayMs(1_000)).toBe(takeMs)
    expect(overload.refuses(1_000)).toBe(isLate)
  })

  it('has no room for a call that waits while as many are set up as wait no longer than usual', () => {
    let load: Load = { delayMs: 20, underWay: 0, perSecond: 50, done: [] }
    const overload = new OverloadControl(LIMIT_MS, () => load)
    for (let tick = 1; tick <= 100; tick += 1) overload.tick(50 * tick)
    // 1.75 times 20 ms, at 50 a second.
    expect(overload.hasRoom(6_000)).toBe(true)
    load = { ...load, underWay: 1 }
    expect(overload.hasRoom(6_000)).toBe(true)
    load = { ...load, underWay: 2 }
    expect(overload.hasRoom(6_000)).toBe(false)
    // Nobody is refused for it.
    expect(overload.refusesToQueue(6_000)).toBe(false)
    expect(overload.refuses(6_000)).toBe(false)
  })

  it('learns while it holds calls that each takes longer for good', () => {
    let load: Load = { delayMs: 10, underWay: 0, perSecond: 100, done: [] }
    const overload = new OverloadControl(LIMIT_MS, () => load)
    for (let tick = 1; tick <= 100; tick += 1) overload.tick(50 * tick)
    // One after another, each takes 60 ms now.
    load = { delayMs: 60, underWay: 1, perSecond: 16, done: [] }
    expect(overload.hasRoom(5_050)).toBe(false)
    for (let tick = 1; tick <= 100; tick += 1) {
      overload.hasRoom(5_050 + 50 * tick)
      overload.tick(5_050 + 50 * tick)
    }
    expect(overload.hasRoom(10_100)).toBe(true)
  })

  it('refuses none where the limit is 0', () => {
    const overload = measured(0)
    for (let tick = 0; tick < 8; tick += 1) overload.recordLoopLag(60_000)
    expect(overload.refuses(1_000)).toBe(false)
    expect(overload.refusesToQueue(1_000)).toBe(false)
    expect(overload.hasRoom(1_000)).toBe(true)
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
      for (let call = 0; call < 4; call += 1) storeCall(t.overload, 90_000, Number.MAX_SAFE_INTEGER)
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
    expect(t.overload.refused).toBe(1)
  })

  it.each(['911', '933', '+911'])('does not refuse a call to %s for it', async (number) => {
    await using t = await setUp()
    t.beLate()
    t.telephony.invite(to(number))
    expect(t.overload.refused).toBe(0)
    expect(t.calls.liveCount()).toBe(0)
  })
})
