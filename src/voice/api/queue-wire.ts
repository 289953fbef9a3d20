/** Queues and who waits in them, in the convention's names and formats. */
import type { z } from '@hono/zod-openapi'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import type { MemberView, QueueView } from '../queues/queues.js'
import type { memberResource, queueResource } from './queue-schemas.js'

export function queueToWire({ record, size, averageMs }: QueueView): z.infer<typeof queueResource> {
  const { sid, accountSid } = record
  const path = pathOf(accountSid, sid)
  return {
    sid,
    account_sid: accountSid,
    friendly_name: record.friendlyName,
    current_size: size,
    max_size: record.maxSize,
    average_wait_time: Math.round(averageMs / 1_000),
    date_created: rfc2822(new Date(record.createdAt)),
    date_updated: rfc2822(new Date(record.updatedAt)),
    uri: `${path}.json`,
    subresource_uris: { members: `${path}/Members.json` },
  }
}

export function memberToWire(member: MemberView): z.infer<typeof memberResource> {
  const { accountSid, queueSid, callSid } = member
  return {
    call_sid: callSid,
    queue_sid: queueSid,
    date_enqueued: rfc2822(new Date(member.enqueuedAt)),
    position: member.position,
    wait_time: Math.round(member.waitedMs / 1_000),
    uri: `${pathOf(accountSid, queueSid)}/Members/${callSid}.json`,
  }
}

function pathOf(accountSid: string, queueSid: string): string {
  return `/${API_VERSION}/Accounts/${accountSid}/Queues/${queueSid}`
}
