/** Numbers in English words. */
const ONES = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen ' +
  'sixteen seventeen eighteen nineteen'
).split(' ')
const TENS = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const SCALES = ['', 'thousand', 'million', 'billion', 'trillion', 'quadrillion']
const ORDINALS: ReadonlyMap<string, string> = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
])
const MAX_DIGITS = SCALES.length * 3

/**
 * A whole number in words. `digits` holds 0-9 only; a number above the largest named one is spoken digit by
 * digit.
 */
export function cardinal(digits: string): string {
  const plain = digits.replace(/^0+(?=[0-9])/, '')
  if (plain.length > MAX_DIGITS) return spellDigits(digits)
  if (plain === '0') return 'zero'
  const words: string[] = []
  const padded = plain.padStart(Math.ceil(plain.length / 3) * 3, '0')
  for (let at = 0; at < padded.length; at += 3) {
    const group = Number(padded.slice(at, at + 3))
    if (group > 0) words.push(hundreds(group), SCALES[(padded.length - at) / 3 - 1] ?? '')
  }
  return words.filter((word) => word !== '').join(' ')
}

export function ordinal(digits: string): string {
  const words = cardinal(digits).split(' ')
  const last = words.pop() ?? ''
  const ending = last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`
  return [...words, ORDINALS.get(last) ?? ending].join(' ')
}

export function spellDigits(digits: string): string {
  return Array.from(digits, (digit) => ONES[Number(digit)] ?? digit).join(' ')
}

/** A year in words: nineteen eighty four, two thousand five, twenty twenty six. */
export function yearWords(digits: string): string {
  const year = Number(digits)
  if (digits.length !== 4 || year < 1000 || (year >= 2000 && year < 2010)) return cardinal(digits)
  const [century, rest] = [Math.floor(year / 100), year % 100]
  if (rest === 0)
    return century % 10 === 0 ? cardinal(digits) : `${cardinal(String(century))} hundred`
  const ending = rest < 10 ? `oh ${hundreds(rest)}` : hundreds(rest)
  return `${hundreds(century)} ${ending}`
}

/**
 * A number in words: `-1,234.50` → minus one thousand two hundred thirty four point five zero.
 * Undefined when the text is no number.
 */
export function decimalWords(text: string): string | undefined {
  const parts = /^([+-]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.([0-9]+))?$/.exec(text.trim())
  if (parts === null) return undefined
  const [, sign = '', whole, decimals] = parts
  if (whole === undefined && decimals === undefined) return undefined
  const words = [
    sign === '-' ? 'minus' : sign === '+' ? 'plus' : '',
    cardinal((whole ?? '0').replaceAll(',', '')),
    decimals === undefined ? '' : `point ${spellDigits(decimals)}`,
  ]
  return words.filter((word) => word !== '').join(' ')
}

/** A number from 1 to 999 in words. */
function hundreds(number: number): string {
  const [hundred, rest] = [Math.floor(number / 100), number % 100]
  const words = hundred === 0 ? [] : [ONES[hundred] ?? '', 'hundred']
  if (rest >= 20) words.push(TENS[Math.floor(rest / 10)] ?? '')
  const one = rest >= 20 ? rest % 10 : rest
  if (one > 0) words.push(ONES[one] ?? '')
  return words.join(' ')
}
