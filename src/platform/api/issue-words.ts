/**
 * Describes validation errors in the words of the APIs: a phrase after the field's name, as in `limit: at most
 * 1000 is expected`, instead of the validator's own. Pure.
 */
import type { z } from '@hono/zod-openapi'

type Issue = z.core.$ZodRawIssue

const REQUIRED = 'it is required'
const UNKNOWN = 'it is not known'
const INVALID = 'it is not valid'

/** Phrases for values of the wrong type, by expected type. */
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

/** Units of sizes, by type; numbers have none. */
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
}

/** Returns the phrase for an issue. */
export function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, issue.input)
    case 'invalid_value':
      return issue.input === undefined ? REQUIRED : oneOf(issue.values.map(String))
    case 'too_small':
      return limited(issue.inclusive === false ? 'more than' : 'at least', issue, issue.minimum)
    case 'too_big':
      return limited(issue.inclusive === false ? 'less than' : 'at most', issue, issue.maximum)
    case 'invalid_format':
      return FORMATS[issue.format] ?? patterned(issue.pattern)
    default:
      return rarerWordsOf(issue)
  }
}

function rarerWordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'not_multiple_of':
      return `a multiple of ${String(issue.divisor)} is expected`
    case 'invalid_union':
      return noneOf(issue)
    case 'unrecognized_keys':
      return UNKNOWN
    case 'invalid_key':
      return `the name is not valid: ${issue.issues[0]?.message ?? INVALID}`
    default:
      return INVALID
  }
}

/** Returns one sentence about all issues: `name: it is required; limit: at most 5 is expected`. */
export function sentenceOf(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .flatMap((issue) => {
      const path = issue.path.join('.')
      const fields =
        issue.code === 'unrecognized_keys' ? issue.keys.map((key) => memberOf(path, key)) : [path]
      return fields.map((field) => (field === '' ? issue.message : `${field}: ${issue.message}`))
    })
    .join('; ')
}

const memberOf = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

function wrongType(expected: string, input: unknown): string {
  if (input === undefined) return REQUIRED
  // Form and query fields are read from text; text that is no whole number becomes NaN.
  const type = Number.isNaN(input) ? 'int' : expected
  return TYPES[type] ?? INVALID
}

/**
 * Describes a value that fits no member of a union, by the members of its type if any. A discriminated union is
 * described by the values of its discriminator.
 */
function noneOf({
  errors,
  options,
}: {
  readonly errors: readonly (readonly z.core.$ZodIssue[])[]
  readonly options?: unknown
}): string {
  if (Array.isArray(options)) return oneOf(options.map(String))
  const first = errors.flatMap(([issue]) => issue ?? [])
  const ofItsType = first.filter((issue) => !isAbout(issue, ['invalid_type', 'invalid_value']))
  const [ofAnother] = first.filter((issue) => isAbout(issue, ['invalid_type']))
  const told = ofItsType.length > 0 ? ofItsType : ofAnother === undefined ? first : [ofAnother]
  const words = new Set(told.map((issue) => sentenceOf([issue])))
  return words.size === 0 ? INVALID : [...words].join(', or ')
}

/** True for an issue with one of these codes about the value itself, not about a part of it. */
function isAbout({ code, path }: z.core.$ZodIssue, codes: readonly string[]): boolean {
  return path.length === 0 && codes.includes(code)
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

function patterned(pattern: string | undefined): string {
  return pattern === undefined ? INVALID : `a text that matches ${pattern} is expected`
}
