/** Every operation on SIP domains and what belongs to them. */
import type { Bindings } from '../../registrar/bindings.js'
import type { VoiceOperation } from '../dialect/operation.js'
import { addressOperations } from './address-operations.js'
import { credentialOperations } from './credential-operations.js'
import { type DomainDeps, domainOperations } from './domain-operations.js'
import { sipListOperations } from './list-operations.js'
import { mappingOperations } from './mapping-operations.js'
import { registrationOperations } from './registration-operations.js'

export interface SipDeps extends DomainDeps {
  readonly bindings: Bindings
}

export function sipOperations(deps: SipDeps): VoiceOperation[] {
  return [
    ...domainOperations(deps),
    ...sipListOperations(deps.sip),
    ...credentialOperations(deps.sip),
    ...addressOperations(deps.sip),
    ...mappingOperations(deps.sip),
    ...registrationOperations({ domains: deps.sip.domains, bindings: deps.bindings }),
  ]
}
