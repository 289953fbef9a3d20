/**
 * Play: plays an audio file, or sends digits.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | loop | whole number from 0; 0 = up to 1000 times | 1 | 13410 |
 * | digits | 0-9 A-D # *, w = 0.5 s, W = 1 s; then there is no URL; not inside Gather | – | 13430, 13320 |
 * | (text) | URL of the file | – | 11100 |
 */
import { readAttributes } from './attributes.js'
import { timesOf } from './loop.js'
import { textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export interface PlayVerb {
  readonly type: 'play'
  readonly element: XmlElement
  readonly times: number
  readonly what:
    | { readonly type: 'url'; readonly url: string }
    | { readonly type: 'digits'; readonly digits: string }
    | { readonly type: 'nothing' }
}

export function parsePlay(element: XmlElement, warn: Warn, isInGather = false): PlayVerb {
  const read = readAttributes(element, warn)
  const digits = read.custom('digits', toDigits, 'of 0-9 A-D # * w W', {
    otherwise: undefined,
    code: 13430,
  })
  return {
    type: 'play',
    element,
    times: timesOf(read.integer('loop', { min: 0 }, { otherwise: 1, code: 13410 })),
    what: whatToPlay(element, digits, isInGather, warn),
  }
}

function toDigits(value: string): string | undefined {
  return /^[0-9A-DwW#*]+$/.test(value) ? value : undefined
}

function whatToPlay(
  element: XmlElement,
  digits: string | undefined,
  isInGather: boolean,
  warn: Warn,
): PlayVerb['what'] {
  const url = textOf(element).trim()
  if (digits !== undefined && isInGather)
    warn(13320, 'Gather: a nested Play cannot send digits; ignored')
  else if (digits !== undefined) return { type: 'digits', digits }
  if (url !== '') return { type: 'url', url }
  if (digits === undefined) warn(11100, 'Play: there is no URL to play')
  return { type: 'nothing' }
}
