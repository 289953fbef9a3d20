import { describe, expect, it } from 'vitest'
import { capDayOf, nextCapDayAt } from '../../../src/messages/rules/cap-day.js'

describe('the day of a daily cap', () => {
  it.each([
    ['the last moment in winter', '2026-11-22T07:59:59.999Z', '2026-11-21', '2026-11-22T08:00:00Z'],
    ['the first moment in winter', '2026-11-22T08:00:00Z', '2026-11-22', '2026-11-23T08:00:00Z'],
    ['an afternoon in summer', '2026-07-01T22:30:00.250Z', '2026-07-01', '2026-07-02T07:00:00Z'],
    ['the day of 23 hours', '2026-03-08T08:30:00Z', '2026-03-08', '2026-03-09T07:00:00Z'],
    ['the day of 25 hours', '2026-11-01T07:30:00Z', '2026-11-01', '2026-11-02T08:00:00Z'],
    ['the end of a year', '2027-01-01T07:00:00Z', '2026-12-31', '2027-01-01T08:00:00Z'],
  ])('%s is midnight to midnight in Los Angeles', (_title, at, day, next) => {
    expect(capDayOf(Date.parse(at))).toBe(day)
    expect(new Date(nextCapDayAt(Date.parse(at)))).toEqual(new Date(next))
  })
})
