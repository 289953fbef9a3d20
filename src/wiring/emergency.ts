/**
 * Wires the emergency addresses: their provider, what accounts do with them, and the removal of records that
 * nothing needs any more.
 */
import { createLocalProvider } from '../emergency/emergency-provider.js'
import { createEmergencyService, type EmergencyService } from '../emergency/emergency-service.js'
import { createHttpProvider } from '../emergency/http-provider.js'
import { ProvisionSweep } from '../emergency/provision-sweep.js'
import type { Registry } from '../registry/registry.js'
import type { Base } from './base.js'

export function wireEmergency(
  { clock, config, db, disposer, log, outbound }: Base,
  { usStates }: Pick<Registry, 'usStates'>,
): EmergencyService {
  const { emergencyProvider: settings } = config
  const provider =
    settings === undefined ? createLocalProvider(usStates) : createHttpProvider(outbound, settings)
  const sweep = disposer.use(new ProvisionSweep({ db, clock, log, provider }))
  sweep.start().catch((err: unknown) => {
    log.error({ err }, 'could not go on with the removal of emergency records')
  })
  return createEmergencyService({ db, clock, provider })
}
