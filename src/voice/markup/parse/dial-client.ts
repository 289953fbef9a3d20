/**
 * Client: a registered softphone that Dial calls by its user name, at any SIP domain of the account.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | url | URL of markup for the called party, may be relative | none | – |
 * | method | GET, POST | POST | 13241 |
 * | statusCallback… | as of Number | | |
 * | (text) or Identity | the user name, 1 to 121 characters | – | 13243, not dialled |
 * | Parameter | accepted, not sent: a softphone has no place for it | – | – |
 */
import { isClientName } from '../../model/address.js'
import { readAttributes } from './attributes.js'
import { readCalledParty } from './dial-noun.js'
import type { SipNoun } from './dial-sip.js'
import { textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

const CODES = { method: 13241, sendDigits: 13242 } as const

/** Reads a Client; undefined when the element names nobody. */
export function parseClient(element: XmlElement, warn: Warn): SipNoun | undefined {
  const party = readCalledParty(readAttributes(element, warn), CODES)
  const identity = element.children.find(
    (child): child is XmlElement => child.type === 'element' && child.name === 'Identity',
  )
  const own = element.children.map((child) => (child.type === 'text' ? child.text : '')).join('')
  const name = (identity === undefined ? own : textOf(identity)).trim()
  if (!isClientName(name)) {
    warn(13243, `Client: "${name.slice(0, 60)}" is not a user name; not dialled`)
    return undefined
  }
  const target = { uri: `client:${name}`, auth: undefined }
  return { type: 'sip', element, targets: [target], headers: {}, party }
}
