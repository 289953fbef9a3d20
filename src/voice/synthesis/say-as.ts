/**
 * SSML's say-as → English words, for an engine that does not know it. A text of another
 * form is spoken as it is written.
 *
 * | interpret-as | example | spoken |
 * |---|---|---|
 * | characters, spell-out, verbatim | A-1 | A, dash, one |
 * | digits | 042 | zero four two |
 * | telephone | +1 (500) 555-0006 | plus one, five zero zero, … |
 * | cardinal, number | 1,042.5 | one thousand forty two point five |
 * | ordinal | 42 | forty second |
 * | fraction | 3/20 | three twentieths |
 * | unit | 10kg | ten kilograms |
 * | currency | $42.01 | forty two dollars and one cent |
 * | date, with a format | 11/20/2026 | November twentieth, twenty twenty six |
 * | time | 1:45 pm, 1'21" | one forty five P M; one minute, twenty one seconds |
 * | expletive | anything | beep |
 * | address and others | – | as it stands |
 */
import { dateWords, timeWords } from './say-as/dates.js'
import { currencyWords, fractionWords, unitWords } from './say-as/measures.js'
import { decimalWords, ordinal, spellDigits } from './say-as/numbers.js'

type Interpret = (text: string, format: string | undefined) => string | undefined

const INTERPRETATIONS: ReadonlyMap<string, Interpret> = new Map<string, Interpret>([
  ['characters', spelled],
  ['spell-out', spelled],
  ['verbatim', spelled],
  ['digits', spelled],
  ['telephone', telephone],
  ['cardinal', decimalWords],
  ['number', (text) => decimalWords(text) ?? fractionWords(text)],
  ['ordinal', (text) => (/^[0-9]{1,18}$/.test(text) ? ordinal(text) : undefined)],
  ['fraction', fractionWords],
  ['unit', unitWords],
  ['currency', currencyWords],
  ['date', dateWords],
  ['time', timeWords],
  ['expletive', () => 'beep'],
])

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['.', 'dot'],
  ['@', 'at'],
  ['-', 'dash'],
  ['_', 'underscore'],
  ['/', 'slash'],
  ['\\', 'backslash'],
  ['#', 'pound'],
  ['*', 'star'],
  ['+', 'plus'],
  ['&', 'and'],
  ['%', 'percent'],
  ['=', 'equals'],
  [':', 'colon'],
  ['!', 'exclamation mark'],
  ['?', 'question mark'],
])

export function sayAs(
  text: string,
  interpretAs: string | undefined,
  format: string | undefined,
): string {
  const trimmed = text.trim()
  return INTERPRETATIONS.get(interpretAs ?? '')?.(trimmed, format) ?? trimmed
}

/** True for a value of interpret-as that is supported. */
export function isInterpretation(value: string): boolean {
  return value === 'address' || INTERPRETATIONS.has(value)
}

function spelled(text: string): string {
  return Array.from(text.replace(/\s+/g, ''), character).join(' ')
}

function character(written: string): string {
  if (/[0-9]/.test(written)) return spellDigits(written)
  return CHARACTERS.get(written) ?? written.toUpperCase()
}

/**
 * Speaks a number in its written groups, else in groups of 3, 3 and 4 digits as in North America, with a
 * pause after each.
 */
function telephone(text: string): string {
  const groups = text.split(/[^0-9+*#A-Za-z]+/).filter((group) => group !== '')
  return groups.flatMap(inGroups).map(spelled).join(', ')
}

function inGroups(group: string): string[] {
  const parts = /^(\+?1?)([0-9]{3})([0-9]{3})([0-9]{4})$/.exec(group)
  return parts === null ? [group] : parts.slice(1).filter((part) => part !== '')
}
