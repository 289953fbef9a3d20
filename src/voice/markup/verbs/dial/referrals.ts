/**
 * REFERs (RFC 3515) of two bridged legs: the party that stays goes on with the document at
 * referUrl.
 */
import type { IncomingReferral } from '../../../telephony/port.js'
import type { DocumentRequest } from '../../document.js'
import type { DialVerb } from '../../parse/dial.js'
import { resolveCallback } from '../resolve-callback.js'
import type { VerbContext } from '../verb-run.js'
import type { ReadyParty } from './dial-party.js'

/** A REFER from one of two bridged parties. Its sender leaves, and the other party goes on. */
export type Referral =
  /** The called party sent the REFER; the caller goes on with this document. */
  | { readonly type: 'referred-by-party'; readonly request: DocumentRequest }
  /** The caller sent the REFER; the called party goes on by itself. */
  | { readonly type: 'referred-by-caller' }

/** The way caller and called party came apart. */
export type Parting = { readonly type: 'parted' } | Referral

export interface Referrals {
  readonly parting: Parting
  /** Unsubscribes, and sends the final NOTIFY to the sender of a REFER, who may then hang up. */
  end(): void
}

/** Follows the REFERs of two bridged legs. `part` ends the bridge. */
export function followReferrals(
  party: Pick<ReadyParty, 'leg' | 'takeAway'>,
  verb: DialVerb,
  { host, documentUrl }: VerbContext,
  part: () => void,
): Referrals {
  const callback = resolveCallback(verb.refer, documentUrl, 'Dial', host)
  let parting: Parting = { type: 'parted' }
  let taken: IncomingReferral | undefined
  const take =
    (goOn: (request: DocumentRequest) => void) =>
    (referral: IncomingReferral): void => {
      if (callback === undefined) {
        host.log({ type: 'error', code: 13802, message: 'Dial: no referUrl for a REFER' })
        referral.refuse()
      } else if (taken !== undefined) referral.refuse()
      else {
        taken = referral
        referral.accept()
        goOn({ ...callback, params: { ReferTransferTarget: referral.target } })
      }
    }
  const ends = [
    party.leg.onReferral(
      take((request) => {
        parting = { type: 'referred-by-party', request }
        part()
      }),
    ),
    host.leg.onReferral(
      take((request) => {
        parting = { type: 'referred-by-caller' }
        party.takeAway(request)
      }),
    ),
  ]
  return {
    get parting() {
      return parting
    },
    end: () => {
      for (const end of ends) end()
      taken?.notifySuccess()
    },
  }
}
