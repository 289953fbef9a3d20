/** A call in the convention's names and formats. */
import type { z } from '@hono/zod-openapi'
import { displayAddress } from '../model/address.js'
import type { CallRecord } from '../model/call-record.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import type { callResource } from './call-schemas.js'

const SUBRESOURCES = {
  events: 'Events',
  notifications: 'Notifications',
  payments: 'Payments',
  recordings: 'Recordings',
  siprec: 'Siprec',
  streams: 'Streams',
  transcriptions: 'Transcriptions',
  user_defined_message_subscriptions: 'UserDefinedMessageSubscriptions',
  user_defined_messages: 'UserDefinedMessages',
}

export function callToWire(call: CallRecord): z.infer<typeof callResource> {
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
    // Billing is the operator's.
    price: null,
    price_unit: 'USD',
    phone_number_sid: call.phoneNumberSid ?? null,
    annotation: null,
    group_sid: null,
    queue_time: String(call.queueMs),
    trunk_sid: null,
    date_created: rfc2822(new Date(call.createdAt)),
    date_updated: rfc2822(new Date(call.updatedAt)),
    uri: `${path}.json`,
    subresource_uris: Object.fromEntries(
      Object.entries(SUBRESOURCES).map(([name, segment]) => [name, `${path}/${segment}.json`]),
    ),
  }
}

function dateOrNull(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : rfc2822(new Date(epochMs))
}
