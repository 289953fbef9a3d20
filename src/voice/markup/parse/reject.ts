/**
 * Reject: refuses the call; as the first verb it refuses without answering.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | reason | rejected, busy | rejected | 13810 |
 */
import { readAttributes } from './attributes.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export interface RejectVerb {
  readonly type: 'reject'
  readonly element: XmlElement
  readonly reason: 'rejected' | 'busy'
}

export function parseReject(element: XmlElement, warn: Warn): RejectVerb {
  const reason = readAttributes(element, warn).oneOf('reason', ['rejected', 'busy'], {
    otherwise: 'rejected',
    code: 13810,
  })
  return { type: 'reject', element, reason }
}
