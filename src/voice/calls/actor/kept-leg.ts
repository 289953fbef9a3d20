import type { Writer } from '../../../platform/database/database.js'
import type { InviteFacts, LegFacts } from '../../telephony/dialog-facts.js'
import type { Leg } from '../../telephony/port.js'
import { dropDialog, keepLegFacts } from '../storage/dialog-storage.js'
import type { CallEvent } from './call-machine.js'

/** What one call has on signaling servers, stored so that recovery can end it. */
export class KeptLeg {
  readonly #callSid: string
  /** The INVITEs of earlier legs whose server was lost. */
  readonly #left: InviteFacts[] = []

  constructor(callSid: string) {
    this.#callSid = callSid
  }

  /** Takes over what a leg leaves that another one follows. */
  leave(leg: Leg | undefined): void {
    this.#left.push(...(leg?.openInvites ?? []))
  }

  /** Stores what the leg has now. */
  async keep(tx: Writer, leg: Leg | undefined): Promise<void> {
    await keepLegFacts(tx, this.#callSid, this.#factsOf(leg))
  }

  /** Stores what is left after an event of the call, in the transaction of its commit. */
  async after(tx: Writer, event: CallEvent, leg: Leg | undefined): Promise<void> {
    if (event.type !== 'answered' && event.type !== 'ended') return
    const { dialog, invites } = this.#factsOf(leg)
    if (dialog !== undefined || invites.length > 0) await this.keep(tx, leg)
    else if (event.type === 'ended') await dropDialog(tx, this.#callSid)
  }

  #factsOf(leg: Leg | undefined): LegFacts {
    const open = leg?.openInvites ?? []
    return { dialog: leg?.dialogFacts, invites: [...this.#left, ...open] }
  }
}
