/** Bodies of port-in orders and corrections. */
import { z } from '@hono/zod-openapi'
import type { PortCorrection } from '../../porting/correct-port.js'
import type { NewPort, Subscriber } from '../../porting/port.js'
import { dateOf } from '../../porting/port-dates.js'
import { ApiFailure } from '../dialect/api-failure.js'
import {
  features,
  featuresByNumber,
  KNOWN_NAMES,
  MAX_NUMBERS,
  number,
  pin,
  subscriberFields,
} from './port-fields.js'

const did = z
  .array(number)
  .min(1, 'at least one number is expected')
  .max(MAX_NUMBERS)
  .openapi({ description: 'The numbers; toll-free ones get a port of their own.' })

const order = z
  .strictObject({ did, ...subscriberFields, pin, features })
  .superRefine((given, context) => {
    const complain = (path: (string | number)[], message: string) => {
      context.addIssue({ code: 'custom', path, message })
    }
    given.did.forEach((each, index) => {
      if (given.did.indexOf(each) !== index) complain(['did', index], 'the number is named twice')
    })
    checkFeatures(given.features, complain)
    given.features?.forEach((each, index) => {
      if (!given.did.includes(each.number))
        complain(['features', index, 'number'], 'the number is not in did')
    })
  })
  .openapi('PortInOrder')

const correction = z
  .strictObject({
    ...z.object(subscriberFields).partial().shape,
    pin,
    features,
    did: z
      .unknown()
      .optional()
      .openapi({ type: 'array', description: 'Refused: the numbers of a port stay as they are.' }),
  })
  .superRefine((given, context) => {
    if (given.did !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['did'],
        message: 'the numbers of a port cannot be changed: cancel it, and submit another',
      })
    checkFeatures(given.features, (path, message) => {
      context.addIssue({ code: 'custom', path, message })
    })
  })
  .openapi('PortInCorrection')

const folded = (name: string): string => name.replaceAll('_', '').toLowerCase()

function checkFeatures(
  given: z.infer<typeof features>,
  complain: (path: (string | number)[], message: string) => void,
): void {
  const named = (given ?? []).map((each) => each.number)
  named.forEach((each, index) => {
    if (named.indexOf(each) !== index)
      complain(['features', index, 'number'], 'the number is named twice')
  })
}

export const orderBody = z.preprocess(foldNames(KNOWN_NAMES), order)
export const correctionBody = z.preprocess(foldNames(KNOWN_NAMES), correction)

/**
 * Returns a function that renames members of an object, and of nested objects, to their known spelling. A
 * correctly spelled name takes precedence over its variant; unknown names stay.
 */
export function foldNames(known: readonly string[]): (value: unknown) => unknown {
  const byFolded = new Map(known.map((name) => [folded(name), name]))
  const read = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(read)
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value)
    // Correctly spelled names come last, and therefore win.
    const right = members.filter(([name]) => known.includes(name))
    const others = members.filter(([name]) => !known.includes(name))
    return Object.fromEntries(
      [...others, ...right].map(([name, member]) => [
        byFolded.get(folded(name)) ?? name,
        read(member),
      ]),
    )
  }
  return read
}

/** Converts a body to a port. Throws ApiFailure for a date in the past. */
export function newPortOf(given: z.infer<typeof orderBody>, now: number): NewPort {
  const { did: numbers, pin: givenPin, features: givenFeatures, ...subscriber } = given
  refusePast(subscriber.desiredDueDate, now)
  const byNumber = featuresByNumber(givenFeatures)
  return {
    subscriber: wholeSubscriber(subscriber),
    pin: givenPin === '' ? undefined : givenPin,
    numbers: numbers.map((e164) => ({ e164, features: byNumber.get(e164) ?? {} })),
  }
}

/** Converts a body to a correction. Throws ApiFailure for a date in the past. */
export function correctionOf(given: z.infer<typeof correctionBody>, now: number): PortCorrection {
  const { pin: givenPin, features: givenFeatures, did: _did, ...subscriber } = given
  refusePast(subscriber.desiredDueDate, now)
  const named = Object.entries(subscriber).filter(([, value]) => value !== undefined)
  return {
    subscriber: Object.fromEntries(named),
    pin: givenPin,
    features: [...featuresByNumber(givenFeatures)].map(([e164, each]) => ({
      e164,
      features: each,
    })),
  }
}

/** American Samoa is 11 hours behind UTC, the westernmost place of the numbering plan. */
const LAST_DAY_END_MS = 11 * 3_600_000

/** Throws ApiFailure for a date that is past in every time zone of the numbering plan. */
export function refusePast(desiredDueDate: string | undefined, now: number): void {
  const today = dateOf(now - LAST_DAY_END_MS)
  if (desiredDueDate !== undefined && desiredDueDate !== '' && desiredDueDate < today)
    throw new ApiFailure(400, 'desiredDueDate: the date is in the past')
}

type Optional =
  | 'streetPrefix'
  | 'streetSuffix'
  | 'unitValue'
  | 'building'
  | 'floor'
  | 'room'
  | 'desiredDueDate'

/** The subscriber with an empty text for each absent field. */
export function wholeSubscriber(
  given: Omit<Subscriber, Optional> & Partial<Record<Optional, string | undefined>>,
): Subscriber {
  const { streetPrefix = '', streetSuffix = '', unitValue = '', desiredDueDate = '' } = given
  const { building = '', floor = '', room = '' } = given
  return {
    name: given.name,
    nameType: given.nameType,
    authPerson: given.authPerson,
    lcBtn: given.lcBtn,
    lcAccountNumber: given.lcAccountNumber,
    streetNumber: given.streetNumber,
    streetPrefix,
    street: given.street,
    streetType: given.streetType,
    streetSuffix,
    city: given.city,
    state: given.state,
    zip: given.zip,
    country: given.country,
    unitValue,
    building,
    floor,
    room,
    desiredDueDate,
  }
}
