/** The references of one dialog, and the NOTIFYs that belong to them. */
import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { AdapterError } from '../../../platform/errors.js'
import type { ReferralOutcome } from '../port.js'
import { type ReferRequest, Referral } from './referral.js'
import { eventOf } from './sip-fragment.js'

const NO_SUBSCRIPTION = 481
const BAD_EVENT = 489

export class Referrals {
  /** The newest one; kept when it is over, because its peer may still say good-bye to it. */
  #newest: { readonly referral: Referral; isAbandoned: boolean } | undefined
  /** CSeq number of the REFERs before it. */
  #earlier = 0
  /** One of them has not said good-bye. */
  #trailing: Referral | undefined

  /** See `Leg.refer`. */
  async follow(
    dialog: Dialog,
    request: ReferRequest,
    signal: AbortSignal,
  ): Promise<ReferralOutcome> {
    if (this.#newest?.referral.isOver === false)
      throw new AdapterError('the peer is being referred already')
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

  /** Answers every NOTIFY: one that belongs to nothing here ends what its sender believes in. */
  notified(notify: SrfRequest, res: SrfResponse): void {
    const { package: event, id } = eventOf(notify)
    if (event !== 'refer') {
      // RFC 6665 §4.1.3
      res.send(BAD_EVENT)
      return
    }
    // RFC 3515 §2.4.6: only a dialog's first reference may leave its number out; many leave it out always.
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

  /** A dialog's numbers grow, so that an older REFER is known by its number, also before the answer to this one. */
  #isNewest(id: number | undefined): boolean {
    if (id === undefined) return true
    const sequence = this.#newest?.referral.sequence
    return sequence === undefined ? id > this.#earlier : id === sequence
  }
}
