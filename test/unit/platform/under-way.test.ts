import { describe, expect, it } from 'vitest'
import { UnderWay } from '../../../src/platform/under-way.js'

/** Work of `tookMs` that begins every `everyMs`, for two seconds. */
function regular(everyMs: number, tookMs: number): UnderWay {
  const work = new UnderWay()
  for (let at = 0; at < 2_000; at += everyMs) work.end(work.begin(at), at + tookMs)
  return work
}

describe('work that is under way', () => {
  it('is counted until it is done or forgotten, once', () => {
    const work = new UnderWay()
    const first = work.begin(0)
    const second = work.begin(1)
    expect(work.count).toBe(2)
    work.end(first, 5)
    work.end(first, 6)
    work.forget(first, 7)
    expect(work.count).toBe(1)
    work.forget(second, 8)
    expect(work.count).toBe(0)
  })

  it('takes as long as the last of it did, and as that has waited which is not done', () => {
    const work = regular(100, 20)
    expect(work.delayMs(2_000)).toBe(20)
    for (let count = 0; count < 8; count += 1) work.begin(2_000)
    expect(work.delayMs(2_300)).toBe(300)
  })

  it.each([
    // Twenty pieces a second of 10 ms each: a hundred of them have room in a second.
    [50, 10, 100],
    [50, 25, 40],
    // Always busy: what is done is all that can be.
    [20, 20, 50],
  ])('every %i ms, of %i ms each, leaves room for %i a second', (everyMs, tookMs, perSecond) => {
    const { perSecond: measured } = regular(everyMs, tookMs).load(2_000)
    expect(measured).toBeGreaterThan(0.9 * perSecond)
    expect(measured).toBeLessThan(1.1 * perSecond)
  })

  it('at the same time is busy once', () => {
    const work = new UnderWay()
    for (let at = 0; at < 2_000; at += 20) {
      const both = [work.begin(at), work.begin(at)]
      for (const each of both) work.end(each, at + 10)
    }
    expect(work.load(2_000).perSecond).toBeGreaterThan(180)
    expect(work.load(2_000).perSecond).toBeLessThan(220)
  })

  it.each([
    3_100, 3_105, 3_999, 14_003,
  ])('of more than a second ago says nothing at %i ms', (now) => {
    const work = regular(50, 10)
    expect(work.load(now)).toMatchObject({ delayMs: 0, underWay: 0, perSecond: 0 })
    // Ten more, of 10 ms each, and nothing of those before.
    for (let at = now; at < now + 500; at += 50) work.end(work.begin(at), at + 10)
    expect(work.load(now + 500).perSecond).toBeCloseTo(100, 5)
  })

  it('that was forgotten is none that was done', () => {
    const work = new UnderWay()
    for (let at = 0; at < 1_000; at += 50) work.forget(work.begin(at), at + 10)
    expect(work.load(1_000)).toEqual({ delayMs: 0, underWay: 0, perSecond: 0, done: [] })
  })
})
