/**
 * The patterns of `Contains`: digits, letters of a phone's keys, `*` for any one digit, `%` for any
 * digits, `+` at the beginning and `$` at the end of a number. Pure.
 */

const PATTERN = /^\+?[0-9A-Za-z*%]+\$?$/
const LETTERS = ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz']

/** True for a pattern of 2 to 16 characters with two digits or letters at least. */
export function isContainsPattern(text: string): boolean {
  const isSized = text.length >= 2 && text.length <= 16
  return isSized && PATTERN.test(text) && text.replaceAll(/[^0-9A-Za-z]/g, '').length >= 2
}

/** The pattern for `like` over E.164 numbers. */
export function toLikePattern(pattern: string): string {
  const body = pattern.replace(/^\+/, '').replace(/\$$/, '').replaceAll(/./g, likeOf)
  const start = pattern.startsWith('+') ? '+' : '%'
  return `${start}${body}${pattern.endsWith('$') ? '' : '%'}`
}

function likeOf(character: string): string {
  if (character === '*') return '_'
  const key = LETTERS.findIndex((letters) => letters.includes(character.toLowerCase()))
  return key === -1 ? character : String(key + 2)
}
