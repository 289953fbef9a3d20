/**
 * Application, inside Dial: runs the documents of an application of the account on the caller's leg, as a
 * separate call. The application's URLs are used; the noun's have no effect.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | customerId | up to 256 characters, sent as CustomerId | the AccountSid | 12200 |
 * | copyParentTo | true: the caller's To; false: the sid of the application | false | 12200 |
 * | statusCallback | URL, may be relative | the application's | – |
 * | statusCallbackMethod | GET, POST | POST | 12200 |
 * | statusCallbackEvent | initiated, ringing, answered, completed | completed | 12200 |
 * | url, method | have no effect | – | – |
 * | ApplicationSid, or (text) | the sid of the application | – | 21420, not dialled |
 * | Parameter name value | sent as Param_name; together up to 500 characters | none | 12200 |
 */
import { countCharacters } from '../../../platform/text.js'
import { readAttributes } from './attributes.js'
import { type EventCallback, readEventCallback } from './callbacks.js'
import { type DialStatusEvent, STATUS_EVENTS } from './dial-noun.js'
import { type Parameter, parseParameters } from './parameters.js'
import { collapse, textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export interface ApplicationNoun {
  readonly type: 'application'
  readonly element: XmlElement
  /** The sid as written. */
  readonly sid: string
  readonly customerId: string | undefined
  readonly copyParentTo: boolean
  readonly statusCallback: EventCallback<DialStatusEvent> | undefined
  readonly parameters: readonly Parameter[]
}

const MAX_CUSTOMER_ID = 256

export function parseApplication(element: XmlElement, warn: Warn): ApplicationNoun {
  const read = readAttributes(element, warn)
  const child = element.children.find(
    (each): each is XmlElement => each.type === 'element' && each.name === 'ApplicationSid',
  )
  return {
    type: 'application',
    element,
    sid: collapse(child === undefined ? ownText(element) : textOf(child)),
    customerId: read.custom('customerId', toCustomerId, `at most ${MAX_CUSTOMER_ID} characters`, {
      otherwise: undefined,
      code: 12200,
    }),
    copyParentTo: read.boolean('copyParentTo', { otherwise: false, code: 12200 }),
    statusCallback: readEventCallback(read, 'statusCallback', {
      known: STATUS_EVENTS,
      usual: ['completed'],
    }),
    parameters: parseParameters(element, warn),
  }
}

function ownText(element: XmlElement): string {
  return element.children.map((child) => (child.type === 'text' ? child.text : '')).join('')
}

function toCustomerId(value: string): string | undefined {
  return value !== '' && countCharacters(value) <= MAX_CUSTOMER_ID ? value : undefined
}
