import type { Selectable } from '../../platform/database/tables.js'
import type { CallStatus } from './call-record.js'
import type { CallsTable } from './tables.js'

/** The fields of a call that the API shows; times are epoch milliseconds. */
export interface ShownCall {
  readonly sid: string
  readonly accountSid: string
  readonly parentCallSid: string | undefined
  readonly direction: 'inbound' | 'outbound-api' | 'outbound-dial'
  readonly to: string
  readonly from: string
  readonly callerName: string | undefined
  readonly forwardedFrom: string | undefined
  readonly phoneNumberSid: string | undefined
  readonly status: CallStatus
  readonly answeredBy: string | undefined
  /** The time when dialling began, or when the INVITE arrived. */
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  /** The duration by a monotonic clock. The times above may differ from it if the wall clock was changed. */
  readonly durationSeconds: number | undefined
  readonly queueMs: number
  /** The price in 1/10,000 dollar, once a call with terms has ended. */
  readonly price: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** The columns of a `ShownCall`, without large ones such as the plan. */
export const SHOWN_COLUMNS = [
  'sid',
  'accountSid',
  'parentCallSid',
  'direction',
  'toAddress',
  'fromAddress',
  'callerName',
  'forwardedFrom',
  'phoneNumberSid',
  'status',
  'answeredBy',
  'startedAt',
  'endedAt',
  'durationSeconds',
  'queueMs',
  'price',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof CallsTable)[]

export type ShownRow = Pick<Selectable<CallsTable>, (typeof SHOWN_COLUMNS)[number]>

export function toShownCall(row: ShownRow): ShownCall {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    parentCallSid: row.parentCallSid ?? undefined,
    direction: row.direction,
    to: row.toAddress,
    from: row.fromAddress,
    callerName: row.callerName ?? undefined,
    forwardedFrom: row.forwardedFrom ?? undefined,
    phoneNumberSid: row.phoneNumberSid ?? undefined,
    // The call machine writes no other statuses.
    status: row.status as CallStatus,
    answeredBy: row.answeredBy ?? undefined,
    startedAt: row.startedAt ?? undefined,
    endedAt: row.endedAt ?? undefined,
    durationSeconds: row.durationSeconds ?? undefined,
    queueMs: row.queueMs,
    price: row.price ?? undefined,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
