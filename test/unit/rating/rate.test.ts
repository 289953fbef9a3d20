import { expect, it } from 'vitest'
import {
  billedSeconds,
  costOf,
  type Rate,
  reserveFor,
  secondsFor,
} from '../../../src/rating/rate.js'

const rate = (perMinute: number, minimumSeconds = 6, incrementSeconds = 6): Rate => ({
  perMinute,
  minimumSeconds,
  incrementSeconds,
})

it.each([
  [6, 6, 0, 6],
  [6, 6, 1, 6],
  [6, 6, 6, 6],
  [6, 6, 7, 12],
  [6, 6, 40, 42],
  [30, 6, 5, 30],
  [30, 6, 31, 36],
  [60, 60, 61, 120],
  [1, 1, 3_600, 3_600],
  [0, 1, 0, 0],
])('with a minimum of %d and steps of %d s, %d s are billed as %d', (minimum, step, talked, billed) => {
  expect(billedSeconds(rate(1, minimum, step), talked)).toBe(billed)
})

it.each([
  // [dollars for a minute, in millionths; seconds; 1/10,000 dollar]
  [25_000, 40, 175],
  [25_000, 6, 25],
  [10_000, 6, 10],
  [4_900, 6, 5],
  [4_900, 60, 49],
  [1, 6, 1],
  [0, 3_600, 0],
  [1_000_000, 3_600, 600_000],
  [999_999, 60, 10_000],
])('at %d millionths for a minute, %d s cost %d', (perMinute, talked, cost) => {
  expect(costOf(rate(perMinute), talked)).toBe(cost)
})

it.each([
  [1_000_000, 10_000, 60],
  [1_000_000, 9_999, 54],
  [1_000_000, 1_000, 6],
  [1_000_000, 999, undefined],
  [25_000, 0, undefined],
  [0, 0, Number.POSITIVE_INFINITY],
])('at %d millionths for a minute, %d pays for %s s', (perMinute, amount, seconds) => {
  expect(secondsFor(rate(perMinute), amount)).toBe(seconds)
})

it('never lets an amount pay for a call that costs more, nor for one increment too few', () => {
  for (const perMinute of [1, 7, 999, 4_900, 25_000, 333_333, 1_000_000])
    for (const [minimum, step] of [
      [1, 1],
      [6, 6],
      [30, 6],
      [60, 60],
    ] as const)
      for (let amount = 0; amount < 400; amount += 7) {
        const each = rate(perMinute, minimum, step)
        const seconds = secondsFor(each, amount)
        if (seconds === undefined) {
          expect(costOf(each, 0)).toBeGreaterThan(amount)
          continue
        }
        expect(costOf(each, seconds)).toBeLessThanOrEqual(amount)
        expect(costOf(each, seconds + 1)).toBeGreaterThan(amount)
      }
})

it.each([
  [60, 20_000, 10_000],
  [60, 10_000, 10_000],
  [60, 5_500, 5_000],
  [60, 999, 0],
  [1, 20_000, 1_000],
])('reserves for %d s from %d: %d', (seconds, available, reserved) => {
  expect(reserveFor(rate(1_000_000), seconds, available)).toBe(reserved)
})
