/**
 * The specification's rows of the account group: its tables "REST operations with known method and path", "…
 * identified by function only" and "Legacy operations", and the legacy account group.
 */
export interface AccountRow {
  /** Id of the operation that implements the row. */
  readonly id: string
  readonly row: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** All paths: first the specification's, then the aliases. */
  readonly paths: readonly string[]
  /** Body to send; the legacy style's key is added. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Values of the path parameters. */
  readonly params?: Readonly<Record<string, string>>
  /** Query to send. */
  readonly query?: string
  readonly status: number
  /** Fields of `data`, or keys of a legacy answer, each with its type. */
  readonly fields: Shape
  /** Body fields whose absence is a 400. */
  readonly required: readonly string[]
  /**
   * Required setup. `money`: a call, charges, payments and credits. `stock`: numbers to order. `number`: one
   * that the account holds. `gateway-number`: one on a gateway, with a forward. `checked-…`: one that may be
   * ported. `port`: a port. `message`: one from a number. `media-message`: one with media.
   */
  readonly needs?:
    | 'administrator'
    | 'no-key'
    | 'acl-entry'
    | 'registration'
    | 'money'
    | 'stock'
    | 'number'
    | 'gateway'
    | 'gateway-number'
    | 'emergency-address'
    | 'emergency-record'
    | 'checked-number'
    | 'checked-by-administrator'
    | 'port'
    | 'message'
    | 'media-message'
}

/**
 * The type of a value: of each field of an object, and of the different items of a list. `array` and `object`
 * allow any content.
 */
export type Shape = string | readonly Shape[] | { readonly [field: string]: Shape }

const LOGIN = { username: '2025550100', password: 'abcdef1234' }
const NEW_ACCOUNT = { username: '2025550188', name: 'Branch', email: 'b@acme.example' }
const SIGN_UP = { name: 'Jane', email: 'jane@reader.example', promo: 'SPRING' }
const ACL = { acl: [{ cidr: '8.8.8.0/24' }] }
const CREDENTIALS = {
  username: 'string',
  password: 'string',
  name: 'string',
  email: 'string',
}

const ACL_ENTRIES = [{ cidr: 'string' }]
const CHARGES = [{ amount: 'number', description: 'string' }]
const CREDITS = [{ paid: 'boolean', date: 'string', amount: 'number' }]
const CALL_VALUE = {
  ip: 'string',
  cn: 'string',
  nr: 'string',
  dst: 'string',
  dur: 'string',
  ba: 'string',
  cid: 'string',
}
const CALLS = [{ key: ['string'], id: 'string', value: CALL_VALUE }]
const UPDATED_FIELDS = [
  { field: 'string', value: 'string' },
  { field: 'string', value: 'number' },
]
/** Operations of existing clients that the specification does not name. */
const BESIDE = 'Beside the specification'
/** A number that the account holds if the row needs one. */
export const EMERGENCY_DN = '2125550143'
export const ADDRESS = {
  address1: '350 Fifth Ave',
  address2: 'Floor 21',
  city: 'New York',
  state: 'NY',
  zip: '10118',
}
/** `source` names the validator of the address. */
const ADDRESS_FIELDS = {
  source: 'string',
  addressid: 'number',
  address1: 'string',
  address2: 'string',
  city: 'string',
  state: 'string',
  zip: 'string',
}
const RECORD_FIELDS = { ...ADDRESS_FIELDS, dn: 'string', callername: 'string' }
const NEW_RECORD = { ...ADDRESS, dn: EMERGENCY_DN, callername: 'Acme Ltd' }
const PROVISION = { addressid: 1, callername: 'Acme Ltd' }
const ADDRESS_REQUIRED = ['address1', 'city', 'state', 'zip']

