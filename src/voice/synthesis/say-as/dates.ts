/** Dates and times in English words. */
import { cardinal, ordinal, yearWords } from './numbers.js'

const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

/**
 * A date in words; undefined when the text is not a date. `format` names the parts, as in `mdy` or
 * `yyyymmdd`.
 */
export function dateWords(text: string, format: string | undefined): string | undefined {
  const parts = partsOf(text.trim(), format)
  if (parts === undefined) return undefined
  const month = parts.m === undefined ? undefined : MONTHS[Number(parts.m) - 1]
  if (parts.m !== undefined && month === undefined) return undefined
  if (Number(parts.d ?? '1') > 31) return undefined
  const day = parts.d === undefined ? undefined : ordinal(parts.d)
  const year = parts.y === undefined ? undefined : yearWords(fullYear(parts.y))
  const date = [month, day].filter((word) => word !== undefined).join(' ')
  return [date, year].filter((word) => word !== undefined && word !== '').join(', ')
}

type DateParts = Partial<Record<'d' | 'm' | 'y', string>>

function partsOf(text: string, format: string | undefined): DateParts | undefined {
  if (format === undefined || format === 'yyyymmdd') {
    const joined = /^(?<y>[0-9?]{4})(?<m>[0-9?]{2})(?<d>[0-9?]{2})$/.exec(text)
    if (joined !== null) return known(joined.groups ?? {})
  }
  const numbers = text.split(/[-/.\s]+/)
  const order = format ?? (/^[0-9]{4}/.test(text) ? 'ymd' : 'mdy')
  const isDate = numbers.every((number) => /^[0-9]{1,4}$/.test(number))
  if (!isDate || !/^[dmy]{1,3}$/.test(order) || numbers.length !== order.length) return undefined
  return Object.fromEntries(Array.from(order, (part, index) => [part, numbers[index]]))
}

/** The parts of a date that are known: `????1120` has no year. */
function known(parts: Readonly<Record<string, string>>): DateParts {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => !value.includes('?')))
}

/** Expands a two-digit year: 70–99 to 19xx, 00–69 to 20xx. */
function fullYear(year: string): string {
  if (year.length !== 2) return year
  return `${Number(year) < 70 ? '20' : '19'}${year}`
}

/**
 * A time in words; undefined when the text is not a time. `1'21"` is a duration, `13:45:10` and `1:45 pm` are
 * times of day.
 */
export function timeWords(text: string): string | undefined {
  return durationWords(text.trim()) ?? clockWords(text.trim())
}

function durationWords(text: string): string | undefined {
  const parts = /^(?:([0-9]{1,4})')?\s*(?:([0-9]{1,4})")?$/.exec(text)
  if (parts === null || text === '') return undefined
  const [, minutes, seconds] = parts
  const words = [count(minutes, 'minute'), count(seconds, 'second')]
  return words.filter((word) => word !== undefined).join(', ')
}

function count(digits: string | undefined, unit: string): string | undefined {
  if (digits === undefined) return undefined
  return `${cardinal(digits)} ${Number(digits) === 1 ? unit : `${unit}s`}`
}

function clockWords(text: string): string | undefined {
  const parts = /^([0-9]{1,2})(?::([0-9]{2}))?(?::([0-9]{2}))?\s*([ap])?\.?m?\.?$/i.exec(text)
  const [, hour = '', minute, second, half] = parts ?? []
  if (hour === '' || Number(hour) > 24 || Number(minute ?? '0') > 59) return undefined
  const words = [cardinal(hour), minuteWords(minute, half), count(second, 'second') ?? '']
  if (half !== undefined) words.push(half.toLowerCase() === 'a' ? 'A M' : 'P M')
  return words.filter((word) => word !== '').join(' ')
}

function minuteWords(minute: string | undefined, half: string | undefined): string {
  if (minute === undefined || minute === '00') return half === undefined ? "o'clock" : ''
  return Number(minute) < 10 ? `oh ${cardinal(minute)}` : cardinal(minute)
}
