/**
 * Reads `StartTime`, `StartTime<`, `StartTime>` and the older `>=` and `<=` as half-open ranges.
 * Pure.
 */
import { lastIn } from '../../../platform/api/repeated.js'
import { ApiError } from './errors.js'

export interface TimeRange {
  readonly from?: number
  readonly before?: number
}

const DAY_MS = 86_400_000

/**
 * Returns the time range that a query selects. A date means its whole UTC day, a date-time its
 * second. Midnight UTC also means the whole day: client libraries send days that way.
 */
export function readTimeRange(query: URLSearchParams, name: string): TimeRange {
  const lower: number[] = []
  const upper: number[] = []
  for (const [suffix, apply] of Object.entries(COMPARISONS)) {
    const value = lastIn(query, `${name}${suffix}`)
    if (value === undefined || value === '') continue
    const [from, before] = apply(readSpan(name, value))
    if (from !== undefined) lower.push(from)
    if (before !== undefined) upper.push(before)
  }
  return {
    ...(lower.length > 0 ? { from: Math.max(...lower) } : {}),
    ...(upper.length > 0 ? { before: Math.min(...upper) } : {}),
  }
}

interface Span {
  readonly start: number
  readonly end: number
}

const COMPARISONS: Readonly<
  Record<string, (span: Span) => readonly [from: number | undefined, before: number | undefined]>
> = {
  '': ({ start, end }) => [start, end],
  '<': ({ start }) => [undefined, start],
  '>': ({ end }) => [end, undefined],
  '<=': ({ end }) => [undefined, end],
  '>=': ({ start }) => [start, undefined],
}

function readSpan(name: string, value: string): Span {
  if (!isDay(value.slice(0, 10))) throw invalidDate(name)
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    const start = Date.parse(`${value}T00:00:00Z`)
    if (!Number.isNaN(start)) return { start, end: start + DAY_MS }
  } else if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(value)) {
    const start = Date.parse(value)
    if (!Number.isNaN(start)) return { start, end: start + (start % DAY_MS === 0 ? DAY_MS : 1_000) }
  }
  throw invalidDate(name)
}

/** True when the calendar has this day. Date reads 30 February as 2 March. */
function isDay(text: string): boolean {
  const start = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text)
}

function invalidDate(name: string): ApiError {
  const message = `'${name}' is not valid: must be YYYY-MM-DD or an ISO 8601 date-time`
  return new ApiError(400, 20422, message)
}
