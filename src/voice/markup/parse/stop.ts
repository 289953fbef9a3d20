/**
 * Stop: ends what Start began, by name. It has no attributes.
 *
 * | child | attribute | wrong |
 * |---|---|---|
 * | Stream | name | 12200 |
 * | Siprec, Transcription | name; neither runs | – |
 */
import type { OtherNoun } from './connect.js'
import { parseStoppedStream, type StoppedStream } from './stream.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** What is to end, in order. */
export interface StopVerb {
  readonly type: 'stop'
  readonly element: XmlElement
  readonly nouns: readonly (StoppedStream | OtherNoun)[]
}

export function parseStop(element: XmlElement, warn: Warn): StopVerb {
  const nouns = element.children.flatMap((child): (StoppedStream | OtherNoun)[] => {
    if (child.type === 'text') return []
    return [
      child.name === 'Stream' ? parseStoppedStream(child, warn) : { type: 'other', element: child },
    ]
  })
  return { type: 'stop', element, nouns }
}
