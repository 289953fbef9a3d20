import { expect, it } from 'vitest'
import { LatenessHistogram } from '../../../../../src/lab/media/thread/tick-clock.js'

it('knows percentiles to a tenth of a millisecond, and starts anew when asked', () => {
  const histogram = new LatenessHistogram()
  for (let i = 1; i <= 100; i++) histogram.add(i / 10 - 0.05)
  const { p50, p95, p99, max } = histogram.takeFigures()
  expect([p50, p95, p99]).toEqual([5, 9.5, 9.9])
  expect(max).toBeCloseTo(9.95)
  expect(histogram.takeFigures()).toEqual({ p50: 0, p95: 0, p99: 0, max: 0 })
})

it('holds what is later than its scale, and what is early', () => {
  const histogram = new LatenessHistogram()
  histogram.add(-1)
  histogram.add(5000)
  expect(histogram.takeFigures().max).toBe(5000)
})
