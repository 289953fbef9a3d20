import { InsufficientBalanceError } from '../../../ledger/reservations.js'
import type { Clock } from '../../../platform/clock.js'
import type { Database } from '../../../platform/database/database.js'
import type { EventLog } from '../../events/event-log.js'
import type { CallRecord } from '../../model/call-record.js'
import type { IncomingInvite, LegEvents } from '../../telephony/port.js'
import type { CallActor } from '../actor/call-actor.js'
import type { CallCharging } from '../charging/call-charging.js'
import { insertCall } from '../storage/call-storage.js'
import { storeInvite } from '../storage/dialog-storage.js'
import type { CallSlots } from './call-slots.js'
import type { TakenCall } from './classify-sender.js'

export interface OfferCallDeps extends RefuseUnpaidDeps {
  /** Called when the call has been stored. */
  readonly stored: () => void
  readonly charging: CallCharging
}

interface RefuseUnpaidDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventLog, 'append'>
  readonly charging: Pick<CallCharging, 'priced' | 'settle'>
}

const INSUFFICIENT_BALANCE = 20402

/** Stores an admitted call, which has its slot, and starts it; refuses it when the balance is too low. */
export async function offerCall(
  invite: IncomingInvite,
  { call: admitted, codecs, carrier }: Pick<TakenCall, 'call' | 'codecs' | 'carrier'>,
  slots: Pick<CallSlots, 'release'>,
  begin: (call: CallRecord) => CallActor,
  deps: OfferCallDeps,
): Promise<void> {
  const { charging, db } = deps
  let rated = admitted
  try {
    const call = await charging.rated(admitted)
    rated = call
    await db.write(async (tx) => {
      await insertCall(tx, call, db.node)
      await charging.reserve(tx, call, call.createdAt)
      await storeInvite(tx, call.sid, invite.facts)
    }, 'read-committed')
  } catch (error) {
    slots.release(admitted.sid)
    if (!(error instanceof InsufficientBalanceError)) throw error
    await refuseUnpaid(invite, rated, deps)
    return
  }
  deps.stored()
  await begin(rated).offer((events) => invite.accept(named(events, carrier), codecs))
}

/** Returns the events with the carrier in each SIP step. */
function named(events: LegEvents, carrier: string | undefined): LegEvents {
  if (carrier === undefined) return events
  return { ...events, onSip: (step) => events.onSip?.({ ...step, carrier }) }
}

/**
 * Refuses a call that the account's balance does not cover: with 402 for the account's own softphone or
 * equipment, with 480 for other callers. The call is stored as failed, and its event log contains the reason.
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
