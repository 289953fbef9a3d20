/** Determines the caller of a request at a SIP domain: the user of the credentials, not the From header. */
import { formatUri } from '../../../platform/sip-grammar/uri.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'

/** The party in a From header. */
export interface ClaimedParty {
  readonly user?: string | undefined
  readonly host: string
  readonly uri: string
}

export interface ProvenCaller extends ClaimedParty {
  /** The URI in From, if that is not the proven caller. */
  readonly claimed: string | undefined
}

/** The header with the URI from From, for applications. */
export const CLAIMED_FROM = 'X-Claimed-From'

/**
 * Returns the caller of a request. The From header is trusted in a domain that identifies callers by address
 * only, or that allows any From.
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
