import { describe, expect, it } from 'vitest'
import { nextAttemptAt, RETRY_SCHEDULE } from '../../../../src/platform/outbox/retry-schedule.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('retry schedule', () => {
  it.each([
    [1, 0, 1_000],
    [1, 0.999_999, 501],
    [2, 0, 2_000],
    [5, 0, 16_000],
    [10, 0, 512_000],
    [11, 0, 10 * MINUTE],
    [5_000, 0, 10 * MINUTE],
    [5_000, 0.5, 7.5 * MINUTE],
  ])('after failure %i, with random %f, waits %i ms', (attempts, random, delay) => {
    const now = 3 * HOUR
    expect(nextAttemptAt(RETRY_SCHEDULE, { createdAt: 0, attempts }, now, random)).toBe(now + delay)
  })

  it('gives up after four hours', () => {
    const row = { createdAt: 1_000, attempts: 30 }
    expect(nextAttemptAt(RETRY_SCHEDULE, row, 1_000 + 4 * HOUR - 1, 0)).toBeDefined()
    expect(nextAttemptAt(RETRY_SCHEDULE, row, 1_000 + 4 * HOUR, 0)).toBeUndefined()
  })
})
