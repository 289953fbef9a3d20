/**
 * Say: speaks text.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | voice | man, woman, alice, Google.…, Polly.…; any other goes to the account's own engine | the account's | 13511, in a Gather 13321 |
 * | language | language tag | the account's, or the voice's | 13512 |
 * | loop | whole number from 0; 0 = up to 1000 times | 1 | 13510, in a Gather 13322 |
 * | (text) | text and SSML | – | 13520 empty, 13521 too long: not spoken; 12200 invalid SSML value |
 */
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { isInterpretation } from '../../synthesis/say-as.js'
import { isKnownVoice, maxTextLength } from '../../synthesis/voices.js'
import { readAttributes } from './attributes.js'
import { timesOf } from './loop.js'
import { strengthMs, timeMs } from './speech-breaks.js'
import { gainOf, isEmphasis, rateOf } from './speech-style.js'
import { collapse, textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement, XmlNode } from './xml.js'

export interface SayVerb {
  readonly type: 'say'
  readonly element: XmlElement
  readonly voice: string | undefined
  readonly language: string | undefined
  readonly times: number
  /** Text and SSML elements in order; empty when there is nothing to speak. */
  readonly content: readonly XmlNode[]
}

/** The warnings that have other numbers for a Say inside a Gather. */
interface SayCodes {
  readonly voice: ErrorNumber
  readonly loop: ErrorNumber
}

type IsValue = (value: string) => boolean

const PITCH =
  /^(?:x-low|low|medium|high|x-high|default|[+-]?[0-9]{1,4}(?:\.[0-9]{1,3})?(?:%|st|Hz))$/

const VALUES: ReadonlyMap<string, Readonly<Record<string, IsValue>>> = new Map([
  [
    'break',
    {
      strength: (value: string) => strengthMs(value) !== undefined,
      time: (value: string) => timeMs(value) !== undefined,
    },
  ],
  ['emphasis', { level: isEmphasis }],
  ['lang', { 'xml:lang': isLanguageTag }],
  [
    'prosody',
    {
      pitch: (value: string) => PITCH.test(value.trim()),
      rate: (value: string) => rateOf(value) !== undefined,
      volume: (value: string) => gainOf(value) !== undefined,
    },
  ],
  ['say-as', { 'interpret-as': isInterpretation }],
])

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

/** True for text in the form of a language tag such as en-US (RFC 5646). */
function isLanguageTag(value: string): boolean {
  return /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value)
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

/**
 * Warns about invalid SSML values (12200). They are ignored in speech, but sent unchanged to the account's
 * own engine if it reads SSML.
 */
function checkSsml(nodes: readonly XmlNode[], warn: Warn): void {
  for (const node of nodes) {
    if (node.type === 'text') continue
    checkElement(node, warn)
    checkSsml(node.children, warn)
  }
}

function checkElement({ name, attributes }: XmlElement, warn: Warn): void {
  if (name === 'say-as' && !attributes.has('interpret-as'))
    warn(12200, 'Say: <say-as> has no interpret-as; its text is spoken as it stands')
  for (const [attribute, isValue] of Object.entries(VALUES.get(name) ?? {})) {
    const value = attributes.get(attribute)
    if (value !== undefined && !isValue(value))
      warn(12200, `Say: <${name} ${attribute}="${value}"> is not a value of SSML; ignored`)
  }
}
