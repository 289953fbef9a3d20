/** Authenticates callers at a SIP domain by the addresses and credentials in the domain's lists. */
import type { Accounts } from '../../../accounts/accounts.js'
import { isInRanges } from '../../../platform/cidr.js'
import { warning } from '../../registrar/warning.js'
import type { SipDomain } from '../../sip-domains/sip-domain.js'
import type { SipResources } from '../../sip-domains/sip-resources.js'
import {
  type AskedRequest,
  type Caller,
  checkDigest,
  type DigestDeps,
  forbidden,
} from './check-digest.js'
import type { SenderRules } from './classify-sender.js'

export interface DomainAuthDeps extends Pick<SenderRules, 'log'>, DigestDeps {
  readonly accounts: Pick<Accounts, 'find'>
  readonly sip: Pick<SipResources, 'addresses' | 'mappings' | 'domains'>
}

/** When lists of both kinds are mapped, the caller must pass both, as is the convention. */
export async function authenticateAt(
  request: AskedRequest,
  domain: SipDomain,
  deps: DomainAuthDeps,
): Promise<Caller> {
  const { address, method } = request
  const kinds = (await deps.sip.mappings.authTypesOf([domain.sid])).get(domain.sid)
  const isListed =
    kinds?.has('addresses') !== true ||
    isInRanges(address, await deps.sip.addresses.networksOf(domain.sid))
  if (kinds === undefined || !isListed) {
    deps.log.info(
      { address, method, domainSid: domain.sid },
      'refused a request from an address not listed',
    )
    return forbidden(warning(32201, 'the address is in no list of the domain'))
  }
  if (!kinds.has('credentials')) return { type: 'known', username: undefined }
  const place = { type: 'domain', domainSid: domain.sid, purpose: 'calls' } as const
  return await checkDigest(request, place, deps)
}
