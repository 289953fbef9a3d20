import type { AccountRow } from './account-rows.js'

const GATEWAY_FIELDS = {
  id: 'number',
  gateway: 'string',
  prefix: 'string',
  limit: 'number',
  forwardedCaller: 'string',
  system: 'boolean',
}

/** Rows of gateways. The first gateway of a database has the id 101. */
export const GATEWAY_ROWS: readonly AccountRow[] = [
  {
    id: 'listGateways',
    row: 'List gateways',
    method: 'GET',
    paths: ['/v2.2/gateways'],
    status: 200,
    fields: { gateways: [GATEWAY_FIELDS] },
    required: [],
  },
  {
    id: 'addGateway',
    row: 'Add gateway',
    method: 'POST',
    paths: ['/v2.2/gateways'],
    body: { gateway: '8.8.8.8:5080', prefix: '9', limit: 30 },
    status: 201,
    fields: GATEWAY_FIELDS,
    required: ['gateway'],
  },
  {
    id: 'getGateway',
    row: 'Get gateway',
    method: 'GET',
    paths: ['/v2.2/gateways/{id}'],
    params: { id: '101' },
    status: 200,
    fields: GATEWAY_FIELDS,
    required: [],
    needs: 'gateway',
  },
  {
    id: 'updateGateway',
    row: 'Update gateway',
    method: 'PUT',
    paths: ['/v2.2/gateways/{id}'],
    params: { id: '101' },
    body: { limit: 2 },
    status: 200,
    fields: GATEWAY_FIELDS,
    required: [],
    needs: 'gateway',
  },
  {
    id: 'removeGateway',
    row: 'Delete gateway',
    method: 'DELETE',
    paths: ['/v2.2/gateways/{id}'],
    params: { id: '101' },
    status: 204,
    fields: {},
    required: [],
    needs: 'gateway',
  },
  {
    id: 'listGatewayNumbers',
    row: 'Numbers on a gateway',
    method: 'GET',
    paths: ['/v2.2/gateways/{id}/numbers'],
    params: { id: '101' },
    status: 200,
    fields: {
      numbers: [
        {
          carrier: 'number',
          faxEnabled: 'boolean',
          translated: 'string',
          forward: 'boolean',
          forwardTo: 'string',
          number: 'string',
          smsEnabled: 'boolean',
          cnam: 'boolean',
        },
      ],
    },
    required: [],
    needs: 'gateway-number',
  },
]

/** Legacy gateway group of existing clients. */
const LEGACY = 'Legacy gateway group'

export const LEGACY_GATEWAY_ROWS: readonly AccountRow[] = [
  {
    id: 'legacyListGateways',
    row: LEGACY,
    method: 'POST',
    paths: ['/v2.1/gateways/list/'],
    status: 200,
    fields: { gateways: [{ IP: 'string', route: 'number' }] },
    required: [],
  },
  {
    id: 'legacyAddGateways',
    row: LEGACY,
    method: 'POST',
    paths: ['/v2.1/gateways/add/'],
    body: { gateways: [{ gateway: '8.8.8.8:5080' }] },
    status: 200,
    fields: { gateways: [{ IP: 'string', route: 'number' }], message: 'string' },
    required: ['gateways'],
  },
  {
    id: 'legacyUpdateGateways',
    row: LEGACY,
    method: 'POST',
    paths: ['/v2.1/gateways/update/'],
    body: { gateways: [{ route: 101, gateway: '8.8.4.4' }] },
    status: 200,
    fields: { gateways: [{ IP: 'string', route: 'number' }], message: 'string' },
    required: ['gateways'],
    needs: 'gateway',
  },
  {
    id: 'legacyRemoveGateways',
    row: LEGACY,
    method: 'POST',
    paths: ['/v2.1/gateways/remove/'],
    body: { routes: [{ route: 101 }] },
    status: 200,
    fields: { routes: [{ route: 'number' }], message: 'string' },
    required: ['routes'],
    needs: 'gateway',
  },
]
