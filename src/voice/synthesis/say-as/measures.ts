/** Amounts in English words: money, units, fractions. */
import { cardinal, decimalWords, ordinal } from './numbers.js'

/** A currency's words: singular, plural, singular and plural of its hundredth. */
type Currency = readonly [string, string, string, string]
const CURRENCIES: ReadonlyMap<string, Currency> = new Map<string, Currency>([
  ['$', ['dollar', 'dollars', 'cent', 'cents']],
  ['USD', ['dollar', 'dollars', 'cent', 'cents']],
  ['CAD', ['Canadian dollar', 'Canadian dollars', 'cent', 'cents']],
  ['AUD', ['Australian dollar', 'Australian dollars', 'cent', 'cents']],
  ['€', ['euro', 'euros', 'cent', 'cents']],
  ['EUR', ['euro', 'euros', 'cent', 'cents']],
  ['£', ['pound', 'pounds', 'penny', 'pence']],
  ['GBP', ['pound', 'pounds', 'penny', 'pence']],
  ['¥', ['yen', 'yen', 'sen', 'sen']],
  ['JPY', ['yen', 'yen', 'sen', 'sen']],
  ['₹', ['rupee', 'rupees', 'paisa', 'paise']],
  ['INR', ['rupee', 'rupees', 'paisa', 'paise']],
  ['CHF', ['franc', 'francs', 'centime', 'centimes']],
  ['MXN', ['peso', 'pesos', 'centavo', 'centavos']],
])

const UNITS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['mm', ['millimeter', 'millimeters']],
  ['cm', ['centimeter', 'centimeters']],
  ['m', ['meter', 'meters']],
  ['km', ['kilometer', 'kilometers']],
  ['in', ['inch', 'inches']],
  ['ft', ['foot', 'feet']],
  ['foot', ['foot', 'feet']],
  ['yd', ['yard', 'yards']],
  ['mi', ['mile', 'miles']],
  ['mph', ['mile per hour', 'miles per hour']],
  ['km/h', ['kilometer per hour', 'kilometers per hour']],
  ['mg', ['milligram', 'milligrams']],
  ['g', ['gram', 'grams']],
  ['kg', ['kilogram', 'kilograms']],
  ['oz', ['ounce', 'ounces']],
  ['lb', ['pound', 'pounds']],
  ['lbs', ['pound', 'pounds']],
  ['ml', ['milliliter', 'milliliters']],
  ['l', ['liter', 'liters']],
  ['gal', ['gallon', 'gallons']],
  ['s', ['second', 'seconds']],
  ['sec', ['second', 'seconds']],
  ['min', ['minute', 'minutes']],
  ['h', ['hour', 'hours']],
  ['hr', ['hour', 'hours']],
  ['kb', ['kilobyte', 'kilobytes']],
  ['mb', ['megabyte', 'megabytes']],
  ['gb', ['gigabyte', 'gigabytes']],
  ['°c', ['degree Celsius', 'degrees Celsius']],
  ['°f', ['degree Fahrenheit', 'degrees Fahrenheit']],
  ['%', ['percent', 'percent']],
])

/** An amount such as `$1,042.01` or `42 EUR` in words; undefined for an unknown currency. */
export function currencyWords(text: string): string | undefined {
  const { sign = '', before = '', whole = '', cents = '', after = '' } = groupsOf(text)
  const currency = CURRENCIES.get((before + after).toUpperCase())
  if (currency === undefined) return undefined
  const [one, many, hundredth, hundredths] = currency
  const small = cents.padEnd(2, '0').replace(/^0/, '')
  const rest = small === '0' ? '' : ` and ${counted(small, hundredth, hundredths)}`
  const minus = sign === '' ? '' : 'minus '
  return `${minus}${counted(whole.replaceAll(',', ''), one, many)}${rest}`
}

const AMOUNT =
  /^(?<sign>-?)(?<before>[^\d\s.,-]{0,3})\s*(?<whole>[0-9][0-9,]*)(?:\.(?<cents>[0-9]{1,2}))?\s*(?<after>[^\d\s.,-]{0,3})$/

function groupsOf(text: string): Readonly<Partial<Record<string, string>>> {
  return AMOUNT.exec(text.trim())?.groups ?? {}
}

function counted(digits: string, one: string, many: string): string {
  return `${cardinal(digits)} ${digits === '1' ? one : many}`
}

/** A measure such as `10kg` or `1/2 in` in words. An unknown unit is spoken as it is written. */
export function unitWords(text: string): string | undefined {
  const parts = /^([0-9]+\/[0-9]+|[+-]?[0-9.,]+)\s*([^\d\s].*)$/.exec(text.trim())
  const [, amount = '', unit = ''] = parts ?? []
  const number = decimalWords(amount) ?? fractionWords(amount)
  if (number === undefined) return undefined
  const names = UNITS.get(unit.toLowerCase())
  if (names === undefined) return `${number} ${unit}`
  return `${number} ${amount === '1' || amount.includes('/') ? names[0] : names[1]}`
}

/** A fraction such as `3/20`, `1+1/2` or `1 1/2` in words; undefined when the text is not a fraction. */
export function fractionWords(text: string): string | undefined {
  const parts = /^(?:([0-9]{1,9})\s*[+\s]\s*)?([0-9]{1,9})\s*\/\s*([0-9]{1,9})$/.exec(text.trim())
  if (parts === null) return undefined
  const [, whole, upper = '', lower = ''] = parts
  const fraction = `${cardinal(upper)} ${denominator(lower, Number(upper) === 1)}`
  return whole === undefined ? fraction : `${cardinal(whole)} and ${fraction}`
}

function denominator(digits: string, isOne: boolean): string {
  const number = Number(digits)
  if (number === 0 || number === 1) return `over ${cardinal(digits)}`
  if (number === 2) return isOne ? 'half' : 'halves'
  const name = number === 4 ? 'quarter' : ordinal(digits)
  return isOne ? name : `${name}s`
}
