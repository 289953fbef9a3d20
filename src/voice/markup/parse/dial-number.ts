/**
 * Number: a telephone number that Dial calls.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | url | URL of markup for the called party, may be relative | none | – |
 * | method | GET, POST | POST | 13221 |
 * | sendDigits | up to 32 of 0-9 A-D # * w W | none | 13222 |
 * | statusCallback | URL, may be relative | none | – |
 * | statusCallbackMethod | GET, POST | POST | 12200 |
 * | statusCallbackEvent | initiated, ringing, answered, completed | completed | 12200 |
 * | machineDetection | Enable, DetectMessageEnd | none | 21234 |
 * | machineDetectionTimeout | seconds, 3 to 60 | 30 | 21234 |
 * | machineDetectionSpeechThreshold | ms, 1000 to 6000 | 2400 | 21234 |
 * | machineDetectionSpeechEndThreshold | ms, 500 to 5000 | 1200 | 21234 |
 * | machineDetectionSilenceTimeout | ms, 2000 to 10000 | 5000 | 21234 |
 * | machineDetectionCorrectionWindow | ms, 1000 to 30000 | none: no correction | 21234 |
 * | amdStatusCallback, amdStatusCallbackMethod | URL; GET, POST | none; POST | 21234 |
 * | byoc | accepted | – | – |
 * | (text) | the number: E.164, or a national notation | – | 13223, not dialled |
 */
import { readAttributes } from './attributes.js'
import { type CalledParty, PLAIN_PARTY, readCalledParty } from './dial-noun.js'
import { textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export interface NumberNoun {
  readonly type: 'number'
  readonly element: XmlElement
  /** The number as written. */
  readonly number: string
  readonly party: CalledParty
}

const CODES = { method: 13221, sendDigits: 13222 } as const

/** Reads a Number; undefined when its text is not a number. */
export function parseNumber(element: XmlElement, warn: Warn): NumberNoun | undefined {
  const party = readCalledParty(readAttributes(element, warn), CODES)
  const number = readNumber(textOf(element), warn)
  return number === undefined ? undefined : { type: 'number', element, number, party }
}

/** Reads Dial's own text as a number without attributes. */
export function numberInText(
  text: string,
  element: XmlElement,
  warn: Warn,
): NumberNoun | undefined {
  const number = readNumber(text, warn)
  return number === undefined ? undefined : { type: 'number', element, number, party: PLAIN_PARTY }
}

function readNumber(text: string, warn: Warn): string | undefined {
  const number = text.trim()
  if (/^\+?[0-9(][0-9\s().-]{1,30}$/.test(number)) return number
  warn(13223, `Dial: "${number.slice(0, 40)}" is not a telephone number; not dialled`)
  return undefined
}
