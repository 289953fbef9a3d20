import { jsonAtRest } from '../../platform/database/at-rest.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { CallTerms } from '../../rating/rate.js'
import type { CallPlan } from './call-plan.js'
import type { SipHeaders } from './invite-headers.js'
import { type ShownCall, toShownCall } from './shown-call.js'
import type { CallsTable } from './tables.js'

/** A call as stored; times are epoch milliseconds. */
export interface CallRecord extends ShownCall {
  readonly answeredAt: number | undefined
  readonly sipCallId: string | undefined
  /** Headers of an inbound INVITE for the application. */
  readonly sipHeaders: SipHeaders
  /** The host in the Request-URI of an inbound INVITE, and the address that sent it. */
  readonly sipOrigin: SipOrigin | undefined
  /** The STIR/SHAKEN result about the caller; undefined when the INVITE had no Identity. */
  readonly callerIdentity: CallerIdentity | undefined
  readonly sipStatus: number | undefined
  readonly endReason: string | undefined
  readonly plan: CallPlan
  readonly callbackCount: number
  /** The terms by which the call is rated; undefined for a free call. */
  readonly terms: CallTerms | undefined
}

export interface SipOrigin {
  readonly domain: string
  readonly sourceIp: string
  /** The SIP domain of the account; undefined for a carrier's call. */
  readonly domainSid?: string | undefined
  /** The username of the caller's credentials. */
  readonly username?: string | undefined
}

/** The STIR/SHAKEN result about the caller of an inbound call. */
export interface CallerIdentity {
  /** `StirVerstat` of the call's webhooks. */
  readonly verstat: string
  /** `StirPassportToken`: the PASSporT as received; undefined when none came. */
  readonly token: string | undefined
  /** The Identity header as received; it is forwarded with calls that show the same caller. */
  readonly received: string | undefined
}

/** The documented eight statuses of a call, and the events of a status callback. */
export type EndedStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'

export type CallStatus = 'queued' | 'ringing' | 'in-progress' | EndedStatus

export type StatusEvent = 'initiated' | 'ringing' | 'answered' | 'completed'

/** Every status of a call that ended. */
export const ENDED_STATUSES: ReadonlySet<unknown> = new Set<EndedStatus>([
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
])

export function toCallRecord(row: Selectable<CallsTable>): CallRecord {
  return {
    ...toShownCall(row),
    answeredAt: orUndefined(row.answeredAt),
    sipCallId: orUndefined(row.sipCallId),
    sipHeaders: JSON.parse(row.sipHeaders ?? '[]') as SipHeaders,
    sipOrigin:
      row.sipDomain === null || row.sipSourceIp === null
        ? undefined
        : {
            domain: row.sipDomain,
            sourceIp: row.sipSourceIp,
            domainSid: orUndefined(row.sipDomainSid),
            username: orUndefined(row.sipUsername),
          },
    callerIdentity:
      row.callerIdentity === null ? undefined : (JSON.parse(row.callerIdentity) as CallerIdentity), // as `toCallRow` wrote it
    sipStatus: orUndefined(row.sipStatus),
    endReason: orUndefined(row.endReason),
    plan: JSON.parse(row.plan) as CallPlan,
    callbackCount: row.callbackCount,
    terms: row.terms === null ? undefined : (JSON.parse(row.terms) as CallTerms),
  }
}

/** Returns the columns of a call, except the node, which its record does not have. */
export function toCallRow(call: CallRecord): Omit<Written<CallsTable>, 'node'> {
  return {
    sid: call.sid,
    accountSid: call.accountSid,
    parentCallSid: orNull(call.parentCallSid),
    direction: call.direction,
    toAddress: call.to,
    fromAddress: call.from,
    callerName: orNull(call.callerName),
    forwardedFrom: orNull(call.forwardedFrom),
    phoneNumberSid: orNull(call.phoneNumberSid),
    status: call.status,
    answeredBy: orNull(call.answeredBy),
    startedAt: orNull(call.startedAt),
    answeredAt: orNull(call.answeredAt),
    endedAt: orNull(call.endedAt),
    durationSeconds: orNull(call.durationSeconds),
    queueMs: call.queueMs,
    sipCallId: orNull(call.sipCallId),
    sipHeaders: call.sipHeaders.length === 0 ? null : JSON.stringify(call.sipHeaders),
    sipDomain: orNull(call.sipOrigin?.domain),
    sipSourceIp: orNull(call.sipOrigin?.sourceIp),
    sipDomainSid: orNull(call.sipOrigin?.domainSid),
    sipUsername: orNull(call.sipOrigin?.username),
    callerIdentity: call.callerIdentity === undefined ? null : JSON.stringify(call.callerIdentity),
    sipStatus: orNull(call.sipStatus),
    endReason: orNull(call.endReason),
    plan: jsonAtRest(call.plan),
    callbackCount: call.callbackCount,
    terms: call.terms === undefined ? null : JSON.stringify(call.terms),
    price: orNull(call.price),
    createdAt: call.createdAt,
    updatedAt: call.updatedAt,
  }
}

/** Returns the record of a call that was just requested or received. */
export function newCallRecord(
  wanted: Pick<CallRecord, 'sid' | 'accountSid' | 'direction' | 'to' | 'from' | 'plan'> &
    Partial<
      Pick<
        CallRecord,
        | 'phoneNumberSid'
        | 'callerName'
        | 'sipCallId'
        | 'parentCallSid'
        | 'sipHeaders'
        | 'sipOrigin'
        | 'forwardedFrom'
        | 'callerIdentity'
      >
    >,
  now: number,
): CallRecord {
  return {
    parentCallSid: undefined,
    callerName: undefined,
    forwardedFrom: undefined,
    phoneNumberSid: undefined,
    sipCallId: undefined,
    sipHeaders: [],
    sipOrigin: undefined,
    callerIdentity: undefined,
    ...wanted,
    status: wanted.direction === 'inbound' ? 'ringing' : 'queued',
    answeredBy: undefined,
    startedAt: wanted.direction === 'inbound' ? now : undefined,
    answeredAt: undefined,
    endedAt: undefined,
    durationSeconds: undefined,
    queueMs: 0,
    sipStatus: undefined,
    endReason: undefined,
    callbackCount: 0,
    terms: undefined,
    price: undefined,
    createdAt: now,
    updatedAt: now,
  }
}

function orUndefined<Value>(value: Value | null): Value | undefined {
  return value ?? undefined
}

function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null
}
