/** Parses a row of a rate file. Pure. */
import { USERNAME } from '../../accounts/usernames.js'
import { RowError } from '../../platform/csv-imports/csv-imports.js'
import { parseSid } from '../../platform/ids.js'
import {
  DEFAULT_INCREMENT_SECONDS,
  MAX_INCREMENT_SECONDS,
  MAX_MICROS,
  MICROS_PER_DOLLAR,
} from '../rate.js'
import { DIRECTIONS, type Direction, type PrefixRate } from '../rates.js'

/** Columns of a rate file; `prefix` and `rate` are required. */
export const RATE_COLUMNS = [
  'prefix',
  'rate',
  'direction',
  'account',
  'minimum',
  'increment',
  'description',
] as const

type Column = (typeof RATE_COLUMNS)[number]
type Row = Readonly<Partial<Record<Column, string>>>

/** Column positions in a file. */
export type RateHeader = ReadonlyMap<Column, number>

/** A row of the file. */
export interface RateRow extends Omit<PrefixRate, 'accountSid'> {
  /** Sid or username of the account; empty for default rates. */
  readonly account: string
}

const PREFIX = /^\+[0-9]{0,15}$/
const RATE = /^\d{1,4}(\.\d{1,6})?$/
const MAX_TEXT = 100

/** Parses the first record. Throws RowError for a missing or unknown column. */
export function readRateHeader(fields: readonly string[]): RateHeader {
  const header = new Map<Column, number>()
  for (const [index, field] of fields.entries()) {
    const column = RATE_COLUMNS.find((each) => each === field.toLowerCase())
    if (column === undefined)
      throw new RowError(`"${field.slice(0, MAX_TEXT)}" is no column: ${RATE_COLUMNS.join(', ')}`)
    header.set(column, index)
  }
  for (const column of ['prefix', 'rate'] as const)
    if (!header.has(column)) throw new RowError(`the first line must name the column "${column}"`)
  return header
}

/** Parses a record. Throws RowError with the reason of a refusal. */
export function readRateRow(header: RateHeader, fields: readonly string[]): RateRow {
  if (fields.length > header.size)
    throw new RowError(`has ${fields.length} fields, and the first line has ${header.size}`)
  const row: Row = Object.fromEntries([...header].map(([column, at]) => [column, fields[at] ?? '']))
  const incrementSeconds = seconds(row, 'increment', 1)
  return {
    account: accountIn(row),
    direction: directionIn(row),
    prefix: prefixIn(row),
    perMinute: rateIn(row),
    minimumSeconds: seconds(row, 'minimum', 0),
    incrementSeconds,
    description: descriptionIn(row),
  }
}

function prefixIn({ prefix = '' }: Row): string {
  const whole = prefix.startsWith('+') ? prefix : `+${prefix}`
  if (!PREFIX.test(whole)) throw new RowError('prefix is not + and up to 15 digits')
  return whole
}

/** Reads the decimal digits directly, without binary rounding. */
function rateIn({ rate = '' }: Row): number {
  if (!RATE.test(rate)) throw new RowError('rate is not dollars with up to six decimals')
  const [dollars = '', parts = ''] = rate.split('.')
  const micros = Number(dollars) * MICROS_PER_DOLLAR + Number(parts.padEnd(6, '0'))
  if (micros > MAX_MICROS) throw new RowError('rate is more than 1000 dollars')
  return micros
}

function directionIn({ direction = '' }: Row): Direction {
  const given = direction.toLowerCase()
  if (given === '') return 'outbound'
  const known = DIRECTIONS.find((each) => each === given)
  if (known === undefined) throw new RowError(`direction is none of ${DIRECTIONS.join(', ')}`)
  return known
}

function accountIn({ account = '' }: Row): string {
  if (account === '' || USERNAME.test(account)) return account
  const sid = parseSid('AC', account)
  if (sid === undefined)
    throw new RowError('account is neither AC and 32 hex digits nor a username of ten digits')
  return sid
}

function seconds(row: Row, column: 'minimum' | 'increment', least: number): number {
  const value = row[column] ?? ''
  if (value === '') return DEFAULT_INCREMENT_SECONDS
  const number = /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN
  if (number >= least && number <= MAX_INCREMENT_SECONDS) return number
  throw new RowError(`${column} is not ${least} to ${MAX_INCREMENT_SECONDS} seconds`)
}

function descriptionIn({ description = '' }: Row): string {
  if (description.length > MAX_TEXT)
    throw new RowError(`description has more than ${MAX_TEXT} characters`)
  if (/\p{Cc}/u.test(description)) throw new RowError('description has control characters')
  return description
}