export const REST_ROWS: readonly AccountRow[] = [
  {
    id: 'getApiKey',
    row: 'Get API key',
    method: 'POST',
    paths: ['/v2.2/account/api-key', '/v2.2/account/apikey'],
    body: LOGIN,
    status: 200,
    fields: { apikey: 'string' },
    required: ['username', 'password'],
    needs: 'no-key',
  },
  {
    id: 'getAccountDetails',
    row: 'Account details',
    method: 'GET',
    paths: ['/v2.2/account'],
    status: 200,
    fields: {
      username: 'string',
      name: 'string',
      email: 'string',
      timezone: 'string',
      callerId: 'string',
      created: 'string',
      enabled: 'boolean',
      notify: 'boolean',
      ccs: 'number',
      notifyThreshold: 'number',
      authType: 'number',
      cash: 'number',
      services: {
        sms: 'boolean',
        rcid: 'boolean',
        mms: 'boolean',
        bypassMedia: 'boolean',
        e911: 'boolean',
        intl: 'boolean',
        cnam: 'boolean',
        dialer: 'boolean',
      },
      rates: {
        fax: 'number',
        sms: 'number',
        mms: 'number',
        tfAdj: 'number',
        lrn: 'number',
        nibble: 'number',
        did: 'number',
        cnam: 'number',
        intlMax: 'number',
      },
    },
    required: [],
  },
  {
    id: 'listRecurringCharges',
    row: 'Recurring charges',
    method: 'GET',
    paths: ['/v2.2/account/recurring-charges', '/v2.2/account/mrc'],
    status: 200,
    fields: { charges: CHARGES, total: 'number' },
    required: [],
    needs: 'money',
  },
  {
    id: 'listCdrs',
    row: 'Call detail records',
    method: 'GET',
    paths: ['/v2.2/account/cdr'],
    status: 200,
    fields: { next: 'object', start: 'number', end: 'number', cdr: CALLS },
    required: [],
    needs: 'money',
  },
  {
    id: 'listCredits',
    row: 'Credit history',
    method: 'GET',
    paths: ['/v2.2/account/credits'],
    status: 200,
    fields: { next: 'object', credits: CREDITS },
    required: [],
    needs: 'money',
  },
  {
    id: 'listPaidCredits',
    row: 'Paid credits / unpaid credits',
    method: 'GET',
    paths: ['/v2.2/account/credits/paid'],
    status: 200,
    fields: { next: 'object', credits: CREDITS },
    required: [],
    needs: 'money',
  },
  {
    id: 'listUnpaidCredits',
    row: 'Paid credits / unpaid credits',
    method: 'GET',
    paths: ['/v2.2/account/credits/unpaid'],
    status: 200,
    fields: { next: 'object', credits: CREDITS },
    required: [],
    needs: 'money',
  },
  {
    id: 'listPayments',
    row: 'Cash payments',
    method: 'GET',
    paths: ['/v2.2/account/payments'],
    status: 200,
    fields: {
      next: 'object',
      payments: [
        {
          amount: 'number',
          date: 'string',
          payerEmail: 'string',
          transactionId: 'string',
          status: 'string',
        },
      ],
    },
    required: [],
    needs: 'money',
  },
  {
    id: 'createSubAccount',
    row: 'Create sub-account (administrator)',
    method: 'POST',
    paths: ['/v2.2/account'],
    body: NEW_ACCOUNT,
    status: 201,
    fields: { ...CREDENTIALS, masterAccount: 'string' },
    required: ['username', 'name', 'email'],
    needs: 'administrator',
  },
  {
    id: 'updateAccount',
    row: 'Update account settings',
    method: 'PUT',
    paths: ['/v2.2/account'],
    body: { timezone: 'Europe/Berlin', notify: true, notifyThreshold: 5, callerId: '2025550143' },
    status: 200,
    fields: { updated: ['string'] },
    required: [],
  },
  {
    id: 'requestRecovery',
    row: 'Request password recovery (no auth)',
    method: 'POST',
    paths: ['/v2.2/account/recovery', '/v2.2/account/recover'],
    body: { email: 'owner@acme.example' },
    status: 200,
    fields: { message: 'string' },
    required: ['email'],
    needs: 'no-key',
  },
  {
    id: 'signUp',
    row: 'Sign up (no auth)',
    method: 'POST',
    paths: ['/v2.2/accounts', '/v2.2/account/signup'],
    body: SIGN_UP,
    status: 201,
    fields: CREDENTIALS,
    required: ['name', 'email'],
    needs: 'no-key',
  },
  {
    id: 'addAcl',
    row: 'Add ACL entries',
    method: 'POST',
    paths: ['/v2.2/acl'],
    body: ACL,
    status: 200,
    fields: { added: ACL_ENTRIES },
    required: ['acl'],
  },
  {
    id: 'removeAcl',
    row: 'Remove ACL entries',
    method: 'DELETE',
    paths: ['/v2.2/acl'],
    query: 'cidrs=8.8.8.0/24',
    status: 200,
    fields: { removed: ACL_ENTRIES },
    required: [],
    needs: 'acl-entry',
  },
  {
    id: 'updateAuthentication',
    row: 'Update authentication',
    method: 'PUT',
    paths: ['/v2.2/auth'],
    body: { password: 'abc123', authType: 2 },
    status: 200,
    fields: { updated: UPDATED_FIELDS },
    required: [],
  },
  {
    id: 'getAuthentication',
    row: 'Get authentication',
    method: 'GET',
    paths: ['/v2.2/auth'],
    status: 200,
    fields: { authType: 'number', authTypeDescription: 'string', acl: ACL_ENTRIES },
    required: [],
    needs: 'acl-entry',
  },
  {
    id: 'listCdrsByBody',
    row: BESIDE,
    method: 'POST',
    paths: ['/v2.2/account/cdr'],
    body: {},
    status: 200,
    fields: { next: 'object', start: 'number', end: 'number', cdr: CALLS },
    required: [],
    needs: 'money',
  },
  {
    id: 'listAcl',
    row: BESIDE,
    method: 'GET',
    paths: ['/v2.2/acl'],
    status: 200,
    fields: { acl: ACL_ENTRIES },
    required: [],
    needs: 'acl-entry',
  },
  {
    id: 'getRegistration',
    row: BESIDE,
    method: 'GET',
    paths: ['/v2.2/account/registration'],
    status: 200,
    fields: { agent: 'string', uri: 'string' },
    required: [],
    needs: 'registration',
  },
  {
    id: 'validateE911',
    row: 'Validate e911 address',
    method: 'POST',
    paths: ['/v2.2/e911/validate', '/v2.2/e911/validations'],
    body: ADDRESS,
    status: 200,
    fields: { address: ADDRESS_FIELDS },
    required: ADDRESS_REQUIRED,
  },
  {
    id: 'createE911',
    row: 'Create e911 record',
    method: 'POST',
    paths: ['/v2.2/e911'],
    body: NEW_RECORD,
    status: 201,
    fields: { record: RECORD_FIELDS },
    required: [...ADDRESS_REQUIRED, 'dn', 'callername'],
    needs: 'emergency-address',
  },
  {
    id: 'provisionE911',
    row: 'Provision e911 from validated address',
    method: 'PUT',
    paths: ['/v2.2/e911/{dn}'],
    params: { dn: EMERGENCY_DN },
    body: PROVISION,
    status: 200,
    fields: { record: RECORD_FIELDS },
    required: ['addressid', 'callername'],
    needs: 'emergency-address',
  },
  {
    id: 'getE911',
    row: 'Get e911 record',
    method: 'GET',
    paths: ['/v2.2/e911/{dn}'],
    params: { dn: EMERGENCY_DN },
    status: 200,
    fields: { record: RECORD_FIELDS },
    required: [],
    needs: 'emergency-record',
  },
  {
    id: 'listE911',
    row: 'List e911 records',
    method: 'GET',
    paths: ['/v2.2/e911'],
    status: 200,
    fields: { records: [RECORD_FIELDS] },
    required: [],
    needs: 'emergency-record',
  },
  {
    id: 'removeE911',
    row: 'Remove e911 record',
    method: 'DELETE',
    paths: ['/v2.2/e911/{dn}'],
    params: { dn: EMERGENCY_DN },
    status: 204,
    fields: {},
    required: [],
    needs: 'emergency-record',
  },
  {
    id: 'lookUpCallerName',
    row: 'Caller-name lookup',
    method: 'GET',
    paths: ['/v2.2/cnam/{number}'],
    params: { number: EMERGENCY_DN },
    status: 200,
    fields: { number: 'string', cnam: 'string' },
    required: [],
  },
]

