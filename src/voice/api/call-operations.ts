/** The Calls resource: operations, list filters and wire form. */
import { z } from '@hono/zod-openapi'
import { lastIn } from '../../platform/api/repeated.js'
import { hexOfUuid, parseSid } from '../../platform/ids.js'
import type { Vault } from '../../platform/secrets.js'
import type { Application, Applications } from '../applications/applications.js'
import type { Calls } from '../calls/calls.js'
import type { CallFilter } from '../calls/list-calls.js'
import type { EventLog } from '../events/event-log.js'
import { displayAddress, formatAddress, parseCallAddress } from '../model/address.js'
import type { CallRecord } from '../model/call-record.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import type { ShownCall } from '../model/shown-call.js'
import { changeOf, planOf, type UpdateForm } from './call-plan-of-form.js'
import {
  CALL_FIELD_ERRORS,
  callResource,
  createCallForm,
  RECORDED_AS,
  updateCallForm,
} from './call-schemas.js'
import { readTimeRange } from './dialect/date-filter.js'
import { ApiError } from './dialect/errors.js'
import { queryText } from './dialect/form.js'
import { list, operation, type VoiceOperation } from './dialect/operation.js'
import { priceText } from './dialect/price-text.js'
import { positionOf } from './dialect/voice-paging.js'
import { readIdempotencyKey } from './idempotency-key.js'

interface CallDeps {
  readonly calls: Calls
  readonly vault: Vault
  readonly events: EventLog
  readonly applications: Applications
}

export const CALLS = '/Accounts/{AccountSid}/Calls'
const CALL = `${CALLS}/{Sid}`
const params = {
  Sid: z
    .string()
    .regex(/^(CA[0-9a-fA-F]{32}|(CA)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/)
    .openapi({
      description:
        'The sid of the call: CA and 32 hex digits, or a UUID of them, with or without CA.',
    }),
}

/** Returns the call sid in a path. The path may hold a UUID instead of `CA` and 32 hex digits. */
function callSidOf(text: string): string {
  const hex = hexOfUuid(text)
  return hex === undefined ? text : `CA${hex}`
}

export function callOperations(deps: CallDeps): VoiceOperation[] {
  return [...callsOfAccount(deps), ...oneCall(deps)]
}

/**
 * Recording settings of every new call. The API specification has `RecordingTrack` and `Trim`
 * ignored, and the recording is mono.
 */
const NEW_CALL_RECORDING = {
  RecordingChannels: 'mono',
  RecordingTrack: 'both',
  Trim: 'do-not-trim',
} as const

function callsOfAccount({ calls, vault, events, applications }: CallDeps): VoiceOperation[] {
  return [
    operation({
      id: 'createCall',
      summary: 'Place a call',
      description:
        '`Record` records both tracks in one channel, with their silence: `RecordingChannels`, `RecordingTrack` and `Trim` are accepted and have no effect. `POST …/Calls/{CallSid}/Recordings` obeys them. `AsyncAmd`, `CallerId`, `Byoc` and `CallToken` are accepted and have no effect.',
      method: 'post',
      path: CALLS,
      body: createCallForm,
      fieldErrors: CALL_FIELD_ERRORS,
      status: 201,
      response: callResource,
      errors: [402, 503],
      idempotency: 'own',
      run: async ({ caller, body, given, http }) => {
        const application = await applicationOf(caller.sid, body.ApplicationSid, applications)
        const plan = planOf({ ...body, ...NEW_CALL_RECORDING }, application, vault)
        const key = readIdempotencyKey(http, given)
        const wanted = { to: body.To, from: body.From, plan, ...key }
        const call = await calls.create(caller, wanted)
        warnOfUnusedUrl(body, call, events)
        warnOfUnknownValues(body, call, events)
        return callToWire(call)
      },
    }),
    list({
      id: 'listCalls',
      summary: 'List calls, the newest first',
      path: CALLS,
      name: 'calls',
      record: callResource,
      query: listQuery,
      run: async ({ caller, http }, page) => {
        const filter = callFilterOf(http.search, caller.phoneRegions)
        const found = await calls.list(caller.sid, filter, page)
        return {
          ...found,
          items: found.items.map(callToWire),
          first: positionOf(found.items[0]),
          path: `/${API_VERSION}/Accounts/${caller.sid}/Calls`,
        }
      },
    }),
  ]
}

async function applicationOf(
  accountSid: string,
  sid: string | undefined,
  applications: Applications,
): Promise<Application | undefined> {
  if (sid === undefined) return undefined
  const application = await applications.find(accountSid, sid)
  if (application !== undefined) return application
  throw new ApiError(400, 21218, `ApplicationSid ${sid} is not valid`)
}

function oneCall({ calls, events }: Pick<CallDeps, 'calls' | 'events'>): VoiceOperation[] {
  return [
    operation({
      id: 'fetchCall',
      summary: 'Get a call',
      method: 'get',
      path: CALL,
      params,
      response: callResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) =>
        callToWire(await calls.show(caller.sid, callSidOf(Sid))),
    }),
    operation({
      id: 'updateCall',
      summary: 'End a call, give it another document, or change its callback',
      method: 'post',
      path: CALL,
      params,
      body: updateCallForm,
      fieldErrors: CALL_FIELD_ERRORS,
      response: callResource,
      errors: [404, 503],
      run: async ({ caller, params: { Sid }, body }) => {
        const call = await calls.update(caller.sid, callSidOf(Sid), changeOf(body))
        warnOfUnusedUrl(body, call, events)
        return callToWire(call)
      },
    }),
    operation({
      id: 'deleteCall',
      summary: 'Delete the record of a call that is over',
      method: 'delete',
      path: CALL,
      params,
      errors: [404, 409, 503],
      runsAt: ({ caller, params: { Sid } }) => calls.otherNodeOf(caller.sid, callSidOf(Sid)),
      run: ({ caller, params: { Sid } }) => calls.remove(caller.sid, callSidOf(Sid)),
    }),
  ]
}

