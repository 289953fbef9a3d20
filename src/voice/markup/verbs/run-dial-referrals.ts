/** REFERs of two that talk: the document at the Dial's referUrl is run by the one that stays. */
import type { IncomingReferral } from '../../telephony/port.js'
import type { DocumentRequest } from '../document.js'
import type { DialVerb } from '../parse/dial.js'
import { resolveCallback } from './resolve-callback.js'
import type { ReadyParty } from './run-dial-party.js'
import type { VerbContext } from './verb-run.js'

/** How caller and called party came apart. */
export type Parting =
  | { readonly type: 'parted' }
  /** The called party goes, and the caller goes on with this document. */
  | { readonly type: 'caller-referred'; readonly request: DocumentRequest }
  /** The caller goes, and the called party goes on by itself. */
  | { readonly type: 'party-referred' }

export interface Referrals {
  readonly parting: Parting
  /** When the two are parted: tells who referred that it may go. */
  end(): void
}

/** `part` ends the talk. */
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
        parting = { type: 'caller-referred', request }
        part()
      }),
    ),
    host.leg.onReferral(
      take((request) => {
        parting = { type: 'party-referred' }
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