const LEGACY_ACL = 'Add / list / remove ACL entries (legacy)'
/** Legacy account group of existing clients; the specification has only one of its rows. */
const LEGACY_GROUP = 'Legacy account group'
/** Legacy emergency address group of existing clients. */
const LEGACY_E911 = 'Legacy e911 group'

export const LEGACY_ROWS: readonly AccountRow[] = [
  {
    id: 'legacyGetApiKey',
    row: 'Get API key (legacy)',
    method: 'POST',
    paths: ['/v2.1/account/apikey/'],
    body: LOGIN,
    status: 200,
    fields: { apikey: 'string' },
    required: ['username', 'password'],
    needs: 'no-key',
  },
  {
    id: 'legacyAddAcl',
    row: LEGACY_ACL,
    method: 'POST',
    paths: ['/v2.1/acl/add/'],
    body: ACL,
    status: 200,
    fields: { acl: ACL_ENTRIES, message: 'string' },
    required: ['acl'],
  },
  {
    id: 'legacyListAcl',
    row: LEGACY_ACL,
    method: 'POST',
    paths: ['/v2.1/acl/list/'],
    status: 200,
    fields: { acl: ACL_ENTRIES, message: 'string' },
    required: [],
    needs: 'acl-entry',
  },
  {
    id: 'legacyRemoveAcl',
    row: LEGACY_ACL,
    method: 'POST',
    paths: ['/v2.1/acl/remove/'],
    body: ACL,
    status: 200,
    fields: { acl: ACL_ENTRIES, message: 'string' },
    required: ['acl'],
    needs: 'acl-entry',
  },
  {
    id: 'legacyListAuthentication',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/auth/list/'],
    status: 200,
    fields: {
      account: { username: 'string', acl: ACL_ENTRIES, authType: 'number', instructions: 'string' },
    },
    required: [],
    needs: 'acl-entry',
  },
  {
    id: 'legacyUpdateAuthentication',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/auth/update/'],
    body: { password: 'abc123', authType: 1 },
    status: 200,
    fields: { update: UPDATED_FIELDS },
    required: [],
  },
  {
    id: 'legacyCreateSubAccount',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/account/add/'],
    body: NEW_ACCOUNT,
    status: 200,
    fields: { ...CREDENTIALS, masterAccount: 'string' },
    required: ['username', 'name', 'email'],
    needs: 'administrator',
  },
  {
    id: 'legacyAccountInfo',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/account/info/'],
    status: 200,
    fields: {
      account: [
        {
          name: 'string',
          rate: 'number',
          enabled: 'boolean',
          notify_threshold: 'number',
          username: 'string',
          caller_id: 'string',
          notify: 'boolean',
          email: 'string',
          created: 'string',
          cash: 'number',
        },
      ],
    },
    required: [],
  },
  {
    id: 'legacyListCdrs',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/account/cdr/'],
    status: 200,
    fields: { next: 'object', start: 'number', end: 'number', cdr: CALLS },
    required: [],
    needs: 'money',
  },
  {
    id: 'legacyListRecurringCharges',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/account/mrc/'],
    status: 200,
    fields: { mrc: CHARGES, total: 'number' },
    required: [],
    needs: 'money',
  },
  {
    id: 'legacyRequestRecovery',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/account/recover/'],
    body: { email: 'owner@acme.example' },
    status: 200,
    fields: { message: 'string' },
    required: ['email'],
    needs: 'no-key',
  },
  {
    id: 'legacySignUp',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/account/signup/'],
    body: SIGN_UP,
    status: 200,
    fields: CREDENTIALS,
    required: ['name', 'email'],
    needs: 'no-key',
  },
  {
    id: 'legacyGetRegistration',
    row: LEGACY_GROUP,
    method: 'POST',
    paths: ['/v2.1/account/registration/'],
    status: 200,
    fields: { agent: 'string', uri: 'string' },
    required: [],
    needs: 'registration',
  },
  {
    id: 'legacyValidateE911',
    row: LEGACY_E911,
    method: 'POST',
    paths: ['/v2.1/e911/validateAddress/'],
    body: ADDRESS,
    status: 200,
    fields: { entry_valid: ADDRESS_FIELDS },
    required: ADDRESS_REQUIRED,
  },
  {
    id: 'legacyProvisionE911',
    row: LEGACY_E911,
    method: 'POST',
    paths: ['/v2.1/e911/provisionAddress/'],
    body: { ...PROVISION, dn: EMERGENCY_DN },
    status: 200,
    fields: { entry_added: RECORD_FIELDS },
    required: ['dn', 'addressid', 'callername'],
    needs: 'emergency-address',
  },
  {
    id: 'legacyCreateE911',
    row: LEGACY_E911,
    method: 'POST',
    paths: ['/v2.1/e911/validateAndProvision/'],
    body: NEW_RECORD,
    status: 200,
    fields: { entry_added: RECORD_FIELDS },
    required: [...ADDRESS_REQUIRED, 'dn', 'callername'],
    needs: 'emergency-address',
  },
  {
    id: 'legacyRemoveE911',
    row: LEGACY_E911,
    method: 'POST',
    paths: ['/v2.1/e911/removeRecord/'],
    body: { dn: EMERGENCY_DN },
    status: 200,
    fields: { entry_removed: RECORD_FIELDS },
    required: ['dn'],
    needs: 'emergency-record',
  },
  {
    id: 'legacyListE911',
    row: LEGACY_E911,
    method: 'POST',
    paths: ['/v2.1/e911/queryAll/'],
    status: 200,
    fields: { entry_all: [RECORD_FIELDS] },
    required: [],
    needs: 'emergency-record',
  },
  {
    id: 'legacyGetE911',
    row: LEGACY_E911,
    method: 'POST',
    paths: ['/v2.1/e911/queryRecord/'],
    body: { dn: EMERGENCY_DN },
    status: 200,
    fields: { entry_query: RECORD_FIELDS },
    required: ['dn'],
    needs: 'emergency-record',
  },
  {
    id: 'legacyLookUpCallerName',
    row: 'Caller-name lookup (legacy)',
    method: 'POST',
    paths: ['/v2.1/info/cnam'],
    body: { cid: 2125550143 },
    status: 200,
    fields: { cnam: 'string' },
    required: ['cid'],
  },
]
