import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { QueueRequest } from '../markup/queue-entry.js'
import type { QueueMembersTable, QueuesTable } from './tables.js'

/** A queue as it is stored; times are epoch milliseconds. Only the running process knows its callers in order. */
export interface QueueRecord {
  readonly sid: string
  readonly accountSid: string
  readonly friendlyName: string
  readonly maxSize: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** A queued caller as it is stored: after a kill its action still learns a result. */
export interface StoredMember {
  readonly callSid: string
  readonly accountSid: string
  readonly queueSid: string
  readonly enqueuedAt: number
  /** The time of the connection; undefined while the caller waits. */
  readonly bridgedAt: number | undefined
  readonly action: QueueRequest | undefined
}

export function toQueueRecord(row: Selectable<QueuesTable>): QueueRecord {
  return {
    sid: row.sid,
    accountSid: row.account_sid,
    friendlyName: row.friendly_name,
    maxSize: row.max_size,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function toQueueRow(queue: QueueRecord): Selectable<QueuesTable> {
  return {
    sid: queue.sid,
    account_sid: queue.accountSid,
    friendly_name: queue.friendlyName,
    max_size: queue.maxSize,
    created_at: queue.createdAt,
    updated_at: queue.updatedAt,
  }
}

export function toStoredMember(row: Selectable<QueueMembersTable>): StoredMember {
  return {
    callSid: row.call_sid,
    accountSid: row.account_sid,
    queueSid: row.queue_sid,
    enqueuedAt: row.enqueued_at,
    bridgedAt: row.bridged_at ?? undefined,
    action:
      row.action_url === null ? undefined : { url: row.action_url, method: row.action_method },
  }
}

export function toMemberRow(member: StoredMember): Written<QueueMembersTable> {
  return {
    call_sid: member.callSid,
    account_sid: member.accountSid,
    queue_sid: member.queueSid,
    enqueued_at: member.enqueuedAt,
    bridged_at: member.bridgedAt ?? null,
    action_url: urlAtRest(member.action?.url),
    action_method: member.action?.method ?? 'POST',
  }
}
