/** The parameters of a call's webhooks, in wire names. Pure. */

import { countryOf } from '../../destinations/phone-number.js'
import type { CallRecord, StatusEvent } from './call-record.js'

export type WireParams = readonly (readonly [name: string, value: string])[]

export const API_VERSION = '2010-04-01'
/** Unit of `Duration`; minutes are rounded up. */
const SECONDS_PER_MINUTE = 60

/** Returns the parameters that every webhook of a call has. */
export function standardParams(call: CallRecord, status: string = call.status): WireParams {
  return [
    ['CallSid', call.sid],
    ['AccountSid', call.accountSid],
    ['From', call.from],
    ['To', call.to],
    ['Caller', call.from],
    ['Called', call.to],
    ['CallStatus', status],
    ['ApiVersion', API_VERSION],
    ['Direction', call.direction],
    ...optional('ParentCallSid', call.parentCallSid),
    ...optional('CallerName', call.callerName),
    ...optional('ForwardedFrom', call.forwardedFrom),
    ...placeParams(['From', 'Caller'], call.from),
    ...placeParams(['To', 'Called'], call.to),
    ...sipParams(call),
    ...optional('StirVerstat', call.callerIdentity?.verstat),
    ...optional('StirPassportToken', call.callerIdentity?.token),
    ...optional('AnsweredBy', call.answeredBy),
    ...optional('ApplicationSid', call.plan.applicationSid),
  ]
}

/**
 * Returns the place parameters of an address. The country is known from the number; city, state and zip would
 * need a directory, so they are sent empty, as is the convention for unknown values.
 */
function placeParams(prefixes: readonly string[], address: string): WireParams {
  if (isSipUri(address)) return []
  const country = countryOf(address) ?? ''
  return prefixes.flatMap(
    (prefix): WireParams => [
      [`${prefix}City`, ''],
      [`${prefix}State`, ''],
      [`${prefix}Zip`, ''],
      [`${prefix}Country`, country],
    ],
  )
}

/**
 * Returns the parameters of a SIP call. The response code of a SIP destination is sent from the answer on,
 * not only at the end.
 */
function sipParams(call: CallRecord): WireParams {
  const headers: WireParams = call.sipHeaders.map(([name, value]) => [`SipHeader_${name}`, value])
  if (!isSipUri(call.from) && !isSipUri(call.to)) return headers
  const isUp = call.direction !== 'inbound' && call.answeredAt !== undefined
  return [
    ...optional('SipDomain', call.sipOrigin?.domain),
    ...optional('SipDomainSid', call.sipOrigin?.domainSid),
    ...optional('SipUsername', call.sipOrigin?.username),
    ...optional('SipSourceIp', call.sipOrigin?.sourceIp),
    ...optional('SipCallId', call.sipCallId),
    ...optional('SipResponseCode', isUp && call.endedAt === undefined ? '200' : undefined),
    ...headers,
  ]
}

function isSipUri(address: string): boolean {
  return /^(sips?|client):/.test(address)
}

/** Returns the parameters of a status callback. `sequence` counts the call's callbacks from 0. */
export function statusCallbackParams(
  call: CallRecord,
  event: StatusEvent,
  sequence: number,
  at: Date,
): WireParams {
  return [
    ...standardParams(call, statusFor(call, event)),
    ['Timestamp', rfc2822(at)],
    ['CallbackSource', 'call-progress-events'],
    ['SequenceNumber', String(sequence)],
    ...(event === 'completed' ? completedParams(call) : []),
  ]
}

/**
 * Returns the parameters of a machine detection callback, which are all that the convention defines;
 * `corrected` is the earlier verdict that this one replaces.
 */
export function detectionParams(
  call: CallRecord,
  { answeredBy, durationMs }: { readonly answeredBy: string; readonly durationMs: number },
  corrected?: string,
): WireParams {
  return [
    ['CallSid', call.sid],
    ['AccountSid', call.accountSid],
    ['AnsweredBy', answeredBy],
    ['MachineDetectionDuration', String(durationMs)],
    ...optional('PreviousAnsweredBy', corrected),
  ]
}

function statusFor(call: CallRecord, event: StatusEvent): string {
  switch (event) {
    case 'initiated':
      return 'initiated'
    case 'ringing':
      return 'ringing'
    // The event `answered` is sent with the resulting status, as is the convention.
    case 'answered':
      return 'in-progress'
    case 'completed':
      return call.status
  }
}

function completedParams(call: CallRecord): WireParams {
  const seconds = call.durationSeconds ?? 0
  return [
    ['CallDuration', String(seconds)],
    ['Duration', String(Math.ceil(seconds / SECONDS_PER_MINUTE))],
    // An inbound call's callback has no response code, because we sent the response.
    ...(call.direction === 'inbound'
      ? []
      : optional('SipResponseCode', call.sipStatus?.toString())),
  ]
}

function optional(name: string, value: string | undefined): WireParams {
  return value === undefined ? [] : [[name, value]]
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY_MS = 86_400_000
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/**
 * Formats a date as `Fri, 20 Aug 2010 01:13:42 +0000` (RFC 2822). `toUTCString` writes GMT, which parsers of
 * that format reject, and takes four times as long: a page of a list has two hundred dates.
 */
export function rfc2822(date: Date): string {
  const ms = date.getTime()
  const day = Math.floor(ms / DAY_MS)
  if (day !== lastDay.number) lastDay = { number: day, text: dayText(date) }
  const seconds = Math.floor((ms - day * DAY_MS) / 1_000)
  const two = (number: number) => TWO_DIGITS[number] ?? ''
  const minutes = Math.floor(seconds / 60)
  return `${lastDay.text} ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)} +0000`
}

/** The cached day of the last date; most dates in one answer share it. */
let lastDay = { number: Number.NaN, text: '' }

function dayText(date: Date): string {
  const day = `${DAYS[date.getUTCDay()] ?? ''}, ${TWO_DIGITS[date.getUTCDate()] ?? ''}`
  return `${day} ${MONTHS[date.getUTCMonth()] ?? ''} ${String(date.getUTCFullYear()).padStart(4, '0')}`
}
