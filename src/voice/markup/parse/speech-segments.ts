/**
 * Splits SSML into segments of speech and silence. Pauses, aliases, say-as, and changes of rate, loudness and
 * language work with every engine. An engine that reads SSML gets the complete markup.
 */

import type { SpeechMarkup } from '../../model/speech-request.js'
import { sayAs } from '../../synthesis/say-as.js'
import { breakMs } from './speech-breaks.js'
import {
  closeTags,
  escapeXml,
  openTag,
  openTags,
  plainStyle,
  type SpeechStyle,
  styleInside,
} from './speech-style.js'
import { collapse, textOf } from './text.js'
import type { XmlElement, XmlNode } from './xml.js'

export type SpeechSegment =
  | {
      readonly type: 'text'
      readonly text: string
      readonly language: string | undefined
      /** The markup; undefined when the plain text has the same meaning. */
      readonly markup: SpeechMarkup | undefined
    }
  | { readonly type: 'silence'; readonly durationMs: number }

/** A text segment in one style, under construction: about one spoken breath. */
interface Breath {
  readonly type: 'breath'
  readonly style: SpeechStyle
  readonly text: string
  readonly ssml: string
  readonly unheard: readonly string[]
  readonly isPlain: boolean
}
type Draft = Breath | Extract<SpeechSegment, { type: 'silence' }>

const PARAGRAPH_MS = 400

interface Length {
  readonly least: number
  readonly most: number
}

/**
 * The length of the first breath in characters: a few seconds of speech, in which the next one is
 * synthesized.
 */
const FIRST: Length = { least: 20, most: 60 }
const LATER: Length = { least: 80, most: 200 }
/** Maximum length of a first text that is not split, in characters: a split would save less than a pause. */
const MAX_WHOLE = 100

const CLAUSE_END = /[,;:)\u2013\u2014\u2026\u3001\u3002\uff0c\uff1a\uff1b](?=\s|\P{ASCII})\s*/gu
const JOINING_WORD = / (?=(?:and|or|but|because|which|who|that|when|if|so|to|for|with|in|of) )/gi
const SPACE = /\s+/g
/** An abbreviation whose period the segmenter mistakes for the end of a sentence. */
const ABBREVIATION = /(?:^|\W)(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|No)\.\s*$/

export function speechSegments(
  content: readonly XmlNode[],
  language: string | undefined,
): SpeechSegment[] {
  const drafts: Draft[] = []
  append(content, plainStyle(language), drafts)
  return drafts
    .map((draft) => (draft.type === 'breath' ? finished(draft) : draft))
    .filter((s) => (s.type === 'text' ? s.text !== '' : s.durationMs > 0))
}

function finished({ style, text, ssml, unheard, isPlain }: Breath): SpeechSegment {
  const { language, rate, gainDb } = style
  const segment = { type: 'text', text: collapse(text), language } as const
  if (isPlain && style.around.length === 0) return { ...segment, markup: undefined }
  const whole = `<speak>${openTags(style)}${collapse(ssml)}${closeTags(style)}</speak>`
  return { ...segment, markup: { ssml: whole, rate, gainDb, unheard } }
}

function append(nodes: readonly XmlNode[], style: SpeechStyle, drafts: Draft[]): void {
  for (const node of nodes) {
    if (node.type === 'text') appendText(node.text, style, drafts)
    else appendElement(node, style, drafts)
  }
}

function appendElement(element: XmlElement, style: SpeechStyle, drafts: Draft[]): void {
  const { attributes, children } = element
  switch (element.name) {
    case 'break':
      drafts.push({ type: 'silence', durationMs: breakMs(attributes) })
      return
    case 'sub':
      appendText(` ${attributes.get('alias') ?? textOf(element)} `, style, drafts)
      return
    case 'say-as': {
      const words = sayAs(textOf(element), attributes.get('interpret-as'), attributes.get('format'))
      appendInline(element, words, style, drafts)
      return
    }
    case 'phoneme':
      appendInline(element, textOf(element), style, drafts, ['phoneme'])
      return
    case 'p':
    case 's':
      // Paragraphs and sentences are separate segments, so that the voice falls at their end.
      drafts.push({ type: 'silence', durationMs: 0 })
      append(children, style, drafts)
      drafts.push({ type: 'silence', durationMs: element.name === 'p' ? PARAGRAPH_MS : 0 })
      return
    default:
      append(children, styleInside(element, style), drafts)
  }
}

