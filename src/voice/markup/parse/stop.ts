/**
 * Stop: ends streams by name, and the recording that Start started. It has no attributes.
 *
 * | child | attribute | wrong |
 * |---|---|---|
 * | Stream | name | 12200 |
 * | Recording | none: a call has at most one | – |
 * | Siprec, Transcription | name; neither is supported | – |
 */
import type { OtherNoun } from './connect.js'
import { parseStoppedStream, type StoppedStream } from './stream.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** The nouns to stop, in order. */
export interface StopVerb {
  readonly type: 'stop'
  readonly element: XmlElement
  readonly nouns: readonly StoppedNoun[]
}

type StoppedNoun = StoppedStream | { readonly type: 'stopped-recording' } | OtherNoun

export function parseStop(element: XmlElement, warn: Warn): StopVerb {
  const nouns = element.children.flatMap((child) =>
    child.type === 'text' ? [] : [parseNoun(child, warn)],
  )
  return { type: 'stop', element, nouns }
}

function parseNoun(element: XmlElement, warn: Warn): StoppedNoun {
  if (element.name === 'Stream') return parseStoppedStream(element, warn)
  return element.name === 'Recording' ? { type: 'stopped-recording' } : { type: 'other', element }
}
