/**
 * Starts a call between two accounts of this server: one leg, and one call record for each account. Both are
 * stored in one transaction, so that either both accounts pay or neither. The called account's call owns the
 * leg; the calling account's call rings, is answered and ends with it.
 */
import type { Account } from '../../../accounts/accounts.js'
import { InsufficientBalanceError } from '../../../ledger/reservations.js'
import type { Logger } from '../../../platform/log.js'
import { CallLimitError, NumberBlockedError } from '../../model/call-errors.js'
import type { CallRecord } from '../../model/call-record.js'
import { warning } from '../../registrar/warning.js'
import type { DialRoute } from '../../routing/dial-route.js'
import type { IncomingInvite, Leg, LegEnd, LegEvents } from '../../telephony/port.js'
import { BorrowedLeg } from '../actor/borrowed-leg.js'
import type { CallActor } from '../actor/call-actor.js'
import type { Dialer } from '../actor/dialer.js'
import { insertCall } from '../storage/call-storage.js'
import { storeInvite } from '../storage/dialog-storage.js'
import type { CallSlots } from './call-slots.js'
import { type OfferCallDeps, refuseUnpaid } from './offer-call.js'
import { checkOutboundLimits, hasOutboundLimits } from './outbound-limits.js'

export interface OnNetCall {
  /** The call of the called account; its document runs on the leg. */
  readonly incoming: CallRecord
  /** The call of the calling account. */
  readonly outgoing: CallRecord
  readonly caller: Account
}

export interface OfferOnNetDeps extends OfferCallDeps {
  readonly log: Logger
  readonly slots: Pick<CallSlots, 'release'>
  /** Creates the actor of a call; the calling account's call gets its own dialer. */
  readonly begin: (call: CallRecord, dialer?: Dialer) => CallActor
}

/** Both calls must have their slots; a refusal releases them. */
export async function offerOnNetCall(
  invite: IncomingInvite,
  wanted: OnNetCall,
  deps: OfferOnNetDeps,
): Promise<void> {
  const { begin, log } = deps
  const stored = await storeBoth(invite, wanted, deps)
  if (stored === undefined) return
  deps.stored()
  const dialer = new OnNetDialer()
  try {
    await begin(stored.incoming).offer((events) =>
      dialer.accept((all) => invite.accept(all), events),
    )
  } finally {
    // Without a leg the calling account's call fails, so that no stored call stays without an end.
    const { sid: callSid } = stored.outgoing
    begin(stored.outgoing, dialer)
      .start()
      .catch((err: unknown) => {
        log.error(
          { err, callSid },
          'could not start the calling side of a call between two accounts',
        )
      })
  }
}

/** Resolves with the two rated calls; undefined when the caller was refused. */
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
        await storeInvite(tx, incoming.sid, invite.facts)
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

/** Refuses a call that the account may not make, like a refused call to a carrier. */
function refuse(invite: IncomingInvite, error: unknown): void {
  if (error instanceof NumberBlockedError)
    invite.reject(403, 'Forbidden', warning(13225, 'the number costs more than the account allows'))
  else if (error instanceof CallLimitError) invite.reject(503, 'Service Unavailable')
  else throw error
}

/** Gives the calling account's call a view of the shared leg, instead of dialling one. */
export class OnNetDialer implements Dialer {
  #leg: Leg | undefined
  /** The listeners of the calling account's call. */
  #caller: LegEvents | undefined
  #isAnswered = false
  #end: LegEnd | undefined

  /** Creates the leg, with the listeners of the call that owns it. Called once, before `dial`. */
  accept(make: (events: LegEvents) => Leg, events: LegEvents): Leg {
    this.#leg = make({
      onAnswered: () => {
        this.#isAnswered = true
        events.onAnswered?.()
        this.#caller?.onAnswered?.()
      },
      onSip: (step) => {
        events.onSip?.(step)
        this.#caller?.onSip?.(step)
      },
      ...(events.onSipMessage && { onSipMessage: events.onSipMessage.bind(events) }),
      onMedia: (media) => {
        events.onMedia?.(media)
        this.#caller?.onMedia?.(media)
      },
      onFault: (why) => {
        events.onFault?.(why)
        this.#caller?.onFault?.(why)
      },
      onEnded: (end) => {
        this.#end = end
        events.onEnded(end)
        this.#caller?.onEnded(end)
      },
    })
    return this.#leg
  }

  next(_call: unknown, previous: unknown): Promise<DialRoute | undefined> {
    const isOver = previous !== undefined || this.#leg === undefined
    if (isOver) return Promise.resolve(undefined)
    const request = { uri: '', from: { user: '' }, timeoutMs: 0 }
    return Promise.resolve({ requests: [request], leadsOn: () => false })
  }

  dial(_call: unknown, _route: unknown, events: LegEvents): Leg {
    if (this.#leg === undefined) throw new Error('the leg was not accepted')
    this.#caller = events
    // Earlier events are reported once the actor has the leg; later ones are forwarded as they occur.
    const wasAnswered = this.#isAnswered
    const end = this.#end
    queueMicrotask(() => {
      events.onProgress?.({ status: 180, hasEarlyMedia: false })
      if (wasAnswered) events.onAnswered?.()
      if (end !== undefined) events.onEnded(end)
    })
    return new OnNetLeg(this.#leg)
  }

  stop(): void {
    // There is no search to stop.
  }
}

/**
 * The view of the leg for the calling account's call. It can end the leg; REFERs go to the call that owns it.
 */
class OnNetLeg extends BorrowedLeg {
  hangup(options?: Parameters<Leg['hangup']>[0]): Promise<void> {
    return this.owner.hangup(options)
  }

  onReferral(): () => void {
    return () => undefined
  }
}
