/** Every operation on SIP domains and what belongs to them. */
import type { VoiceOperation } from '../dialect/operation.js'
import { addressOperations } from './address-operations.js'
import { credentialOperations } from './credential-operations.js'
import { type DomainDeps, domainOperations } from './domain-operations.js'
import { sipListOperations } from './list-operations.js'
import { mappingOperations } from './mapping-operations.js'

export function sipOperations(deps: DomainDeps): VoiceOperation[] {
  return [
    ...domainOperations(deps),
    ...sipListOperations(deps.sip),
    ...credentialOperations(deps.sip),
    ...addressOperations(deps.sip),
    ...mappingOperations(deps.sip),
  ]
}
