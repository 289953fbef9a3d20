/**
 * Connect: gives the call to its noun until the noun returns it.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action | URL, may be relative | the next verb | – |
 * | method | GET, POST | POST | 12200 |
 * | (child) | one of Stream, and unsupported nouns of the grammar | – | – |
 */
import type { WebhookMethod } from '../../../platform/http/http-method.js'
import { readAttributes } from './attributes.js'
import { parseStream, type StreamNoun } from './stream.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** A noun of the grammar that this program does not run, kept as written. */
export interface OtherNoun {
  readonly type: 'other'
  readonly element: XmlElement
}

/** A Connect. Its first noun gets the call; without a noun it ends at once. */
export interface ConnectVerb {
  readonly type: 'connect'
  readonly element: XmlElement
  readonly action: string | undefined
  readonly method: WebhookMethod
  readonly nouns: readonly (StreamNoun | OtherNoun)[]
}

export function parseConnect(element: XmlElement, warn: Warn): ConnectVerb {
  const read = readAttributes(element, warn)
  return {
    type: 'connect',
    element,
    action: read.text('action'),
    method: read.method('method', 12200),
    nouns: element.children.flatMap((child) =>
      child.type === 'text' ? [] : [parseNoun(child, warn)],
    ),
  }
}

function parseNoun(element: XmlElement, warn: Warn): StreamNoun | OtherNoun {
  return element.name === 'Stream' ? parseStream(element, warn) : { type: 'other', element }
}
