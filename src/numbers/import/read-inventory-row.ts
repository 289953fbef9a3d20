/** Reads a row of an inventory file. Pure. */
import parseNumber, { isSupportedCountry } from 'libphonenumber-js/max'
import { RowError } from '../../platform/csv-imports/csv-imports.js'
import type { InventoryKind, InventoryNumber, Place } from '../inventory-number.js'
import { kindOf } from '../number-kind.js'

/** Columns of the file; only `number` is required. */
export const COLUMNS = [
  ...(['number', 'type', 'country', 'region', 'locality', 'postal_code', 'rate_center'] as const),
  ...(['lata', 'latitude', 'longitude', 'voice', 'sms', 'mms', 'fax'] as const),
] as const

export type Column = (typeof COLUMNS)[number]
type Row = Readonly<Partial<Record<Column, string>>>

/** The positions of the columns in a file. */
export type Header = ReadonlyMap<Column, number>

const E164 = /^\+[1-9][0-9]{6,14}$/
const KINDS: readonly InventoryKind[] = ['local', 'toll-free', 'mobile']
const MAX_TEXT = 100

/** Reads the first record. Throws RowError when `number` is missing or a column is unknown. */
export function readHeader(fields: readonly string[]): Header {
  const header = new Map<Column, number>()
  for (const [index, field] of fields.entries()) {
    const column = COLUMNS.find((each) => each === field.toLowerCase())
    if (column === undefined)
      throw new RowError(`"${field.slice(0, MAX_TEXT)}" is no column: ${COLUMNS.join(', ')}`)
    header.set(column, index)
  }
  if (!header.has('number')) throw new RowError('the first line must name the column "number"')
  return header
}

/** Reads a record. Throws RowError with the reason of a refusal. */
export function readInventoryRow(header: Header, fields: readonly string[]): InventoryNumber {
  if (fields.length > header.size)
    throw new RowError(`has ${fields.length} fields, and the first line has ${header.size}`)
  const row: Row = Object.fromEntries([...header].map(([column, at]) => [column, fields[at] ?? '']))
  const e164 = row.number ?? ''
  if (!E164.test(e164)) throw new RowError('number is not + and 7 to 15 digits')
  return {
    e164,
    country: countryOf(row, e164),
    kind: kindIn(row, e164),
    region: text(row, 'region')?.toUpperCase(),
    locality: text(row, 'locality'),
    postalCode: text(row, 'postal_code'),
    rateCenter: text(row, 'rate_center'),
    lata: text(row, 'lata'),
    place: placeIn(row),
    capabilities: {
      voice: flag(row, 'voice', true),
      sms: flag(row, 'sms', false),
      mms: flag(row, 'mms', false),
      fax: flag(row, 'fax', false),
    },
  }
}

function countryOf({ country = '' }: Row, e164: string): string {
  const wanted = country.toUpperCase()
  if (wanted === '') {
    const known = parseNumber(e164)?.country ?? (e164.startsWith('+1') ? 'US' : undefined)
    if (known === undefined)
      throw new RowError('country is missing, and the number does not tell it')
    return known
  }
  if (!isSupportedCountry(wanted)) throw new RowError('country is no ISO code of a country')
  return wanted
}

function kindIn({ type = '' }: Row, e164: string): InventoryKind {
  if (type === '') return kindOf(e164)
  const kind = KINDS.find((each) => each === type.toLowerCase())
  if (kind === undefined) throw new RowError(`type is none of ${KINDS.join(', ')}`)
  if ((kind === 'toll-free') !== (kindOf(e164) === 'toll-free') && e164.startsWith('+1'))
    throw new RowError(`type is ${kind}, and the number is ${kindOf(e164)}`)
  return kind
}

function text(row: Row, column: Column): string | undefined {
  const value = row[column] ?? ''
  if (value === '') return undefined
  if (value.length > MAX_TEXT) throw new RowError(`${column} has more than ${MAX_TEXT} characters`)
  if (/\p{Cc}/u.test(value)) throw new RowError(`${column} has control characters`)
  return value
}

function placeIn(row: Row): Place | undefined {
  const [latitude, longitude] = [degrees(row, 'latitude', 90), degrees(row, 'longitude', 180)]
  if (latitude === undefined && longitude === undefined) return undefined
  if (latitude === undefined || longitude === undefined)
    throw new RowError('latitude and longitude come together')
  return { latitude, longitude }
}

function degrees(row: Row, column: 'latitude' | 'longitude', max: number): number | undefined {
  const value = row[column] ?? ''
  if (value === '') return undefined
  const number = /^-?\d{1,3}(\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN
  if (Math.abs(number) <= max) return number
  throw new RowError(`${column} is not -${max} to ${max} degrees`)
}

function flag(row: Row, column: Column, otherwise: boolean): boolean {
  const value = (row[column] ?? '').toLowerCase()
  if (value === '') return otherwise
  if (['true', 'yes', '1'].includes(value)) return true
  if (['false', 'no', '0'].includes(value)) return false
  throw new RowError(`${column} is neither true nor false`)
}
