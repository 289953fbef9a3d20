/**
 * Start: starts streams and recordings in the background.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action, method | accepted; nothing is requested | – | method 12200 |
 * | (children) | Stream, Recording, and unsupported nouns of the grammar | – | 12200 |
 */
import { readAttributes } from './attributes.js'
import type { OtherNoun } from './connect.js'
import { parseRecording, type RecordingNoun } from './recording.js'
import { parseStream, type StreamNoun } from './stream.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** The nouns to start, in order. */
export interface StartVerb {
  readonly type: 'start'
  readonly element: XmlElement
  readonly nouns: readonly (StreamNoun | RecordingNoun | OtherNoun)[]
}

export function parseStart(element: XmlElement, warn: Warn): StartVerb {
  readAttributes(element, warn).method('method', 12200)
  const nouns = element.children.flatMap((child) =>
    child.type === 'text' ? [] : [parseNoun(child, warn)],
  )
  return { type: 'start', element, nouns }
}

function parseNoun(element: XmlElement, warn: Warn): StreamNoun | RecordingNoun | OtherNoun {
  if (element.name === 'Stream') return parseStream(element, warn)
  return element.name === 'Recording' ? parseRecording(element, warn) : { type: 'other', element }
}