/** Appends a long text in breaths: each is played while the next is being synthesized. */
function appendText(text: string, style: SpeechStyle, drafts: Draft[]): void {
  const place = drafts.some(({ type }) => type === 'breath') ? 'later' : 'first'
  const [first = '', ...more] = inBreaths(text, place)
  const breath = { type: 'breath', style, unheard: style.unheard, isPlain: true } as const
  join({ ...breath, text: first, ssml: escapeXml(first) }, drafts)
  for (const part of more) drafts.push({ ...breath, text: part, ssml: escapeXml(part) })
}

function appendInline(
  element: XmlElement,
  words: string,
  style: SpeechStyle,
  drafts: Draft[],
  unheard: readonly string[] = [],
): void {
  const ssml = ` ${openTag(element)}${escapeXml(textOf(element))}</${element.name}> `
  const all = [...style.unheard, ...unheard]
  join({ type: 'breath', style, text: ` ${words} `, ssml, unheard: all, isPlain: false }, drafts)
}

/** Appends text to the last breath if the style is equal and the length allows it. */
function join(next: Breath, drafts: Draft[]): void {
  const last = drafts.at(-1)
  const isFirst = drafts.filter(({ type }) => type === 'breath').length === 1
  const { least, most } = lengthAt(isFirst ? 'first' : 'later')
  if (
    last?.type !== 'breath' ||
    last.style !== next.style ||
    (last.text.length >= least && last.text.length + next.text.length > most)
  ) {
    drafts.push(next)
    return
  }
  drafts[drafts.length - 1] = {
    ...last,
    text: last.text + next.text,
    ssml: last.ssml + next.ssml,
    unheard: [...new Set([...last.unheard, ...next.unheard])],
    isPlain: last.isPlain && next.isPlain,
  }
}

/** Returns the length range of a breath at this place. */
function lengthAt(place: 'first' | 'later'): Length {
  return place === 'first' ? FIRST : LATER
}

/**
 * Splits a text into breaths, each of which becomes one file. They end where a speaker would pause: at the
 * end of a sentence, else of a clause, else before a joining word. The first breath is short so that it plays
 * soon; each later one is synthesized while the one before it plays.
 */
export function inBreaths(text: string, place: 'first' | 'later'): string[] {
  const whole = place === 'first' ? MAX_WHOLE : LATER.most
  if (collapse(text).length <= whole) return [text]
  let rest = text.replace(/\s+/g, ' ')
  const breaths: string[] = []
  const ends = sentenceEnds(rest)
  let from = 0
  for (let length = lengthAt(place); rest.length > length.most; length = LATER) {
    const done = from
    const cut = cutOf(
      rest,
      ends.map((end) => end - done),
      length,
    )
    breaths.push(rest.slice(0, cut))
    rest = rest.slice(cut)
    from += cut
  }
  return rest.trim() === '' ? breaths : [...breaths, rest]
}

/** Returns the length of the text's first breath. */
function cutOf(text: string, ends: readonly number[], { least, most }: Length): number {
  const fits = (end: number) => end >= least && end <= most
  const start = text.slice(0, most + 1)
  return (
    ends.find(fits) ??
    endsOf(CLAUSE_END, start).findLast(fits) ??
    endsOf(JOINING_WORD, start).findLast(fits) ??
    endsOf(SPACE, start).findLast(fits) ??
    wordEnds(start).findLast(fits) ??
    most
  )
}

function endsOf(pattern: RegExp, text: string): number[] {
  return [...text.matchAll(pattern)].map((match) => match.index + match[0].length)
}

/** Returns the ends of words in a script without spaces. */
function wordEnds(text: string): number[] {
  const words = new Intl.Segmenter('en', { granularity: 'word' })
  return [...words.segment(text)].map(({ index }) => index)
}

function sentenceEnds(text: string): number[] {
  const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
  return [...sentences.segment(text)]
    .filter(({ segment }) => !ABBREVIATION.test(segment))
    .map(({ index, segment }) => index + segment.length)
}
