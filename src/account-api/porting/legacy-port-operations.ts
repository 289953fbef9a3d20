import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { type Port, STATUS_OF } from '../../porting/port.js'
import { compactDate } from '../../porting/port-dates.js'
import type { CheckedNumber, UncheckedNumber } from '../../porting/portability.js'
import { refuseUnless } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation, Styles } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { pageFields, pageRequest, shownNext, shownPlace } from '../list-pages.js'
import { tnItems } from '../numbers/tn-list.js'
import { legacyPortsOf, portInOrder } from './legacy-order.js'
import { MAX_NUMBERS, number, tenDigits } from './port-fields.js'
import { MAX_PORTS, type PortingDeps } from './port-operations.js'
import { portIdOf } from './port-wire.js'

export function legacyPortOperations(porting: PortingDeps): Styles {
  return {
    legacy: [statusOperation(porting)],
    numbering: [availabilityOperation(porting), orderOperation(porting)],
  }
}

function statusOperation({ ports, links }: PortingDeps): AccountOperation {
  return legacy({
    id: 'legacyPortStatus',
    summary: 'List the port-ins, the newest first',
    path: '/numbering/portStatus/',
    aliases: ['/iNumbering/portStatus/'],
    row: 'Port status summary',
    idempotency: 'none',
    body: pageFields(MAX_PORTS),
    keys: {
      next: shownNext,
      portStatusSummary: z
        .array(
          z
            .object({
              id: shownText('40 hex digits.'),
              key: z
                .array(z.string())
                .openapi({ description: 'The username, and when (seconds since 1970).' }),
              value: z
                .object({
                  pid: shownText('Five letters and digits.'),
                  status: shownText('Where the port is.'),
                  message: shownText('What happens now, for a person.'),
                  foc: shownText('The committed date, YYYYMMDD; empty without one.'),
                  notify: z
                    .enum(['0', '1'])
                    .openapi({ description: '1: mails about the port are sent.' }),
                  url: shownText('The page that shows the port.'),
                  pin: shownText('Always empty: PINs are not shown.'),
                })
                .openapi({ description: 'The port.' }),
            })
            .openapi('PortStatusSummary'),
        )
        .openapi({ description: 'The newest first.' }),
    },
    run: async ({ caller, body }) => {
      const found = await ports.list({ accountSid: caller.sid }, pageRequest(body))
      return {
        portStatusSummary: found.items.map((port) => summaryOf(port, caller, links)),
        next: shownPlace(found.nextAfter),
      }
    },
  })
}

const availability = z
  .object({
    telephoneNumber: shownText('The number, ten digits.'),
    isPortable: z.enum(['true', 'false']).openapi({ description: 'As a text.' }),
    notPortableReason: z
      .string()
      .optional()
      .openapi({ description: 'Why not; absent for a portable one.' }),
    serviceProviderName: shownText('The carrier that has the number.'),
    localRoutingNumber: z
      .string()
      .optional()
      .openapi({ description: 'The routing number of its switch.' }),
    rateCenterTier: z.string().optional().openapi({ description: 'The tier of its rate center.' }),
  })
  .openapi('LegacyPortability')

function availabilityOperation({ portability }: PortingDeps): AccountOperation {
  return legacy({
    id: 'legacyPortInAvailability',
    summary: 'Say whether numbers can be ported in',
    description:
      'What the carrier of a number says is kept for an hour. After 20 seconds the numbers that no carrier has answered for are not portable yet: ask for them again.',
    path: '/numbering/portInAvailability/',
    aliases: ['/iNumbering/portInAvailability/'],
    row: 'Portability check',
    idempotency: 'none',
    body: {
      tnList: z
        .object({
          tnItem: tnItems(z.object({ tn: number }), MAX_NUMBERS, 'The numbers.'),
        })
        .openapi({ description: 'The numbers.' }),
    },
    keys: {
      serviceAvailable: z
        .array(availability)
        .openapi({ description: 'The numbers in the order of the request.' }),
    },
    run: async ({ caller, body, http }) => {
      const e164s = body.tnList.tnItem.map(({ tn }) => tn)
      const checked = await portability.checkAll(caller.sid, e164s, http.signal)
      return {
        serviceAvailable: checked.map((each) =>
          'failure' in each ? unknownOf(each) : availabilityOf(each),
        ),
      }
    },
  })
}

function unknownOf({ e164, failure }: UncheckedNumber) {
  return {
    telephoneNumber: tenDigits(e164),
    isPortable: 'false' as const,
    notPortableReason: `Try again later: ${failure.message}`,
    serviceProviderName: '',
  }
}

function availabilityOf(checked: CheckedNumber) {
  return {
    telephoneNumber: tenDigits(checked.e164),
    isPortable: String(checked.isPortable),
    notPortableReason: checked.reason,
    serviceProviderName: checked.losingCarrier,
    localRoutingNumber: checked.localRoutingNumber,
    rateCenterTier: checked.rateCenterTier,
  }
}

function orderOperation({ ports, clock }: PortingDeps): AccountOperation {
  return legacy({
    id: 'legacyPortInOrder',
    summary: 'Order that numbers are ported in, as an administrator, without review',
    description:
      'Each number was found portable within the last hour, else the answer is 412. The fee is 6 dollars for each number.',
    path: '/numbering/portInOrder/',
    aliases: ['/iNumbering/portInOrder/'],
    row: 'Submit port (administrator only)',
    beforeBody: ({ caller: { profile } }) =>
      refuseUnless(profile.isAdministrator, 'Only an administrator may submit ports directly'),
    body: { portInOrder: portInOrder.openapi({ description: 'The order.' }) },
    keys: {
      orderId: z.number().int().openapi({ description: 'The number of the support ticket.' }),
    },
    errors: [402, 409, 412],
    run: async ({ caller, body }) => {
      const orders = legacyPortsOf(body.portInOrder, clock.now())
      const { ticket } = await ports.submit(caller.sid, orders, true)
      return { orderId: ticket }
    },
  })
}

function summaryOf(port: Port, { profile }: Account, links: PortingDeps['links']) {
  const seconds = Math.floor(port.createdAt / 1_000)
  return {
    id: portIdOf(port),
    key: [profile.username, String(seconds)],
    value: {
      pid: port.pid,
      status: STATUS_OF[port.progress.state],
      message: port.message,
      foc: compactDate(port.foc),
      notify: profile.email === undefined ? '0' : '1',
      url: links.urlOf('port', port.pid),
      pin: '',
    },
  }
}
