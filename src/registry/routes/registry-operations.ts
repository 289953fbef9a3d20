import type { Core } from '../core.js'
import type { Services } from '../services/create-services.js'
import { brandOperations } from './brand-operations.js'
import { cspOperations } from './csp-operations.js'
import { enumOperations } from './enum-operations.js'
import type { Operation } from './operation.js'

/** Every operation of the API; what comes first wins where two paths match. */
export function registryOperations(core: Core, services: Services, version: string): Operation[] {
  return [
    ...brandOperations(services.brands),
    ...cspOperations(services.csps),
    ...enumOperations(core.tables, version),
  ]
}
