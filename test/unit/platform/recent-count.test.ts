import { describe, expect, it } from 'vitest'
import { RecentCount } from '../../../src/platform/recent-count.js'

describe('the number of what happened lately', () => {
  it('is that of the time which is asked for', () => {
    const count = new RecentCount()
    for (let now = 5; now < 1_000; now += 10) count.add(now)
    expect(count.of(200, 999)).toBe(20)
    expect(count.of(1_000, 999)).toBe(100)
  })

  it('forgets what is older than a second', () => {
    const count = new RecentCount()
    count.add(100)
    count.add(100)
    count.add(600)
    expect(count.of(1_000, 1_095)).toBe(3)
    expect(count.of(1_000, 1_100)).toBe(1)
    expect(count.of(1_000, 1_600)).toBe(0)
  })

  it('is none after any pause', () => {
    const count = new RecentCount()
    for (let now = 0; now < 1_000; now += 1) count.add(now)
    expect(count.of(1_000, 86_400_000)).toBe(0)
    count.add(86_400_000)
    expect(count.of(10, 86_400_000)).toBe(1)
  })
})
