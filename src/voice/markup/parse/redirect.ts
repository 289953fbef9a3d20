/**
 * Redirect: continues with another document.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | method | GET, POST | POST | 13710 |
 * | (text) | URL, may be relative | the current document | – |
 */
import type { WebhookMethod } from '../../../platform/http/http-method.js'
import { readAttributes } from './attributes.js'
import { textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export interface RedirectVerb {
  readonly type: 'redirect'
  readonly element: XmlElement
  /** The URL as written; the current document when undefined. */
  readonly url: string | undefined
  readonly method: WebhookMethod
}

export function parseRedirect(element: XmlElement, warn: Warn): RedirectVerb {
  const url = textOf(element).trim()
  return {
    type: 'redirect',
    element,
    url: url === '' ? undefined : url,
    method: readAttributes(element, warn).method('method', 13710),
  }
}
