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
    accountSid: row.accountSid,
    friendlyName: row.friendlyName,
    maxSize: row.maxSize,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

export function toQueueRow(queue: QueueRecord): Selectable<QueuesTable> {
  return {
    sid: queue.sid,
    accountSid: queue.accountSid,
    friendlyName: queue.friendlyName,
    maxSize: queue.maxSize,
    createdAt: queue.createdAt,
    updatedAt: queue.updatedAt,
  }
}

export function toStoredMember(row: Selectable<QueueMembersTable>): StoredMember {
  return {
    callSid: row.callSid,
    accountSid: row.accountSid,
    queueSid: row.queueSid,
    enqueuedAt: row.enqueuedAt,
    bridgedAt: row.bridgedAt ?? undefined,
    action: row.actionUrl === null ? undefined : { url: row.actionUrl, method: row.actionMethod },
  }
}

export function toMemberRow(member: StoredMember): Written<QueueMembersTable> {
  return {
    callSid: member.callSid,
    accountSid: member.accountSid,
    queueSid: member.queueSid,
    enqueuedAt: member.enqueuedAt,
    bridgedAt: member.bridgedAt ?? null,
    actionUrl: urlAtRest(member.action?.url),
    actionMethod: member.action?.method ?? 'POST',
  }
}
