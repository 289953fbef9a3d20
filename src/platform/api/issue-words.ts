/**
 * What is wrong with a value, in the words of the APIs: a phrase that follows the name of the field,
 * as in `limit: at most 1000 is expected`. Pure.
 */
import type { z } from '@hono/zod-openapi'

type Issue = z.core.$ZodRawIssue

const REQUIRED = 'it is required'

/** The phrases for values of the wrong type, by the type that is expected. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text is expected',
  number: 'a number is expected',
  int: 'a whole number is expected',
  boolean: 'true or false is expected',
  array: 'a list is expected',
  object: 'an object is expected',
  record: 'an object is expected',
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an address of mail is expected',
  url: 'an absolute URL is expected',
  date: 'a date YYYY-MM-DD is expected',
  datetime: 'an ISO 8601 date-time is expected',
}

/** The units of sizes, by what has one; numbers have none. */
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
}

/** Says what is wrong; undefined where the schema's own words are the only ones. */
export function wordsOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, issue.input)
    case 'invalid_value':
      if (issue.input === undefined) return REQUIRED
      return oneOf(issue.values.map(String))
    case 'too_small':
      return limited(issue.inclusive === false ? 'more than' : 'at least', issue, issue.minimum)
    case 'too_big':
      return limited(issue.inclusive === false ? 'less than' : 'at most', issue, issue.maximum)
    case 'invalid_format':
      return FORMATS[issue.format] ?? patterned(issue.pattern)
    case 'invalid_union':
      return issue.errors.flat().find(({ code }) => code === 'invalid_type')?.message
    default:
      return undefined
  }
}

function wrongType(expected: string, input: unknown): string | undefined {
  if (input === undefined) return REQUIRED
  // Fields of forms and queries are read from text: what is no whole number becomes NaN.
  if (Number.isNaN(input)) return TYPES['int']
  return TYPES[expected]
}

function oneOf(values: readonly string[]): string {
  if (values.length > 1) return `one of ${values.join(', ')} is expected`
  return values[0] === '' ? 'an empty text is expected' : `${String(values[0])} is expected`
}

function limited(bound: string, { origin }: { origin: string }, limit: number | bigint): string {
  return `${bound} ${sized(origin, limit)}`
}

function sized(origin: string, limit: number | bigint): string {
  const [one, many] = UNITS[origin] ?? []
  if (one === undefined) return `${String(limit)} is expected`
  return Number(limit) === 1
    ? `one ${one} is expected`
    : `${String(limit)} ${String(many)} are expected`
}

function patterned(pattern: string | undefined): string | undefined {
  return pattern === undefined ? undefined : `a text that matches ${pattern} is expected`
}
