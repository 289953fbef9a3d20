/** The specification's rows on ports. */
import { legacyOrder, SUBSCRIBER } from '../porting/port-samples.js'
import type { AccountRow } from './account-rows.js'

/** The number used in the rows. */
export const PORTED_NUMBER = '2025550143'
/** Placeholder in a path for the pid of the port that a row needs. */
export const MADE_PORT = 'made-port'

/** Fields of a port in a list; `foc` is empty until there is a date. */
const PORT_FIELDS = {
  id: 'string',
  status: 'string',
  createdAt: 'string',
  pid: 'string',
  foc: 'string',
  message: 'string',
  kind: 'string',
  ticket: 'number',
  numbers: ['string'],
}
/** Fields of a single port: those in a list, those of the order, and the history. */
const DETAIL_FIELDS = {
  ...PORT_FIELDS,
  ...Object.fromEntries(Object.keys(SUBSCRIBER).map((field) => [field, 'string'])),
  email: 'string',
  hasPin: 'boolean',
  streetPrefix: 'string',
  streetSuffix: 'string',
  unitValue: 'string',
  building: 'string',
  floor: 'string',
  room: 'string',
  desiredDueDate: 'string',
  losingCarrier: 'string',
  features: [],
  letters: [],
  history: [{ at: 'string', status: 'string', foc: 'string', by: 'string', message: 'string' }],
  portUrl: 'string',
  loaUrl: 'string',
}

export const REST_PORT_ROWS: readonly AccountRow[] = [
  {
    id: 'checkPortability',
    row: 'Portability check',
    method: 'GET',
    paths: ['/v2.2/ports/availability/{number}'],
    params: { number: PORTED_NUMBER },
    status: 200,
    fields: {
      number: 'string',
      portable: 'boolean',
      reason: 'object',
      losingCarrier: 'string',
      localRoutingNumber: 'string',
      rateCenterTier: 'string',
    },
    required: [],
  },
  {
    id: 'submitPort',
    row: 'Submit port-in (customer route)',
    method: 'POST',
    paths: ['/v2.2/account/port', '/v2.2/ports'],
    body: { did: [PORTED_NUMBER], ...SUBSCRIBER },
    status: 201,
    fields: {
      pid: 'string',
      message: 'string',
      ticket: 'number',
      portUrl: 'string',
      loaUrl: 'string',
      ports: [{ ...PORT_FIELDS, loaUrl: 'string' }],
    },
    required: ['did', ...Object.keys(SUBSCRIBER)],
    needs: 'checked-number',
  },
  {
    id: 'listPorts',
    row: 'List port-ins',
    method: 'GET',
    paths: ['/v2.2/ports'],
    status: 200,
    fields: { next: 'object', ports: [PORT_FIELDS] },
    required: [],
    needs: 'port',
  },
  {
    id: 'getPort',
    row: 'Port-in detail',
    method: 'GET',
    paths: ['/v2.2/ports/{id}'],
    params: { id: MADE_PORT },
    status: 200,
    fields: { port: DETAIL_FIELDS },
    required: [],
    needs: 'port',
  },
]

/** Row of the legacy style below `/v2.1`. */
export const LEGACY_PORT_ROWS: readonly AccountRow[] = [
  {
    id: 'legacyPortStatus',
    row: 'Port status summary',
    method: 'POST',
    paths: ['/v2.1/numbering/portStatus/', '/v2.1/iNumbering/portStatus/'],
    status: 200,
    fields: {
      next: 'object',
      portStatusSummary: [
        {
          id: 'string',
          key: ['string'],
          value: {
            pid: 'string',
            status: 'string',
            message: 'string',
            foc: 'string',
            notify: 'string',
            url: 'string',
            pin: 'string',
          },
        },
      ],
    },
    required: [],
    needs: 'port',
  },
]

/** Rows of the legacy style below `/v2`. */
export const NUMBERING_PORT_ROWS: readonly AccountRow[] = [
  {
    id: 'legacyPortInAvailability',
    row: 'Portability check',
    method: 'POST',
    paths: ['/v2/numbering/portInAvailability/', '/v2/iNumbering/portInAvailability/'],
    body: { tnList: { tnItem: [{ tn: PORTED_NUMBER }] } },
    status: 200,
    fields: {
      serviceAvailable: [
        {
          telephoneNumber: 'string',
          isPortable: 'string',
          serviceProviderName: 'string',
          localRoutingNumber: 'string',
          rateCenterTier: 'string',
        },
      ],
    },
    required: ['tnList'],
  },
  {
    id: 'legacyPortInOrder',
    row: 'Submit port (administrator only)',
    method: 'POST',
    paths: ['/v2/numbering/portInOrder/', '/v2/iNumbering/portInOrder/'],
    body: { portInOrder: legacyOrder(PORTED_NUMBER) },
    status: 200,
    fields: { orderId: 'number' },
    required: ['portInOrder'],
    needs: 'checked-by-administrator',
  },
]
