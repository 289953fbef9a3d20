/** Who is shown as the caller of a request at a SIP domain: whom the credentials name, not what From says. */
import { formatUri } from '../../../platform/sip-grammar/uri.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'

/** The party that a From header names. */
export interface ClaimedParty {
  readonly user?: string | undefined
  readonly host: string
  readonly uri: string
}

export interface ProvenCaller extends ClaimedParty {
  /** What From said, where that is not who the caller is. */
  readonly claimed: string | undefined
}

/** The header, shown to applications, that has what From said. */
export const CLAIMED_FROM = 'X-Claimed-From'

/**
 * The caller of a request. A domain that knows its callers by their addresses alone, or that allows
 * any From, believes the header.
 */
export function provenCaller(
  claim: ClaimedParty,
  username: string | undefined,
  { domainName, allowsAnyFrom }: Pick<SipDomain, 'domainName' | 'allowsAnyFrom'>,
): ProvenCaller {
  const isItself = claim.user === username && claim.host.toLowerCase() === domainName
  if (username === undefined || allowsAnyFrom || isItself) return { ...claim, claimed: undefined }
  const self = { scheme: 'sip', user: username, host: domainName, params: {}, headers: {} } as const
  return { user: username, host: domainName, uri: formatUri(self), claimed: claim.uri }
}
