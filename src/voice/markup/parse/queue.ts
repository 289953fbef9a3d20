/**
 * Queue, inside Dial: connects to the caller who has waited longest.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | url | URL of a document that the waiting caller hears first | none | – |
 * | method | GET, POST | POST | 12200 |
 * | reservationSid, postWorkActivitySid | any; have no effect | none | – |
 * | (text) | name of the queue, up to 64 characters | – | 12200 |
 */
import { readAttributes } from './attributes.js'
import type { Callback } from './callbacks.js'
import { collapse, textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** A queue to take a caller from; none without a `name`. */
export interface QueueNoun {
  readonly type: 'queue'
  readonly element: XmlElement
  readonly name: string | undefined
  readonly announcement: Callback | undefined
}

const MAX_NAME = 64

export function parseQueue(element: XmlElement, warn: Warn): QueueNoun {
  const read = readAttributes(element, warn)
  const name = collapse(textOf(element))
  const isName = name !== '' && name.length <= MAX_NAME
  if (!isName) warn(12200, `Queue: its name must have 1 to ${MAX_NAME} characters`)
  const method = read.method('method', 12200)
  const url = read.text('url')?.trim() ?? ''
  return {
    type: 'queue',
    element,
    name: isName ? name : undefined,
    announcement: url === '' ? undefined : { url, method },
  }
}
