/** The cells of a row on their way from SQLite to PostgreSQL. Pure. */
import { withoutNul } from '../at-rest.js'
import { MoveError } from './move-error.js'

/** A value as SQLite stores it, whatever the column's type; integers are exact. */
export type SourceValue = string | bigint | number | Buffer | null

/** Kinds of columns, by PostgreSQL type. */
export type CellKind = 'text' | 'integer' | 'fraction' | 'bytes'

const KINDS: Readonly<Record<string, CellKind>> = {
  text: 'text',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  'double precision': 'fraction',
  bytea: 'bytes',
}

/** Returns the kind of a PostgreSQL type; undefined for a type that no table should have. */
export function cellKindOf(type: string): CellKind | undefined {
  return KINDS[type]
}

/**
 * Returns the text of a value, the same for both databases: integers in decimal, bytes in hexadecimal, fractions
 * as the hexadecimal bytes of their IEEE 754 form, since the engines print decimals differently. NUL becomes
 * U+FFFD, as in every write. Throws a `MoveError` for a value that does not fit the kind.
 */
export function cellText(value: SourceValue, kind: CellKind): string | null {
  if (value === null) return null
  if (kind === 'text' && typeof value === 'string') return withoutNul(value)
  if (kind === 'integer' && typeof value === 'bigint') return String(value)
  if (kind === 'fraction' && typeof value === 'number') return fractionText(value)
  if (kind === 'bytes' && Buffer.isBuffer(value)) return value.toString('hex')
  throw new MoveError(`holds a ${wordFor(value)} where a column of ${kind} belongs`)
}

const DOUBLE_BYTES = 8

function fractionText(value: number): string {
  const bytes = Buffer.alloc(DOUBLE_BYTES)
  bytes.writeDoubleBE(value)
  return bytes.toString('hex')
}

function wordFor(value: Exclude<SourceValue, null>): string {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'bigint') return 'whole number'
  return typeof value === 'number' ? 'fraction' : 'row of bytes'
}

const ESCAPED = /[\\\n\r\t]/
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/**
 * Returns a cell in the text format of COPY (https://www.postgresql.org/docs/15/sql-copy.html#id-1.9.3.55.9.2).
 */
export function copyCell(text: string | null, kind: CellKind): string {
  if (text === null) return '\\N'
  if (kind === 'bytes') return `\\\\x${text}`
  if (kind === 'fraction') return String(Buffer.from(text, 'hex').readDoubleBE())
  return ESCAPED.test(text)
    ? text.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)
    : text
}
