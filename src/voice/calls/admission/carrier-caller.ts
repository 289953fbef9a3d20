/** Who calls by a carrier: whom the header names that the carrier's `callerIdHeader` tells. */
import { plainUri } from '../../../platform/sip-grammar/plain-uri.js'
import type { CarrierSettings } from '../../carriers/carrier.js'
import { numberFrom } from '../../carriers/number-format.js'
import { assertedParties, hidesCaller } from '../../model/asserted-caller.js'
import type { IncomingInvite } from '../../telephony/port.js'

export interface CarrierCaller {
  /** What applications see. */
  readonly from: string
  /** What the carrier vouches for, though the caller may hide it. */
  readonly identity: string
  readonly displayName: string | undefined
}

/** The caller; `anonymous` for one that does not want to be shown. */
export function carrierCaller(
  { headers, from }: Pick<IncomingInvite, 'headers' | 'from'>,
  { numbers, callerId: { header } }: Pick<CarrierSettings, 'numbers' | 'callerId'>,
): CarrierCaller {
  const asserted = header === 'From' ? [] : assertedParties(headers, header)
  const isNumber = ({ user }: { readonly user?: string | undefined }) =>
    numberFrom(user, numbers) !== undefined
  const party = asserted.find(isNumber) ?? asserted[0] ?? from
  const identity = numberFrom(party.user, numbers) ?? plainUri(party.uri)
  if (hidesCaller(headers)) return { from: 'anonymous', identity, displayName: undefined }
  return { from: identity, identity, displayName: party.displayName ?? from.displayName }
}
