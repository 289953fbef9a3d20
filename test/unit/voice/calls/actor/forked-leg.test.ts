import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../../../src/platform/log.js'
import { dialRoute } from '../../../../../src/voice/calls/actor/forked-leg.js'
import type { DialRequest, LegEnd } from '../../../../../src/voice/telephony/port.js'
import { createFakeTelephony } from '../../../../support/voice/fake-telephony.js'

const request = (user: string): DialRequest => ({
  uri: `sip:${user}@192.0.2.1`,
  from: { user: 'x' },
  timeoutMs: 1_000,
})

/** A call to two devices of a user. */
function setUp() {
  const telephony = createFakeTelephony()
  const told: string[] = []
  const ends: LegEnd[] = []
  const deps = { telephony, log: createLogger('silent') }
  const leg = dialRoute(deps, [request('desk'), request('mobile')], {
    onProgress: ({ status, hasEarlyMedia }) => told.push(`${status} ${hasEarlyMedia}`),
    onAnswered: () => told.push('answered'),
    onEnded: (end) => ends.push(end),
  })
  const [desk, mobile] = telephony.legs
  if (desk === undefined || mobile === undefined) throw new Error('two devices are called')
  return { leg, desk, mobile, told, ends }
}

describe('a call to several contacts', () => {
  it('rings once, is answered by the first that picks up, and cancels the other', () => {
    const { leg, desk, mobile, told, ends } = setUp()
    desk.progress()
    mobile.progress()
    mobile.pickUp()
    expect(told).toEqual(['180 false', 'answered'])
    expect(desk.asked).toContain('hangup')
    expect(ends).toEqual([])
    expect([leg.state, leg.media]).toEqual(['answered', mobile.media])
    mobile.end('remote-hangup', 200)
    expect(ends).toEqual([{ cause: 'remote-hangup', sipStatus: 200 }])
  })

  it('goes on when another contact cannot be hung up', async () => {
    const { desk, mobile, told } = setUp()
    desk.hangup = () => Promise.reject(new Error('the signaling server is away'))
    mobile.pickUp()
    // A rejection that nobody takes would end the process, and fails this run.
    await new Promise((resolve) => setImmediate(resolve))
    expect(told).toEqual(['answered'])
  })

  it('hangs up the one that answers a moment later', () => {
    const { desk, mobile, told } = setUp()
    desk.pickUp()
    mobile.pickUp()
    expect(told).toEqual(['answered'])
    expect(mobile.asked).toContain('hangup')
  })

  it('goes on while one device is busy, and ends as busy when the other is out of reach', () => {
    const { desk, mobile, ends } = setUp()
    desk.end('rejected', 486)
    expect(ends).toEqual([])
    mobile.end('unreachable', 408)
    expect(ends).toEqual([{ cause: 'rejected', sipStatus: 486 }])
  })

  it('is over for all when one declines for the user (RFC 3261 §16.7)', () => {
    const { desk, mobile, ends } = setUp()
    desk.end('rejected', 603)
    expect(mobile.asked).toContain('hangup')
    expect(ends).toEqual([{ cause: 'rejected', sipStatus: 603 }])
  })

  it('is given up on all devices at once', async () => {
    const { leg, desk, mobile, ends } = setUp()
    await leg.hangup()
    expect([desk.state, mobile.state, leg.state]).toEqual(['ended', 'ended', 'ended'])
    expect(ends).toEqual([{ cause: 'canceled', sipStatus: 487 }])
  })
})
