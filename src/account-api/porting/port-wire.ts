/** Ports in the REST style. */
import { createHash } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { type Port, STATUS_OF } from '../../porting/port.js'
import { compactDate } from '../../porting/port-dates.js'
import type { PortLinks } from '../../porting/port-links.js'
import type { PortDetail } from '../../porting/ports.js'
import { isoTime, shownText } from '../fields.js'
import { tenDigits } from './port-fields.js'

const status = z
  .enum(['Submitted', 'Validating', 'Pending', 'FOC', 'Exception', 'Complete', 'Cancelled'])
  .openapi({ description: 'Where the port is.' })
const foc = shownText('The committed date, YYYYMMDD; empty without one.')

const entry = {
  id: shownText('40 hex digits.'),
  status,
  createdAt: shownText('When it was submitted (ISO 8601).'),
  pid: shownText('Five letters and digits, by which requests name the port.'),
  foc,
  message: shownText('What happens now, or what to do, for a person.'),
  numbers: z.array(z.string()).openapi({ description: 'The numbers, ten digits each.' }),
  ticket: z.number().int().openapi({ description: 'The number of the support ticket.' }),
  kind: z.enum(['local', 'toll-free']).openapi({ description: 'The kind of the numbers.' }),
}

export const shownPort = z.object(entry).openapi('Port')

export const shownLetter = z
  .object({
    id: shownText('The id of the file.'),
    fileName: shownText('The name of the file.'),
    mimeType: shownText('The type of the file.'),
    bytes: z.number().int().openapi({ description: 'The size of the file.' }),
    receivedAt: shownText('When it came (ISO 8601).'),
  })
  .openapi('PortLetter')

const change = z
  .object({
    at: shownText('When (ISO 8601).'),
    status,
    foc,
    by: z
      .enum(['customer', 'operator', 'carrier'])
      .openapi({ description: 'Who has changed the port.' }),
    message: shownText('What happened, for a person.'),
  })
  .openapi('PortChange')

const shownFeature = z
  .object({
    number: shownText('The number, ten digits.'),
    routing: z
      .object({ gatewayId: z.number().int().openapi({ description: 'The route.' }) })
      .optional()
      .openapi({ description: 'Where calls to the number go.' }),
    sms: z
      .object({ campaignId: shownText('The 10DLC campaign.') })
      .optional()
      .openapi({ description: 'The messaging of the number.' }),
    lidb: z
      .object({ name: shownText('The name.') })
      .optional()
      .openapi({ description: 'The outbound caller name.' }),
  })
  .openapi('ShownPortFeature')

export const shownDetail = z
  .object({
    ...entry,
    name: shownText('The name of the subscriber.'),
    email: shownText('The address that gets the mails about the port; empty: none.'),
    nameType: z
      .enum(['business', 'residential'])
      .openapi({ description: 'Whether the name is that of a business or of a person.' }),
    authPerson: shownText('The person who may sign the letter of authorisation.'),
    lcBtn: shownText('The billing telephone number.'),
    lcAccountNumber: shownText('The account number at the losing carrier.'),
    hasPin: z.boolean().openapi({ description: 'Whether a PIN was given; it is never shown.' }),
    streetNumber: shownText('The number of the house.'),
    streetPrefix: shownText('The direction before the name of the street.'),
    street: shownText('The name of the street.'),
    streetType: shownText('The type of the street.'),
    streetSuffix: shownText('The direction after the name of the street.'),
    city: shownText('The city.'),
    state: shownText('The state, two letters.'),
    zip: shownText('The postal code.'),
    country: shownText('The country.'),
    unitValue: shownText('The unit or suite.'),
    building: shownText('The building.'),
    floor: shownText('The floor.'),
    room: shownText('The room.'),
    desiredDueDate: shownText('The wished date, YYYY-MM-DD; empty: standard processing.'),
    losingCarrier: shownText('The carrier that the numbers leave.'),
    features: z
      .array(shownFeature)
      .openapi({ description: 'What is set on the numbers once the port is complete.' }),
    letters: z
      .array(shownLetter)
      .openapi({ description: 'The letters of authorisation, the oldest first.' }),
    history: z.array(change).openapi({ description: 'Every change, the oldest first.' }),
    portUrl: shownText('The page that shows the port.'),
    loaUrl: shownText('The page that takes the letter of authorisation.'),
  })
  .openapi('PortDetail')

/** The public id of a port: 40 hex digits. */
export function portIdOf({ sid }: Pick<Port, 'sid'>): string {
  return createHash('sha1').update(sid).digest('hex')
}

export function portToWire(port: Port): z.infer<typeof shownPort> {
  return {
    id: portIdOf(port),
    status: STATUS_OF[port.progress.state] as z.infer<typeof status>, // one of the names in `status`
    createdAt: isoTime(port.createdAt),
    pid: port.pid,
    foc: compactDate(port.foc),
    message: port.message,
    numbers: port.numbers.map(({ e164 }) => tenDigits(e164)),
    ticket: port.ticket,
    kind: port.kind,
  }
}

export function detailToWire(
  { port, history, letters }: PortDetail,
  { profile }: Pick<Account, 'profile'>,
  links: PortLinks,
): z.infer<typeof shownDetail> {
  return {
    ...portToWire(port),
    ...port.subscriber,
    email: profile.email ?? '',
    hasPin: port.pinSealed !== undefined,
    losingCarrier: port.losingCarrier,
    features: featuresToWire(port),
    letters: letters.map((letter) => ({
      id: letter.uuid,
      fileName: letter.fileName,
      mimeType: letter.mimeType,
      bytes: letter.bytes,
      receivedAt: isoTime(letter.createdAt),
    })),
    history: history.map((each) => ({
      at: isoTime(each.at),
      status: STATUS_OF[each.state] as z.infer<typeof status>, // one of the names in `status`
      foc: compactDate(each.foc),
      by: each.actor,
      message: each.message,
    })),
    portUrl: links.urlOf('port', port.pid),
    loaUrl: links.urlOf('loa', port.pid),
  }
}

/** Features of the numbers that have any. */
function featuresToWire({ numbers }: Port): z.infer<typeof shownFeature>[] {
  return numbers.flatMap(({ e164, features: { gatewayId, campaignId, callerName } }) => {
    if (gatewayId === undefined && campaignId === undefined && callerName === undefined) return []
    return [
      {
        number: tenDigits(e164),
        routing: gatewayId === undefined ? undefined : { gatewayId },
        sms: campaignId === undefined ? undefined : { campaignId },
        lidb: callerName === undefined ? undefined : { name: callerName },
      },
    ]
  })
}
