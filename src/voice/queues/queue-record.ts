import { urlAtRest } from '../../platform/database/at-rest.js'
import { columnsOf, fieldsOf } from '../../platform/database/fields.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { QueueRequest } from '../markup/queue-entry.js'
import type { QueueMembersTable } from './tables.js'

/** A queued caller as stored, so that its action gets a result even after a crash. */
export interface StoredMember {
  readonly callSid: string
  readonly accountSid: string
  readonly queueSid: string
  readonly enqueuedAt: number
  /** The time of the connection; undefined while the caller waits. */
  readonly bridgedAt: number | undefined
  readonly action: QueueRequest | undefined
}

export function toStoredMember({
  actionUrl: url,
  actionMethod: method,
  ...row
}: Selectable<QueueMembersTable>): StoredMember {
  return fieldsOf(row, { action: url === null ? undefined : { url, method } })
}

export function toMemberRow({ action, ...member }: StoredMember): Written<QueueMembersTable> {
  return columnsOf(member, {
    actionUrl: urlAtRest(action?.url),
    actionMethod: action?.method ?? 'POST',
  })
}
