import type { Clock } from '../../../platform/clock.js'
import type { Database } from '../../../platform/database/database.js'
import type { EventLog } from '../../events/event-log.js'
import type { CallRecord } from '../../model/call-record.js'
import type { IncomingInvite } from '../../telephony/port.js'
import type { CallCharging } from '../charging/call-charging.js'
import { insertCall } from '../storage/call-storage.js'

export interface RefuseUnpaidDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventLog, 'append'>
  readonly charging: Pick<CallCharging, 'priced' | 'settle'>
}

const INSUFFICIENT_BALANCE = 20402

/**
 * Refuses a call that the balance of its account does not pay for: the account's own softphone or
 * equipment with 402, anybody else's caller with 480. The call is stored as failed, and its event log says why.
 */
export async function refuseUnpaid(
  invite: IncomingInvite,
  call: CallRecord,
  { db, clock, events, charging }: RefuseUnpaidDeps,
): Promise<void> {
  const isOwn = call.sipOrigin?.domainSid !== undefined || call.plan.document.type === 'shared-leg'
  const sipStatus = isOwn ? 402 : 480
  invite.reject(sipStatus, isOwn ? 'Payment Required' : 'Temporarily Unavailable')
  const now = clock.now()
  const refused = charging.priced({
    ...call,
    status: 'failed',
    sipStatus,
    endReason: 'the balance of the account is too low',
    endedAt: now,
    durationSeconds: 0,
    updatedAt: now,
  })
  const ids = { callSid: call.sid, accountSid: call.accountSid }
  const message = 'the balance of the account does not pay for the call'
  events.append({ ...ids, kind: 'error', detail: { code: INSUFFICIENT_BALANCE, message } })
  await db.write(async (tx) => {
    await insertCall(tx, refused, db.node)
    await charging.settle(tx, refused)
  })
}
