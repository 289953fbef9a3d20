/**
 * SSML → what to speak and where to be silent. Simple on purpose: pauses, aliases, spelled-out words
 * and changes of language are heard; prosody, emphasis and phonemes are spoken plainly.
 */
import { collapse, textOf } from './text.js'
import type { XmlElement, XmlNode } from './xml.js'

export type SpeechSegment =
  | { readonly type: 'text'; readonly text: string; readonly language: string | undefined }
  | { readonly type: 'silence'; readonly durationMs: number }

const BREAK_MS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['x-weak', 0],
  ['weak', 250],
  ['medium', 400],
  ['strong', 600],
  ['x-strong', 1000],
])
const MAX_BREAK_MS = 10_000
/** Characters that are spoken as one file; a text longer than the one is cut into parts of the other. */
const MAX_BREATH = 200
const MIN_BREATH = 80
const SPELLED = new Set(['characters', 'spell-out', 'digits', 'telephone'])

export function speechSegments(
  content: readonly XmlNode[],
  language: string | undefined,
): SpeechSegment[] {
  const segments: SpeechSegment[] = []
  append(content, language, segments)
  return segments
    .flatMap((s) => (s.type === 'text' ? inSentences(s) : [s]))
    .filter((s) => (s.type === 'text' ? s.text !== '' : s.durationMs > 0))
}

/**
 * A long text in parts that end with a sentence: the first is heard while the next is being made, and
 * nobody else waits for the whole.
 */
function inSentences(segment: SpeechSegment & { readonly type: 'text' }): SpeechSegment[] {
  const text = collapse(segment.text)
  if (text.length <= MAX_BREATH) return [{ ...segment, text }]
  const parts: string[] = []
  for (const { segment: sentence } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(
    text,
  )) {
    const last = parts.at(-1)
    if (last === undefined || last.length >= MIN_BREATH) parts.push(sentence)
    else parts[parts.length - 1] = last + sentence
  }
  return parts.map((part) => ({ ...segment, text: part.trim() }))
}

function append(
  nodes: readonly XmlNode[],
  language: string | undefined,
  segments: SpeechSegment[],
): void {
  for (const node of nodes) {
    if (node.type === 'text') say(node.text, language, segments)
    else appendElement(node, language, segments)
  }
}

function appendElement(
  element: XmlElement,
  language: string | undefined,
  segments: SpeechSegment[],
): void {
  switch (element.name) {
    case 'break':
      segments.push({ type: 'silence', durationMs: breakMs(element) })
      return
    case 'sub':
      say(` ${element.attributes.get('alias') ?? textOf(element)} `, language, segments)
      return
    case 'say-as':
      say(` ${sayAs(element)} `, language, segments)
      return
    case 'lang':
      append(element.children, element.attributes.get('xml:lang') ?? language, segments)
      return
    case 'p':
    case 's':
      // A paragraph or sentence is spoken by itself, so that its last word falls.
      segments.push({ type: 'silence', durationMs: 0 })
      append(element.children, language, segments)
      segments.push({ type: 'silence', durationMs: element.name === 'p' ? 400 : 0 })
      return
    default:
      append(element.children, language, segments)
  }
}

/** Neighbouring text of one language is one breath. */
function say(text: string, language: string | undefined, segments: SpeechSegment[]): void {
  const last = segments.at(-1)
  if (last?.type === 'text' && last.language === language)
    segments[segments.length - 1] = { ...last, text: last.text + text }
  else segments.push({ type: 'text', text, language })
}

function breakMs(element: XmlElement): number {
  const time = /^([0-9]{1,6}(?:\.[0-9]+)?)(ms|s)$/.exec(element.attributes.get('time') ?? '')
  if (time === null) return BREAK_MS.get(element.attributes.get('strength') ?? 'medium') ?? 400
  return Math.min(MAX_BREAK_MS, Math.round(Number(time[1]) * (time[2] === 's' ? 1000 : 1)))
}

function sayAs(element: XmlElement): string {
  const text = textOf(element)
  if (!SPELLED.has(element.attributes.get('interpret-as') ?? '')) return text
  return Array.from(text).join(' ')
}
