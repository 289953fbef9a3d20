import { describe, expect, it } from 'vitest'
import { SourceLimit } from '../../../src/platform/source-limit.js'

const OPTIONS = { perSecond: 10, burst: 20 }

/** Verdicts of so many requests at one moment, counted. */
function judged(limit: SourceLimit, source: string, count: number, now: number) {
  const counts = { admit: 0, refuse: 0, ignore: 0 }
  for (let i = 0; i < count; i++) counts[limit.judge(source, now)]++
  return counts
}

describe('a limit for each source', () => {
  it('admits a burst, refuses ten times, and then says nothing', () => {
    const limit = new SourceLimit(OPTIONS)
    expect(judged(limit, 'a', 100, 0)).toEqual({ admit: 20, refuse: 10, ignore: 70 })
    expect(limit.limited).toBe(80)
  })

  it('admits the lasting rate of a flood, still without a word for the rest', () => {
    const limit = new SourceLimit(OPTIONS)
    judged(limit, 'a', 100, 0)
    expect(judged(limit, 'a', 100, 1_000)).toEqual({ admit: 10, refuse: 0, ignore: 90 })
  })

  it('forgives a source that was silent until its bucket was full', () => {
    const limit = new SourceLimit(OPTIONS)
    judged(limit, 'a', 100, 0)
    expect(judged(limit, 'a', 31, 2_000)).toEqual({ admit: 20, refuse: 10, ignore: 1 })
  })

  it('serves a tenth of what comes to nothing', () => {
    const limit = new SourceLimit(OPTIONS)
    let admitted = 0
    // Ten seconds of a flood in which each request that is admitted is junk.
    for (let now = 0; now < 10_000; now += 10) {
      if (limit.judge('a', now) !== 'admit') continue
      admitted++
      limit.charge('a', 9, now)
    }
    // 20 tokens at once and 10 a second make 120; each request took ten.
    expect(admitted).toBe(12)
  })

  it('leaves other sources alone', () => {
    const limit = new SourceLimit(OPTIONS)
    judged(limit, 'a', 1_000, 0)
    expect(judged(limit, 'b', 20, 0)).toEqual({ admit: 20, refuse: 0, ignore: 0 })
  })

  it('remembers ten thousand sources at most', () => {
    const limit = new SourceLimit(OPTIONS)
    for (let source = 0; source < 12_000; source++) limit.judge(`source ${String(source)}`, 0)
    expect(limit.sources).toBe(10_000)
    // The latest are still known: one token of theirs is gone.
    expect(judged(limit, 'source 11999', 21, 0)).toMatchObject({ admit: 19 })
    expect(judged(limit, 'source 0', 21, 0)).toMatchObject({ admit: 20 })
  })
})
