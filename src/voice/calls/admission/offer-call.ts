import { InsufficientBalanceError } from '../../../ledger/reservations.js'
import type { CallRecord } from '../../model/call-record.js'
import type { IncomingInvite } from '../../telephony/port.js'
import type { CallActor } from '../actor/call-actor.js'
import type { CallCharging } from '../charging/call-charging.js'
import { insertCall } from '../storage/call-storage.js'
import { keepInvite } from '../storage/dialog-storage.js'
import type { TakenCall } from './judge-sender.js'
import { type RefuseUnpaidDeps, refuseUnpaid } from './refuse-unpaid.js'
import type { Turns } from './turns.js'

export interface OfferCallDeps extends RefuseUnpaidDeps {
  /** Called when the call is stored. */
  readonly stored: () => void
  readonly charging: CallCharging
}

/** Stores an admitted call, which has its turn, and begins it; or refuses it for want of money. */
export async function offerCall(
  invite: IncomingInvite,
  { call: admitted, codecs }: Pick<TakenCall, 'call' | 'codecs'>,
  turns: Pick<Turns, 'ended'>,
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
      await keepInvite(tx, call.sid, invite.facts)
    }, 'read-committed')
  } catch (error) {
    turns.ended(admitted.sid)
    if (!(error instanceof InsufficientBalanceError)) throw error
    await refuseUnpaid(invite, rated, deps)
    return
  }
  deps.stored()
  await begin(rated).offer((events) => invite.accept(events, codecs))
}