const BOTH_GIVEN = 32019

function warnOfUnusedUrl(
  { Url, Markup, Twiml }: UpdateForm,
  { sid: callSid, accountSid }: CallRecord,
  events: EventLog,
): void {
  if (Url === undefined || (Markup ?? Twiml) === undefined) return
  const message = 'Url is not used: the markup that was given with it is'
  events.append({ callSid, accountSid, kind: 'warning', detail: { code: BOTH_GIVEN, message } })
}

const NOT_VALID = 20422

/** Reports unknown values of fields that are ignored. The request still succeeds. */
function warnOfUnknownValues(
  form: Readonly<Partial<Record<keyof typeof RECORDED_AS, string | undefined>>>,
  { sid: callSid, accountSid }: CallRecord,
  events: EventLog,
): void {
  for (const name of ['RecordingTrack', 'Trim'] as const) {
    if (RECORDED_AS[name].safeParse(form[name]).success) continue
    const message = `${name}=${String(form[name])} is not a known value, and has no effect`
    events.append({ callSid, accountSid, kind: 'warning', detail: { code: NOT_VALID, message } })
  }
}

const STATUSES = callResource.shape.status

const listQuery = z.object({
  To: queryText('Only calls to this number or URI.'),
  From: queryText('Only calls from this number or URI.'),
  Status: queryText('Only calls of this status.'),
  ParentCallSid: queryText('Only calls that this call placed.'),
  StartTime: queryText('Only calls that began on this day, or in this second.'),
  'StartTime<': queryText('Only calls that began before.'),
  'StartTime>': queryText('Only calls that began after.'),
  EndTime: queryText('Only calls that ended on this day, or in this second.'),
  'EndTime<': queryText('Only calls that ended before.'),
  'EndTime>': queryText('Only calls that ended after.'),
})

function callFilterOf(query: URLSearchParams, regions: readonly string[]): CallFilter {
  const given = (name: string) => {
    const value = lastIn(query, name)?.trim()
    return value === '' ? undefined : value
  }
  const address = (name: string) => {
    const text = given(name)
    if (text === undefined) return undefined
    // Calls are stored with the parsed form of an address. In a query, a bare plus sign arrives as
    // a space.
    const known = parseCallAddress(text, regions)
    return known === undefined ? text : formatAddress(known)
  }
  const parent = given('ParentCallSid')
  const started = readTimeRange(query, 'StartTime')
  const ended = readTimeRange(query, 'EndTime')
  return present({
    to: address('To'),
    from: address('From'),
    parentCallSid: parent && (parseSid('CA', parent) ?? parent),
    status: readStatus(given('Status')),
    startedFrom: started.from,
    startedBefore: started.before,
    endedFrom: ended.from,
    endedBefore: ended.before,
  })
}

type Optional<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined }

function present(fields: Optional<Required<CallFilter>>): CallFilter {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function readStatus(status: string | undefined) {
  if (status === undefined) return undefined
  const known = STATUSES.safeParse(status)
  if (known.success) return known.data
  throw new ApiError(400, 20422, "'Status' is not valid: not a call status")
}

/** Returns the paths of the resources below a call. */
function subresourcesOf(path: string): Readonly<Record<string, string>> {
  return {
    events: `${path}/Events.json`,
    notifications: `${path}/Notifications.json`,
    recordings: `${path}/Recordings.json`,
    streams: `${path}/Streams.json`,
  }
}

type CallResource = z.infer<typeof callResource>

/** The wire forms of frozen calls, which never change. */
const resources = new WeakMap<ShownCall, CallResource>()

/** Returns the wire form of a call; it is cached for a frozen call. */
export function callToWire(call: ShownCall): CallResource {
  if (!Object.isFrozen(call)) return resourceOf(call)
  const known = resources.get(call)
  if (known !== undefined) return known
  const made = Object.freeze(resourceOf(call))
  resources.set(call, made)
  return made
}

function resourceOf(call: ShownCall): CallResource {
  const path = `/${API_VERSION}/Accounts/${call.accountSid}/Calls/${call.sid}`
  return {
    sid: call.sid,
    account_sid: call.accountSid,
    api_version: API_VERSION,
    to: call.to,
    to_formatted: displayAddress(call.to),
    from: call.from,
    from_formatted: displayAddress(call.from),
    parent_call_sid: call.parentCallSid ?? null,
    caller_name: call.callerName ?? null,
    forwarded_from: call.forwardedFrom ?? null,
    status: call.status,
    direction: call.direction,
    answered_by: call.answeredBy ?? null,
    start_time: dateOrNull(call.startedAt),
    end_time: dateOrNull(call.endedAt),
    duration: call.durationSeconds?.toString() ?? null,
    price: priceText(call.price),
    price_unit: 'USD',
    phone_number_sid: call.phoneNumberSid ?? null,
    annotation: null,
    group_sid: null,
    queue_time: String(call.queueMs),
    trunk_sid: null,
    date_created: rfc2822(new Date(call.createdAt)),
    date_updated: rfc2822(new Date(call.updatedAt)),
    uri: `${path}.json`,
    subresource_uris: subresourcesOf(path),
  }
}

function dateOrNull(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : rfc2822(new Date(epochMs))
}
