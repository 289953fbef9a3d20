/**
 * Days for which operators count messages: from midnight to midnight in Los Angeles, 23 or 25 hours long at
 * clock changes. Pure.
 */
const DAY_MS = 86_400_000

const PACIFIC = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** Returns the day of a time: `2026-11-22`. */
export function capDayOf(at: number): string {
  return localOf(at).day
}

/** Returns the time at which the next day begins. */
export function nextCapDayAt(at: number): number {
  const { day, sinceMidnight } = localOf(at)
  const guess = at + DAY_MS - sinceMidnight
  // On a day of 25 hours the guess is an hour early, on one of 23 an hour late.
  const found = localOf(guess)
  return found.day === day ? guess + DAY_MS - found.sinceMidnight : guess - found.sinceMidnight
}

/** Returns the day, and the local wall-clock time since midnight in ms. */
function localOf(at: number): { readonly day: string; readonly sinceMidnight: number } {
  const parts = new Map(PACIFIC.formatToParts(at).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  const seconds =
    Number(part('hour')) * 3_600 + Number(part('minute')) * 60 + Number(part('second'))
  return {
    day: `${part('year')}-${part('month')}-${part('day')}`,
    sinceMidnight: seconds * 1_000 + (at % 1_000),
  }
}
