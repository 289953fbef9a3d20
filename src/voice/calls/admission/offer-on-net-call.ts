/**
 * Begins a call between two accounts of this server: one leg, and a call of each account. Both are
 * stored in one transaction, so that neither account has a call that the other does not pay for.
 */
import type { Account } from '../../../accounts/accounts.js'
import { InsufficientBalanceError } from '../../../ledger/reservations.js'
import type { Logger } from '../../../platform/log.js'
import { CallLimitError, NumberBlockedError } from '../../model/call-errors.js'
import type { CallRecord } from '../../model/call-record.js'
import { warning } from '../../registrar/warning.js'
import type { IncomingInvite } from '../../telephony/port.js'
import type { CallActor } from '../actor/call-actor.js'
import type { Dialer } from '../actor/dialer.js'
import { FollowedLeg } from '../actor/followed-leg.js'
import { insertCall } from '../storage/call-storage.js'
import { keepInvite } from '../storage/dialog-storage.js'
import type { CallSlots } from './call-slots.js'
import type { OfferCallDeps } from './offer-call.js'
import { refuseUnpaid } from './offer-call.js'
import { checkOutboundLimits, hasOutboundLimits } from './outbound-limits.js'

export interface OnNetCall {
  /** The call of the account that is called; its document runs on the leg. */
  readonly incoming: CallRecord
  /** The call of the account that calls. */
  readonly outgoing: CallRecord
  readonly caller: Account
}

export interface OfferOnNetDeps extends OfferCallDeps {
  readonly log: Logger
  readonly slots: Pick<CallSlots, 'release'>
  /** Makes the actor of a call; the follower's has a dialer of its own. */
  readonly begin: (call: CallRecord, dialer?: Dialer) => CallActor
}

/** Both calls have their slots. A refusal releases them. */
export async function offerOnNetCall(
  invite: IncomingInvite,
  wanted: OnNetCall,
  deps: OfferOnNetDeps,
): Promise<void> {
  const { begin, log } = deps
  const stored = await storeBoth(invite, wanted, deps)
  if (stored === undefined) return
  deps.stored()
  const leg = new FollowedLeg()
  try {
    await begin(stored.incoming).offer((events) => leg.take((all) => invite.accept(all), events))
  } finally {
    // The follower of a leg that was not taken fails: no stored call stays without an end.
    const { sid: callSid } = stored.outgoing
    begin(stored.outgoing, leg)
      .start()
      .catch((err: unknown) => {
        log.error({ err, callSid }, 'could not follow a call between two accounts')
      })
  }
}

/** The two calls as they are rated; undefined when the caller was refused. */
async function storeBoth(
  invite: IncomingInvite,
  { incoming: admitted, outgoing: placed, caller }: OnNetCall,
  deps: OfferOnNetDeps,
): Promise<{ readonly incoming: CallRecord; readonly outgoing: CallRecord } | undefined> {
  const { charging, db, slots } = deps
  let outgoing = placed
  let incoming = admitted
  let unpaid = outgoing
  try {
    outgoing = await charging.rated(placed)
    incoming = await charging.rated(admitted)
    const isLimited = hasOutboundLimits(caller.settings)
    await db.write(
      async (tx) => {
        if (isLimited) await checkOutboundLimits(tx, outgoing, caller.settings)
        for (const call of [outgoing, incoming]) {
          unpaid = call
          await insertCall(tx, call, db.node)
          await charging.reserve(tx, call, call.createdAt)
        }
        await keepInvite(tx, incoming.sid, invite.facts)
      },
      isLimited ? 'serializable' : 'read-committed',
    )
    return { incoming, outgoing }
  } catch (error) {
    slots.release(placed.sid)
    slots.release(admitted.sid)
    if (error instanceof InsufficientBalanceError) await refuseUnpaid(invite, unpaid, deps)
    else refuse(invite, error)
    return undefined
  }
}

/** Refuses a call that the account may not make, as a call to a carrier is refused. */
function refuse(invite: IncomingInvite, error: unknown): void {
  if (error instanceof NumberBlockedError)
    invite.reject(403, 'Forbidden', warning(13225, 'the number costs more than the account allows'))
  else if (error instanceof CallLimitError) invite.reject(503, 'Service Unavailable')
  else throw error
}
