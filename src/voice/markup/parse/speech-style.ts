/**
 * The style in which text is spoken, from the SSML elements around it. Rate and loudness work
 * with every engine; the tags are for an engine that reads SSML.
 *
 * | element | attribute | values |
 * |---|---|---|
 * | prosody | rate | x-slow slow medium fast x-fast default, 20% to 300%, -n% and +n% |
 * | prosody | volume | silent x-soft soft medium loud x-loud default, -n dB and +n dB |
 * | prosody | pitch | only an engine that reads SSML |
 * | emphasis | level | strong moderate reduced none |
 * | lang | xml:lang | language tag |
 */
import type { XmlElement } from './xml.js'

export interface SpeechStyle {
  readonly language: string | undefined
  /** The speaking rate: 1 is normal, 2 is twice as fast. */
  readonly rate: number
  readonly gainDb: number
  /** The elements around the text, outermost first. */
  readonly around: readonly XmlElement[]
  /** The changes that only an engine that reads SSML supports. */
  readonly unheard: readonly string[]
}

const RATES: ReadonlyMap<string, number> = new Map([
  ['x-slow', 0.5],
  ['slow', 0.75],
  ['medium', 1],
  ['default', 1],
  ['fast', 1.25],
  ['x-fast', 1.5],
])
const SILENT_DB = -120
const VOLUMES: ReadonlyMap<string, number> = new Map([
  ['silent', SILENT_DB],
  ['x-soft', -12],
  ['soft', -6],
  ['medium', 0],
  ['default', 0],
  ['loud', 6],
  ['x-loud', 12],
])
const EMPHASIS: ReadonlyMap<string, { readonly rate: number; readonly gainDb: number }> = new Map([
  ['strong', { rate: 0.85, gainDb: 3 }],
  ['moderate', { rate: 0.92, gainDb: 1.5 }],
  ['reduced', { rate: 1.1, gainDb: -3 }],
])
const NEUTRAL_PITCHES = ['medium', 'default', '+0%', '0%']
const MIN_RATE = 0.2
const MAX_RATE = 3
const MAX_DB = 12

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
])

export function plainStyle(language: string | undefined): SpeechStyle {
  return { language, rate: 1, gainDb: 0, around: [], unheard: [] }
}

/** Returns the style inside an element; the same object when the element changes nothing. */
export function styleInside(element: XmlElement, style: SpeechStyle): SpeechStyle {
  const around = [...style.around, element]
  switch (element.name) {
    case 'lang':
    case 'speak': {
      const language = element.attributes.get('xml:lang') ?? style.language
      return { ...style, language }
    }
    case 'prosody':
      return { ...changed(style, prosodyOf(element)), around, unheard: unheardOf(element, style) }
    case 'emphasis': {
      const level = element.attributes.get('level') ?? 'moderate'
      const change = EMPHASIS.get(level)
      return change === undefined ? style : { ...changed(style, change), around }
    }
    default:
      return style
  }
}

export function openTags({ around }: SpeechStyle): string {
  return around.map(openTag).join('')
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES.get(character) ?? character)
}

export function openTag({ name, attributes }: XmlElement): string {
  const written = [...attributes].map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  return `<${name}${written.join('')}>`
}

export function closeTags({ around }: SpeechStyle): string {
  return around
    .map(({ name }) => `</${name}>`)
    .reverse()
    .join('')
}

interface Change {
  readonly rate: number
  readonly gainDb: number
}

function changed(style: SpeechStyle, { rate, gainDb }: Change): SpeechStyle {
  return {
    ...style,
    rate: within(style.rate * rate, MIN_RATE, MAX_RATE),
    gainDb: within(style.gainDb + gainDb, SILENT_DB, MAX_DB),
  }
}

function prosodyOf({ attributes }: XmlElement): Change {
  return {
    rate: rateOf(attributes.get('rate') ?? '') ?? 1,
    gainDb: gainOf(attributes.get('volume') ?? '') ?? 0,
  }
}

/** Returns the speaking rate of a prosody value; undefined when it is invalid. */
export function rateOf(value: string): number | undefined {
  const written = value.trim()
  const percent = /^([+-]?)([0-9]{1,4}(?:\.[0-9]{1,3})?)%$/.exec(written)
  if (percent === null) return RATES.get(written)
  const share = Number(percent[2]) / 100
  const rate = percent[1] === '' ? share : percent[1] === '+' ? 1 + share : 1 - share
  return within(rate, MIN_RATE, MAX_RATE)
}

/** Returns the gain in dB of a prosody value; undefined when it is invalid. */
export function gainOf(value: string): number | undefined {
  const written = value.trim()
  const decibels = /^([+-]?[0-9]{1,3}(?:\.[0-9]{1,3})?)\s*dB$/i.exec(written)
  return decibels === null ? VOLUMES.get(written) : Number(decibels[1])
}

export function isEmphasis(level: string): boolean {
  return level === 'none' || EMPHASIS.has(level)
}

function unheardOf({ attributes }: XmlElement, { unheard }: SpeechStyle): readonly string[] {
  const pitch = attributes.get('pitch')?.trim()
  if (pitch === undefined || NEUTRAL_PITCHES.includes(pitch)) return unheard
  return [...unheard, 'prosody pitch']
}

function within(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
