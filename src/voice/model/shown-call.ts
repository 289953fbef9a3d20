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
  /** The time when dialing began, or when the INVITE came. */
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  /**
   * The duration by a monotonic clock. The times above can differ from it by a jump of the wall
   * clock.
   */
  readonly durationSeconds: number | undefined
  readonly queueMs: number
  /** The price in 1/10,000 dollar, once a call with terms has ended. */
  readonly price: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** The columns of a `ShownCall`: a read leaves the large ones, such as the plan, where they are. */
export const SHOWN_COLUMNS = [
  'sid',
  'account_sid',
  'parent_call_sid',
  'direction',
  'to_address',
  'from_address',
  'caller_name',
  'forwarded_from',
  'phone_number_sid',
  'status',
  'answered_by',
  'started_at',
  'ended_at',
  'duration_seconds',
  'queue_ms',
  'price',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof CallsTable)[]

export type ShownRow = Pick<Selectable<CallsTable>, (typeof SHOWN_COLUMNS)[number]>

export function toShownCall(row: ShownRow): ShownCall {
  return {
    sid: row.sid,
    accountSid: row.account_sid,
    parentCallSid: row.parent_call_sid ?? undefined,
    direction: row.direction,
    to: row.to_address,
    from: row.from_address,
    callerName: row.caller_name ?? undefined,
    forwardedFrom: row.forwarded_from ?? undefined,
    phoneNumberSid: row.phone_number_sid ?? undefined,
    // The call machine writes no other statuses.
    status: row.status as CallStatus,
    answeredBy: row.answered_by ?? undefined,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    durationSeconds: row.duration_seconds ?? undefined,
    queueMs: row.queue_ms,
    price: row.price ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
