/** Port-in orders of the legacy style, which an administrator submits. */
import { z } from '@hono/zod-openapi'
import type { NewPort, PortedNumber, Subscriber } from '../../porting/port.js'
import { tnItems } from '../numbers/tn-list.js'
import { refusePast, wholeSubscriber } from './port-body.js'
import { MAX_NUMBERS, number, optionalText, pin, subscriberFields, text } from './port-fields.js'

const location = (which: string) => optionalText(`${which} part of the address in the building.`)

const endUser = z
  .object({
    name: subscriberFields.name,
    streetNum: subscriberFields.streetNumber,
    streetPreDir: subscriberFields.streetPrefix,
    streetName: subscriberFields.street,
    streetType: subscriberFields.streetType,
    streetPostDir: subscriberFields.streetSuffix,
    locationType1: location('The kind of the first'),
    locationValue1: location('The first'),
    locationType2: location('The kind of the second'),
    locationValue2: location('The second'),
    locationType3: location('The kind of the third'),
    locationValue3: location('The third'),
    city: subscriberFields.city,
    state: subscriberFields.state,
    postalCode: subscriberFields.zip,
    typeOfService: z
      .enum(['B', 'R'])
      .openapi({ description: 'B for a business, R for a residence.' }),
  })
  .openapi('LegacyEndUser')

const item = z
  .object({
    tn: number,
    atn: subscriberFields.lcBtn,
    accountNum: subscriberFields.lcAccountNumber,
    accountPin: pin,
    authName: subscriberFields.authPerson,
    authDate: z
      .unknown()
      .optional()
      .openapi({ type: 'string', description: 'It is set automatically: two days ago.' }),
    endUser: endUser.openapi({ description: 'The subscriber at the losing carrier.' }),
    tnFeature: z
      .object({
        callerId: z
          .object({ callingName: text('The name that calls from the number show.', 15) })
          .optional()
          .openapi({ description: 'The outbound caller name.' }),
      })
      .optional()
      .openapi({ description: 'What is set on the number once the port is complete.' }),
  })
  .openapi('LegacyPortItem')

export const portInOrder = z
  .object({
    desiredDueDate: subscriberFields.desiredDueDate,
    tnList: z
      .object({
        tnItem: tnItems(item, MAX_NUMBERS, 'The numbers, each with its subscriber.'),
      })
      .openapi({ description: 'The numbers.' }),
  })
  .superRefine(({ tnList: { tnItem } }, context) => {
    const named = tnItem.map(({ tn }) => tn)
    named.forEach((each, index) => {
      if (named.indexOf(each) !== index)
        context.addIssue({
          code: 'custom',
          path: ['tnList', 'tnItem', index, 'tn'],
          message: 'the number is named twice',
        })
    })
  })
  .openapi('LegacyPortInOrder')

type Item = z.infer<typeof item>

/** The ports of an order: one per subscriber and account. Throws ApiFailure. */
export function legacyPortsOf(
  { desiredDueDate, tnList }: z.infer<typeof portInOrder>,
  now: number,
): readonly NewPort[] {
  refusePast(desiredDueDate, now)
  const groups = new Map<string, { readonly order: NewPort; readonly numbers: PortedNumber[] }>()
  for (const each of tnList.tnItem) {
    const subscriber = subscriberOf(each, desiredDueDate)
    const givenPin = each.accountPin === '' ? undefined : each.accountPin
    const key = JSON.stringify([subscriber, givenPin])
    const group = groups.get(key) ?? {
      order: { subscriber, pin: givenPin, numbers: [] },
      numbers: [],
    }
    const callerName = each.tnFeature?.callerId?.callingName
    group.numbers.push({ e164: each.tn, features: { callerName } })
    groups.set(key, group)
  }
  return [...groups.values()].map(({ order, numbers }) => ({ ...order, numbers }))
}

function subscriberOf(
  { endUser: user, atn, accountNum, authName }: Item,
  desiredDueDate: string | undefined,
): Subscriber {
  return wholeSubscriber({
    name: user.name,
    nameType: user.typeOfService === 'B' ? 'business' : 'residential',
    authPerson: authName,
    lcBtn: atn,
    lcAccountNumber: accountNum,
    streetNumber: user.streetNum,
    streetPrefix: user.streetPreDir,
    street: user.streetName,
    streetType: user.streetType,
    streetSuffix: user.streetPostDir,
    city: user.city,
    state: user.state,
    zip: user.postalCode,
    country: countryOf(user.postalCode),
    ...locationOf(user),
    desiredDueDate,
  })
}

/** The order has no country: a Canadian postal code starts with a letter. */
function countryOf(postalCode: string): string {
  return /^[A-Z]/.test(postalCode) ? 'CA' : 'US'
}

const PLACES: Readonly<Record<string, 'building' | 'floor' | 'room'>> = {
  BLDG: 'building',
  BUILDING: 'building',
  FL: 'floor',
  FLR: 'floor',
  FLOOR: 'floor',
  RM: 'room',
  ROOM: 'room',
}

/** Building, floor and room of the address; any other kind is the unit. */
function locationOf(user: Item['endUser']) {
  const parts = [
    [user.locationType1, user.locationValue1],
    [user.locationType2, user.locationValue2],
    [user.locationType3, user.locationValue3],
  ]
  const found: Partial<Record<'unitValue' | 'building' | 'floor' | 'room', string>> = {}
  for (const [type = '', value = ''] of parts)
    if (value !== '') found[PLACES[type.toUpperCase()] ?? 'unitValue'] = value
  return found
}
