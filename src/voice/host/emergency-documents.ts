/** Built-in documents for calls to 911 and 933. */
import { lineOf } from '../../emergency/civic-address.js'
import { LOCAL_SOURCE } from '../../emergency/emergency-provider.js'
import type { EmergencyPlan } from '../model/call-plan.js'
import type { InternalDocument } from './internal-document.js'

const PREFIX = '<Response>'
const RING_SECONDS = 120
const UNVERIFIED = ' Only the form of this address was checked.'

/** Connects the caller to the emergency service. */
export const emergencyCallDocument: InternalDocument = (_call, { url }) =>
  Promise.resolve({
    url,
    contentType: 'text/xml',
    text: `${PREFIX}<Dial answerOnBridge="true" timeout="${RING_SECONDS}"><Number>911</Number></Dial></Response>`,
  })

/** Reads the address of the caller's emergency record, twice. */
export const addressTestDocument: InternalDocument = ({ plan }, { url }) =>
  Promise.resolve({
    url,
    contentType: 'text/xml',
    text:
      plan.emergency === undefined
        ? `${PREFIX}<Hangup/></Response>`
        : `${PREFIX}<Say loop="2">${escaped(readBack(plan.emergency))}</Say><Hangup/></Response>`,
  })

/** Returns the sentences that the 933 test line speaks. */
export function readBack({ callbackNumber, callerName, address, source }: EmergencyPlan): string {
  const digits = callbackNumber.replace('+1', '').split('').join(' ')
  return (
    `This is the test of emergency calls. Your number is ${digits}. ` +
    `The name is ${callerName}. Help would be sent to ${lineOf(address)}.` +
    (source === LOCAL_SOURCE ? UNVERIFIED : '')
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
