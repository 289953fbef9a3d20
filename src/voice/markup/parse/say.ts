/**
 * Say: speaks text.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | voice | man, woman, alice, Google.…, Polly.…; any other is for the account's own engine | the account's | 13511, in a Gather 13321 |
 * | language | language tag | the account's, or of the voice | 13512 |
 * | loop | whole number from 0; 0 = up to 1000 times | 1 | 13510, in a Gather 13322 |
 * | (text) | text and SSML | – | 13520 empty, 13521 too long: not spoken; 12200 a value of SSML |
 */
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { isKnownVoice, maxTextLength } from '../../synthesis/voices.js'
import { readAttributes } from './attributes.js'
import { isLanguageTag } from './language-tag.js'
import { timesOf } from './loop.js'
import { checkSsml } from './ssml-values.js'
import { collapse, textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement, XmlNode } from './xml.js'

export interface SayVerb {
  readonly type: 'say'
  readonly element: XmlElement
  readonly voice: string | undefined
  readonly language: string | undefined
  readonly times: number
  /** Text and SSML elements in order; empty when nothing is to be spoken. */
  readonly content: readonly XmlNode[]
}

/** The warnings whose numbers differ for a Say inside a Gather. */
interface SayCodes {
  readonly voice: ErrorNumber
  readonly loop: ErrorNumber
}

export function parseSay(
  element: XmlElement,
  warn: Warn,
  codes: SayCodes = { voice: 13511, loop: 13510 },
): SayVerb {
  const read = readAttributes(element, warn)
  const voice = read.text('voice')
  if (voice !== undefined && !isKnownVoice(voice))
    warn(
      codes.voice,
      `Say: voice="${voice}" is not a known voice; only an engine of your own may know it`,
    )
  return {
    type: 'say',
    element,
    voice,
    language: read.custom('language', toLanguage, 'a language tag such as en-US', {
      otherwise: undefined,
      code: 13512,
    }),
    times: timesOf(read.integer('loop', { min: 0 }, { otherwise: 1, code: codes.loop })),
    content: speakable(element, maxTextLength(voice), warn),
  }
}

function toLanguage(value: string): string | undefined {
  return isLanguageTag(value) ? value : undefined
}

function speakable(element: XmlElement, maxLength: number, warn: Warn): readonly XmlNode[] {
  const text = collapse(textOf(element))
  if (text === '' && element.children.every((child) => child.type === 'text')) {
    warn(13520, 'Say: there is no text to speak')
    return []
  }
  if (text.length > maxLength) {
    warn(13521, `Say: text has ${text.length} characters, ${maxLength} are allowed; not spoken`)
    return []
  }
  checkSsml(element.children, warn)
  return element.children
}
