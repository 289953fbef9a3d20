/**
 * Shapes of the voice API's answers, written from the specification: every field with its type; a missing value
 * is null.
 */
import { z } from 'zod'

const DAYS = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun'
const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const time = z
  .string()
  .regex(new RegExp(`^(${DAYS}), \\d{2} (${MONTHS}) \\d{4} \\d{2}:\\d{2}:\\d{2} \\+0000$`))
const isoTime = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
const sid = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[0-9a-f]{32}$`))
const sidOrNone = (prefix: string) => z.union([z.literal(''), sid(prefix)])
const e164 = z.string().regex(/^\+[1-9][0-9]{1,14}$/)
const path = z.string().regex(/^\/2010-04-01\/Accounts\/AC[0-9a-f]{32}/)
const url = z
  .string()
  .regex(/^https?:\/\//)
  .nullable()
const method = z.enum(['GET', 'POST'])
const version = z.literal('2010-04-01')
const name = z.string()
const paths = z.record(z.string(), path)

const changed = { date_created: time, date_updated: time }
const capabilities = z.strictObject({
  voice: z.boolean(),
  sms: z.boolean(),
  mms: z.boolean(),
  fax: z.boolean(),
})

const account = z.strictObject({
  sid: sid('AC'),
  friendly_name: name,
  status: z.literal('active'),
  type: z.literal('Full'),
  owner_account_sid: sid('AC'),
  ...changed,
  uri: path,
  subresource_uris: paths,
})

const balance = z.strictObject({
  account_sid: sid('AC'),
  balance: z.string().regex(/^0(\.0+)?$/),
  currency: z.string().regex(/^[A-Z]{3}$/),
})

const incomingNumber = z.strictObject({
  sid: sid('PN'),
  account_sid: sid('AC'),
  phone_number: e164,
  friendly_name: z.literal(''),
  api_version: version,
  uri: path,
  origin: z.enum(['vendor', 'hosted']),
  beta: z.boolean(),
  capabilities,
  voice_url: url,
  voice_method: method,
  voice_fallback_url: url,
  voice_fallback_method: method,
  voice_application_sid: sidOrNone('AP'),
  voice_caller_id_lookup: z.boolean(),
  voice_receive_mode: z.enum(['voice', 'fax']),
  sms_url: url,
  sms_method: method,
  sms_fallback_url: url,
  sms_fallback_method: method,
  sms_application_sid: sidOrNone('AP'),
  status_callback: url,
  status_callback_method: method,
  trunk_sid: sid('TK').nullable(),
  address_sid: sid('AD').nullable(),
  address_requirements: z.enum(['none', 'any', 'local', 'foreign']),
  identity_sid: sid('RI').nullable(),
  bundle_sid: sid('BU').nullable(),
  emergency_status: z.enum(['Active', 'Inactive']),
  emergency_address_sid: sid('AD').nullable(),
  emergency_address_status: z.literal('unregistered'),
  status: z.literal('in-use'),
  type: z.enum(['local', 'toll-free', 'mobile']),
  ...changed,
})

const country = z.strictObject({
  country_code: z.string().regex(/^[A-Z]{2}$/),
  country: name,
  uri: path,
  beta: z.boolean(),
  subresource_uris: paths,
})

const availableNumber = z.strictObject({
  friendly_name: name,
  phone_number: e164,
  lata: name.nullable(),
  locality: name.nullable(),
  rate_center: name.nullable(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  region: name.nullable(),
  postal_code: name.nullable(),
  iso_country: z.string().regex(/^[A-Z]{2}$/),
  address_requirements: z.enum(['none', 'any', 'local', 'foreign']),
  beta: z.boolean(),
  capabilities,
})

const application = z.strictObject({
  sid: sid('AP'),
  account_sid: sid('AC'),
  friendly_name: name,
  api_version: version,
  voice_url: url,
  voice_method: method,
  voice_fallback_url: url,
  voice_fallback_method: method,
  voice_caller_id_lookup: z.boolean(),
  status_callback: url,
  status_callback_method: method,
  status_callback_event: z.string().nullable(),
  message_status_callback: url,
  sms_status_callback: url,
  sms_url: url,
  sms_method: method,
  sms_fallback_url: url,
  sms_fallback_method: method,
  public_application_connect_enabled: z.boolean(),
  ...changed,
  uri: path,
})

const callerId = z.strictObject({
  sid: sid('PN'),
  account_sid: sid('AC'),
  friendly_name: name,
  phone_number: e164,
  ...changed,
  uri: path,
})

const validationRequest = z.strictObject({
  account_sid: sid('AC'),
  phone_number: e164,
  friendly_name: name,
  validation_code: z.string().regex(/^\d{6}$/),
  call_sid: sid('CA'),
})

const key = z.strictObject({ sid: sid('SK'), friendly_name: name, ...changed })
const newKey = key.extend({ secret: z.string().min(16) })

const transcription = z.strictObject({
  sid: sid('TR'),
  account_sid: sid('AC'),
  status: z.enum(['in-progress', 'completed', 'failed']),
  recording_sid: sid('RE'),
  duration: z.string().regex(/^\d+$/).nullable(),
  transcription_text: z.string().nullable(),
  type: z.literal('fast'),
  price: z.string().nullable(),
  price_unit: z.string(),
  api_version: version,
  uri: path,
  ...changed,
})

const exportList = z.strictObject({
  account_sid: sid('AC'),
  uri: path,
  exports: z.array(
    z.strictObject({
      date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
      size: z.number().int(),
      uri: path,
    }),
  ),
})

const region = z.strictObject({
  url: z.url(),
  sip_domain: name,
  sid: sid('QQ'),
  account_sid: sid('AC'),
  friendly_name: name,
  voice_region: name,
  date_created: isoTime,
  date_updated: isoTime,
})

const error = (status: number) =>
  z.strictObject({
    code: z.number().int(),
    message: z.string().min(1),
    more_info: z.url(),
    status: z.literal(status),
  })

/** A page; `start` and `end` follow the convention, where the specification has them. */
const page = (records: string, of: z.ZodType, hasBounds = true) =>
  z.strictObject({
    [records]: z.array(of),
    page: z.number().int(),
    page_size: z.number().int(),
    num_pages: z.number().int(),
    total: z.number().int(),
    ...(hasBounds ? { start: z.number().int(), end: z.number().int() } : {}),
    first_page_uri: path,
    next_page_uri: path.nullable(),
    previous_page_uri: path.nullable(),
    uri: path,
  })

/** An exchange of a client library with the server. */
export interface Exchange {
  readonly method: string
  /** URL without its host. */
  readonly target: string
  readonly status: number
  readonly body: unknown
}

export interface ResourceAnswer {
  /** Method, path with sids replaced by their prefix, and status. */
  readonly name: string
  readonly shape: z.ZodType
}

const gone = error(404)
const nothing = z.literal('')

const answers = (
  collection: string,
  one: string,
  shapes: Readonly<Record<string, z.ZodType>>,
): ResourceAnswer[] =>
  Object.entries(shapes).map(([what, shape]) => ({
    name: what.replace('COLLECTION', collection).replace('ONE', `${collection}/${one}`),
    shape,
  }))

/** Create, fetch, list, update and remove of a resource, and a fetch of a removed one. */
const lifeOf = (
  collection: string,
  one: string,
  records: string,
  shape: z.ZodType,
  created = shape,
): ResourceAnswer[] =>
  answers(collection, one, {
    'POST COLLECTION 201': created,
    'GET COLLECTION 200': page(records, shape),
    'GET ONE 200': shape,
    'POST ONE 200': shape,
    'DELETE ONE 204': nothing,
    'GET ONE 404': gone,
  })

const NUMBERS = '/IncomingPhoneNumbers'
const numberPage = page('incoming_phone_numbers', incomingNumber)
const foundNumbers = page('available_phone_numbers', availableNumber)
const texts = page('transcriptions', transcription, false)
const notes = page('notifications', z.never())

/** All answers that both client libraries must have received. */
export const RESOURCE_ANSWERS: readonly ResourceAnswer[] = [
  { name: 'GET  200', shape: account },
  { name: 'POST  200', shape: account },
  { name: 'GET /Balance 200', shape: balance },
  ...lifeOf(NUMBERS, 'PN', 'incoming_phone_numbers', incomingNumber),
  ...['/Local', '/TollFree', '/Mobile'].flatMap((kind) => [
    { name: `GET ${NUMBERS}${kind} 200`, shape: numberPage },
    { name: `POST ${NUMBERS}${kind} 201`, shape: incomingNumber },
  ]),
  { name: `POST ${NUMBERS} 409`, shape: error(409) },
  { name: 'GET /AvailablePhoneNumbers 200', shape: page('countries', country) },
  { name: 'GET /AvailablePhoneNumbers/US 200', shape: country },
  { name: 'GET /AvailablePhoneNumbers/FR 404', shape: gone },
  ...['Local', 'TollFree', 'Mobile'].map((kind) => ({
    name: `GET /AvailablePhoneNumbers/US/${kind} 200`,
    shape: foundNumbers,
  })),
  ...lifeOf('/Applications', 'AP', 'applications', application),
  ...answers('/OutgoingCallerIds', 'PN', {
    'POST COLLECTION 200': validationRequest,
    'GET COLLECTION 200': page('outgoing_caller_ids', callerId),
    'GET ONE 200': callerId,
    'POST ONE 200': callerId,
    'DELETE ONE 204': nothing,
    'GET ONE 404': gone,
  }),
  ...lifeOf('/Keys', 'SK', 'keys', key, newKey),
  ...lifeOf('/SigningKeys', 'SK', 'signing_keys', key, newKey),
  ...['', '/Calls/CA'].flatMap((of) => [
    { name: `GET ${of}/Notifications 200`, shape: notes },
    { name: `GET ${of}/Notifications/NO 404`, shape: gone },
  ]),
  ...['', '/Recordings/RE'].flatMap((of) => [
    { name: `GET ${of}/Transcriptions 200`, shape: texts },
    { name: `GET ${of}/Transcriptions/TR 200`, shape: transcription },
    { name: `DELETE ${of}/Transcriptions/TR 204`, shape: nothing },
    { name: `GET ${of}/Transcriptions/TR 404`, shape: gone },
  ]),
]

/** Answers of operations that only the Node client, or only plain requests, support. */
export const OTHER_ANSWERS: readonly ResourceAnswer[] = [
  { name: 'GET /Exports 200', shape: exportList },
  { name: 'GET /v2/SipDomains 200', shape: region },
  { name: 'POST /v2/SipDomains 200', shape: region },
  { name: 'GET /v2/SipDomains 404', shape: gone },
]

/** Name of an exchange in the lists above. */
export function answerName({ method, target, status }: Exchange): string {
  const path = target
    .replace(/\?.*/, '')
    .replace(/^\/2010-04-01\/Accounts\/AC[0-9a-f]{32}/, '')
    .replace(/^(\/v2\/SipDomains)\/.*/, '$1')
    .replace(/\.json$/, '')
    .replaceAll(/([A-Z]{2})[0-9a-f]{32}/g, '$1')
  return `${method.toUpperCase()} ${path} ${status}`
}

/** Faults in the exchanges of a client: wrong answers, and missing ones. */
export function faultsOf(
  exchanges: readonly Exchange[],
  wanted: readonly ResourceAnswer[],
): readonly string[] {
  const shapes = new Map(
    [...RESOURCE_ANSWERS, ...OTHER_ANSWERS].map(({ name: of, shape }) => [of, shape]),
  )
  const seen = new Set(exchanges.map(answerName))
  const missing = wanted.filter(({ name: of }) => !seen.has(of)).map(({ name: of }) => `no ${of}`)
  const wrong = exchanges.flatMap((exchange) => {
    const of = answerName(exchange)
    const result = shapes.get(of)?.safeParse(exchange.body)
    if (result === undefined) return [`unexpected ${of}: ${JSON.stringify(exchange.body)}`]
    return result.success ? [] : [`${of}: ${z.prettifyError(result.error)}`]
  })
  return [...missing, ...new Set(wrong)]
}
