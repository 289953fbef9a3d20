import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { afterGlareMs } from '../../../../../src/lab/sip/dialog/glare.js'
import { SessionTimer } from '../../../../../src/lab/sip/dialog/session-timer.js'
import { seededRandom } from '../../../../support/sip/sip-fuzz.js'

describe('the wait after a 491', () => {
  it.each([
    ['us', 2_100, 4_000],
    ['them', 0, 2_000],
  ] as const)('when the Call-ID is of %s is %i to %i ms in steps of 10 [A8]', (of, from, to) => {
    expect(afterGlareMs(of, () => 0)).toBe(from)
    expect(afterGlareMs(of, () => 1 - Number.EPSILON)).toBe(to)
    const random = seededRandom(8)
    const waits = Array.from({ length: 2_000 }, () => afterGlareMs(of, random))
    expect(waits.filter((ms) => ms < from || ms > to || ms % 10 !== 0)).toEqual([])
    expect(new Set(waits).size).toBeGreaterThan(150)
  })
})

describe('a session that we refresh', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is refreshed again after a 491, and over when nothing helps in time [A8]', () => {
    const seen: string[] = []
    const timer = new SessionTimer({
      onRefresh: () => {
        seen.push('refresh')
        timer.refreshAgain(3_000)
      },
      onExpired: () => seen.push('expired'),
    })
    timer.arm(90, true)
    vi.advanceTimersByTime(45_000)
    expect(seen).toEqual(['refresh'])
    vi.advanceTimersByTime(3_000)
    expect(seen).toEqual(['refresh', 'refresh'])
    vi.advanceTimersByTime(60_000)
    // Fifteen tries in its second half, three seconds apart.
    expect(seen).toEqual([...Array.from({ length: 15 }, () => 'refresh'), 'expired'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not taken up again when it was over before the 491 came', () => {
    const timer = new SessionTimer({
      onRefresh: () => expect.unreachable(),
      onExpired: () => expect.unreachable(),
    })
    timer.arm(90, true)
    timer.clear()
    timer.refreshAgain(10)
    expect(vi.getTimerCount()).toBe(0)
  })
})
