import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLogger } from '../../../src/platform/log.js'
import { watchClock } from '../../../src/platform/watch-clock.js'

const HOUR_MS = 3_600_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it.each([HOUR_MS, -HOUR_MS])('[F51] tells once that the clock was set by %i ms', async (jump) => {
  let offset = 1_700_000_000_000
  const clock = { now: () => performance.now() + offset, monotonic: () => performance.now() }
  const jumps: number[] = []
  await using _watch = watchClock({
    clock,
    log: createLogger('silent'),
    onJump: (jumpMs) => {
      jumps.push(jumpMs)
      return Promise.resolve()
    },
  })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(jumps).toEqual([])
  offset += jump
  await vi.advanceTimersByTimeAsync(60_000)
  expect(jumps).toEqual([jump])
})

it('a clock that a time server keeps right was not set', async () => {
  let offset = 0
  const clock = { now: () => performance.now() + offset, monotonic: () => performance.now() }
  const onJump = vi.fn(() => Promise.resolve())
  await using _watch = watchClock({ clock, log: createLogger('silent'), onJump })
  for (let step = 0; step < 20; step += 1) {
    offset += 500
    await vi.advanceTimersByTimeAsync(5_000)
  }
  expect(onJump).not.toHaveBeenCalled()
})
