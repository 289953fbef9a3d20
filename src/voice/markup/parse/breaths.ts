/**
 * Cuts a text into the breaths that are spoken as one file each. They end where a speaker would
 * pause: at the end of a sentence, else of a clause, else before a word that joins clauses. The first
 * breath is short, so that it is soon heard; each later one is made while the one before it is heard.
 */
import { collapse } from './text.js'

interface Length {
  readonly least: number
  readonly most: number
}

/** The first breath: a few seconds of speech, in which any later one is made. */
const FIRST: Length = { least: 20, most: 60 }
const LATER: Length = { least: 80, most: 200 }
/** A first text of this length is not cut: what it would gain is less than a pause. */
const MAX_WHOLE = 100

const CLAUSE_END = /[,;:)\u2013\u2014\u2026\u3001\u3002\uff0c\uff1a\uff1b](?=\s|\P{ASCII})\s*/gu
const JOINING_WORD = / (?=(?:and|or|but|because|which|who|that|when|if|so|to|for|with|in|of) )/gi
const SPACE = /\s+/g
/** The end of a sentence only for one who does not know the abbreviation. */
const ABBREVIATION = /(?:^|\W)(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|No)\.\s*$/

/** The length that the breath at this place may have. */
export function lengthAt(place: 'first' | 'later'): Length {
  return place === 'first' ? FIRST : LATER
}

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

/** The length of the text's first breath. */
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

/** The ends of words in a script that has no spaces between them. */
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
