/** Number operations of existing clients that the specification does not name. */
import type { AccountRow, Shape } from './account-rows.js'

const BESIDE = 'Beside the specification'
const TN = '2025550111'
const SHOWN: Shape = {
  carrier: 'number',
  faxEnabled: 'boolean',
  translated: 'string',
  forward: 'boolean',
  forwardTo: 'object',
  number: 'string',
  smsEnabled: 'boolean',
  cnam: 'boolean',
  route: 'number',
  user: 'object',
  lidb: 'string',
  porting: 'boolean',
}

/** A row on the test number, which the account holds. */
function rowOf(
  id: string,
  method: AccountRow['method'],
  path: string,
  rest: Partial<AccountRow> = {},
): AccountRow {
  return {
    id,
    row: BESIDE,
    method,
    paths: [`/v2.2/numbers/{number}${path}`],
    params: { number: TN },
    status: method === 'DELETE' ? 204 : 200,
    fields: method === 'DELETE' ? {} : SHOWN,
    required: Object.keys(rest.body ?? {}),
    needs: 'number',
    ...rest,
  }
}

export const REST_NUMBER_ROWS_BESIDE: readonly AccountRow[] = [
  {
    id: 'searchInventory',
    row: BESIDE,
    method: 'GET',
    paths: ['/v2.2/inventory'],
    query: 'tnMask=202xxxxxxx&quantity=1',
    status: 200,
    fields: {
      numbers: [
        {
          number: 'string',
          city: 'string',
          province: 'string',
          rateCenter: 'string',
          lata: 'string',
        },
      ],
    },
    required: [],
    needs: 'stock',
  },
  {
    id: 'addNumbers',
    row: BESIDE,
    method: 'POST',
    paths: ['/v2.2/numbers'],
    body: { numbers: [TN] },
    status: 201,
    fields: { amountCharged: 'number', numbers: [{ number: 'string', route: 'number' }] },
    required: ['numbers'],
    needs: 'stock',
  },
  {
    id: 'listNumbers',
    row: BESIDE,
    method: 'GET',
    paths: ['/v2.2/numbers'],
    query: 'number=2025',
    status: 200,
    fields: { next: 'object', numbers: [SHOWN] },
    required: [],
    needs: 'number',
  },
  rowOf('getNumber', 'GET', ''),
  rowOf('moveNumber', 'PATCH', '', { body: { route: 1 }, required: [] }),
  rowOf('removeNumber', 'DELETE', ''),
  rowOf('disconnectNumber', 'POST', '/release', { status: 204, fields: {} }),
  rowOf('setNumberRoute', 'PUT', '/route', {
    body: { route: 1 },
    fields: { number: 'string', route: 'number' },
  }),
  rowOf('setNumberCnam', 'PUT', '/cnam', {
    body: { enabled: true },
    fields: { number: 'string', enabled: 'boolean' },
  }),
  rowOf('setNumberLidb', 'PUT', '/lidb', {
    body: { cnam: 'ACME INC' },
    fields: { number: 'string', cnam: 'string', carrierStatus: 'string' },
  }),
  rowOf('setNumberTranslation', 'PUT', '/translation', {
    body: { translation: '100' },
    fields: { number: 'string', translation: 'string' },
  }),
  rowOf('removeNumberForward', 'DELETE', '/forward'),
  rowOf('setPortOutPin', 'PATCH', '/port-out-pin', {
    body: { pin: '4711' },
    fields: { number: 'string', portOutPin: 'string' },
  }),
  {
    id: 'lookUpRoute',
    row: BESIDE,
    method: 'GET',
    paths: ['/v2.2/lrn/{number}/{ani}'],
    params: { number: TN, ani: '2025550112' },
    status: 200,
    fields: {
      destination: 'string',
      ani: 'string',
      lrn: {
        lrn: 'string',
        ocn: 'string',
        lec: 'string',
        lecType: 'string',
        city: 'string',
        state: 'string',
        rc: 'string',
        lata: 'string',
        local: 'string',
        jurisdiction: 'string',
      },
    },
    required: [],
  },
]
