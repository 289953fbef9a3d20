/** Wires the emergency addresses: their provider, and what accounts do with them. */
import { createLocalProvider } from '../emergency/emergency-provider.js'
import { createEmergencyService, type EmergencyService } from '../emergency/emergency-service.js'
import { createHttpProvider } from '../emergency/http-provider.js'
import type { Registry } from '../registry/registry.js'
import type { Base } from './base.js'

export function wireEmergency(
  { clock, config, db, outbound }: Base,
  { usStates }: Pick<Registry, 'usStates'>,
): EmergencyService {
  const { emergencyProvider: settings } = config
  const provider =
    settings === undefined ? createLocalProvider(usStates) : createHttpProvider(outbound, settings)
  return createEmergencyService({ db, clock, provider })
}
