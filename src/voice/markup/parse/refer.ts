/**
 * Refer: asks a SIP caller to call another party (RFC 3515).
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action | URL, may be relative | the next verb | – |
 * | method | GET, POST | POST | 12200 |
 * | (child) | Sip: the URI to refer to | – | 13243 |
 */
import type { WebhookMethod } from '../../../platform/http/http-method.js'
import { readAttributes } from './attributes.js'
import { textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** A Refer. `target` is the URI as written; undefined without a valid one (13243). */
export interface ReferVerb {
  readonly type: 'refer'
  readonly element: XmlElement
  readonly action: string | undefined
  readonly method: WebhookMethod
  readonly target: string | undefined
}

export function parseRefer(element: XmlElement, warn: Warn): ReferVerb {
  const read = readAttributes(element, warn)
  const sip = element.children.find((child) => child.type === 'element' && child.name === 'Sip')
  const uri = sip?.type === 'element' ? textOf(sip).trim() : ''
  return {
    type: 'refer',
    element,
    action: read.text('action'),
    method: read.method('method', 12200),
    target: uri === '' ? undefined : uri,
  }
}
