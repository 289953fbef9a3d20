/** Leave: takes the caller out of the queue that plays this waiting document. It has no attributes. */
import type { XmlElement } from './xml.js'

export interface LeaveVerb {
  readonly type: 'leave'
  readonly element: XmlElement
}

export function parseLeave(element: XmlElement): LeaveVerb {
  return { type: 'leave', element }
}
