/** The referrals of one dialog, in both directions, and the NOTIFYs that belong to ours. */
import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { AdapterError } from '../../../platform/errors.js'
import type { DialogFacts } from '../dialog-facts.js'
import type { IncomingReferral, ReferralOutcome } from '../port.js'
import { sipUri } from '../signaling/sip-text.js'
import { type ReferralDeps, takeReferral } from './incoming-referral.js'
import { type ReferRequest, Referral } from './referral.js'
import { eventOf } from './sip-fragment.js'

const NO_SUBSCRIPTION = 481
const BAD_EVENT = 489

export class Referrals {
  readonly #listeners = new Set<(referral: IncomingReferral) => void>()
  /** Our newest REFER. It is kept after its end, because its subscription may still be open. */
  #newest: { readonly referral: Referral; isAbandoned: boolean } | undefined
  /** CSeq number of the REFER before the newest; 0 when there was none. */
  #earlier = 0
  /** An earlier REFER whose subscription has not ended. */
  #trailing: Referral | undefined

  /** Adds a listener; see `Leg.onReferral`. */
  onReferral(listener: (referral: IncomingReferral) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Answers a REFER of the peer, at once or through the newest listener. */
  received(req: SrfRequest, res: SrfResponse, deps: Omit<ReferralDeps, 'listener'>): void {
    takeReferral(req, res, { ...deps, listener: [...this.#listeners].at(-1) })
  }

  /** Sends a REFER; see `Leg.refer`. */
  async follow(
    dialog: Dialog,
    request: ReferRequest,
    signal: AbortSignal,
  ): Promise<ReferralOutcome> {
    if (this.#newest?.referral.isOver === false)
      throw new AdapterError('a referral of this leg is under way already')
    this.#earlier = this.#newest?.referral.sequence ?? this.#earlier
    if (this.#newest?.referral.isTrailing === true) this.#trailing = this.#newest.referral
    const newest = { referral: new Referral(request), isAbandoned: false }
    this.#newest = newest
    try {
      return await newest.referral.follow(dialog, signal)
    } catch (err) {
      newest.isAbandoned = true
      throw err
    }
  }

  /** Answers every NOTIFY. A 481 ends a subscription that does not exist here. */
  notified(notify: SrfRequest, res: SrfResponse): void {
    const { package: event, id } = eventOf(notify)
    if (event !== 'refer') {
      // RFC 6665 §4.1.3
      res.send(BAD_EVENT)
      return
    }
    // Only a dialog's first referral may leave out its number; many stacks always do (RFC 3515
    // §2.4.6).
    if (id === undefined && this.#trailing?.isTrailing === true) {
      res.send(200)
      this.#trailing.notified(notify)
      return
    }
    if (this.#newest === undefined || this.#newest.isAbandoned || !this.#isNewest(id)) {
      // RFC 6665 §4.1.3, RFC 3515 §2.4.6
      res.send(NO_SUBSCRIPTION)
      return
    }
    res.send(200)
    this.#newest.referral.notified(notify)
  }

  legOver(): void {
    this.#newest?.referral.legOver()
  }

  /**
   * True when the NOTIFY belongs to the newest REFER. CSeq numbers grow, so an older REFER is known
   * by its number even before the newest is answered.
   */
  #isNewest(id: number | undefined): boolean {
    if (id === undefined) return true
    const sequence = this.#newest?.referral.sequence
    return sequence === undefined ? id > this.#earlier : id === sequence
  }
}

/** Headers of a REFER in the dialog. Throws UnsafeArgumentError for a target that is not a URI. */
export function referHeaders(
  target: string,
  { localParty }: Pick<DialogFacts, 'localParty'>,
): Record<string, string> {
  const us = /<([^>]*)>/.exec(localParty)?.[1] ?? localParty.replace(/;.*$/s, '').trim()
  return {
    // The brackets keep the parts behind `;` or `?` in the URI; without them they would belong to
    // the header (RFC 3261 §20).
    'Refer-To': `<${sipUri(target)}>`,
    // The referrer (RFC 3892 §2.1).
    'Referred-By': `<${us}>`,
  }
}
