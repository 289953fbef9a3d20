/** Hangup: ends the call. It has no attributes. */
import type { XmlElement } from './xml.js'

export interface HangupVerb {
  readonly type: 'hangup'
  readonly element: XmlElement
}

export function parseHangup(element: XmlElement): HangupVerb {
  return { type: 'hangup', element }
}
