/**
 * A simulated losing carrier: it answers by the clock and by fixed rules, so that a port can be tested from
 * check to completion. docs/porting.md lists its rules.
 */
import { kindOf } from '../numbers/number-kind.js'
import { AdapterError } from '../platform/errors.js'
import type { CarrierAnswer, CarrierOrder, LosingCarrier, Portability } from './losing-carrier.js'
import { activationAt, workingDay, workingDayAfter } from './port-dates.js'
import { REJECTIONS, type RejectionCode } from './rejections.js'

const HOUR_MS = 3_600_000
/** Duration of a review, and delay of the carrier's answer, ms. */
const REVIEW_MS = HOUR_MS
const ANSWER_MS = 24 * HOUR_MS
/** Days from the answer to the earliest port date. */
const NOTICE_DAYS = { local: 7, 'toll-free': 4 } as const

/** Endings of account numbers that are rejected, and the reason for each. */
const REJECTED: Readonly<Record<string, RejectionCode>> = {
  '99901': 'account-number',
  '99902': 'pin',
  '99903': 'name',
  '99904': 'address',
  '99905': 'btn',
  '99906': 'inactive',
  '99907': 'open-order',
}
/** Endings of phone numbers that are not portable, and of those with an unknown result. */
const NOT_PORTABLE = '0199'
const UNKNOWN = '0198'
/** Ending of account numbers that require a PIN. */
const NEEDS_PIN = '8'

export function createSimulatedCarrier(): LosingCarrier {
  return {
    portability: (e164) => {
      if (e164.endsWith(UNKNOWN))
        return Promise.reject(
          new AdapterError('the look-up of carriers does not answer', { isRetryable: true }),
        )
      return Promise.resolve(portabilityOf(e164))
    },
    ask: (order, now) => Promise.resolve(answerTo(order, now)),
  }
}

function portabilityOf(e164: string): Portability {
  const isTollFree = kindOf(e164) === 'toll-free'
  const isPortable = !e164.endsWith(NOT_PORTABLE)
  return {
    isPortable,
    reason: isPortable
      ? undefined
      : 'The carrier of the number does not take part in number portability.',
    losingCarrier: isTollFree ? 'Simulated RespOrg' : 'Simulated Carrier',
    localRoutingNumber: isTollFree ? undefined : `${e164.slice(2, 8)}0000`,
    rateCenterTier: isTollFree ? undefined : '1',
  }
}

function answerTo(order: CarrierOrder, now: number): CarrierAnswer {
  switch (order.state) {
    case 'submitted':
      return { type: 'review-began' }
    case 'validating':
      return after(order.enteredAt + REVIEW_MS, now, { type: 'review-passed' })
    case 'pending':
      return after(order.enteredAt + ANSWER_MS, now, verdictOn(order))
    case 'foc':
      return after(activationAt(order.foc ?? ''), now, { type: 'activated' })
    case 'exception':
    case 'complete':
    case 'cancelled':
      return { type: 'wait', until: undefined }
  }
}

function after(at: number, now: number, answer: CarrierAnswer): CarrierAnswer {
  return now < at ? { type: 'wait', until: at } : answer
}

function verdictOn({
  accountNumber,
  pin,
  kind,
  enteredAt,
  desiredDueDate,
}: CarrierOrder): CarrierAnswer {
  const rejected = REJECTED[accountNumber.slice(-5)]
  if (rejected !== undefined) return { type: 'rejected', reason: REJECTIONS[rejected] }
  if (accountNumber.endsWith(NEEDS_PIN) && pin === undefined)
    return { type: 'rejected', reason: REJECTIONS.pin }
  const earliest = workingDayAfter(enteredAt + ANSWER_MS, NOTICE_DAYS[kind])
  const wished = desiredDueDate === '' ? earliest : workingDay(desiredDueDate)
  return { type: 'date-confirmed', foc: wished > earliest ? wished : earliest }
}
