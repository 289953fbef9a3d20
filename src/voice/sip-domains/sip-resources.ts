/** The SIP resources that define who may register and call at an account's SIP domains. */
import type { Clock } from '../../platform/clock.js'
import type { Database, Writer } from '../../platform/database/database.js'
import type { Vault } from '../../platform/secrets.js'
import { createSipAddresses, type SipAddresses } from './sip-addresses.js'
import { createSipCredentials, type SipCredentials } from './sip-credentials.js'
import { createSipDomains, type SipDomains } from './sip-domains.js'
import { createSipLists, type SipLists } from './sip-lists.js'
import { createSipMappings, type SipMappings } from './sip-mappings.js'

export interface SipResources {
  readonly domains: SipDomains
  readonly credentialLists: SipLists
  readonly credentials: SipCredentials
  readonly accessLists: SipLists
  readonly addresses: SipAddresses
  readonly mappings: SipMappings
}

export interface SipResourcesDeps {
  readonly db: Database
  readonly clock: Clock
  readonly vault: Vault
  /** Deletes other features' data of a deleted domain, in the same transaction. */
  readonly onDomainRemoved: (tx: Writer, domainSid: string) => Promise<void>
}

export function createSipResources(deps: SipResourcesDeps): SipResources {
  const { db, clock, vault } = deps
  return {
    domains: createSipDomains({ db, clock, onRemoved: deps.onDomainRemoved }),
    credentialLists: createSipLists('credentials', { db, clock }),
    credentials: createSipCredentials({ db, clock, vault }),
    accessLists: createSipLists('addresses', { db, clock }),
    addresses: createSipAddresses({ db, clock }),
    mappings: createSipMappings({ db, clock }),
  }
}
