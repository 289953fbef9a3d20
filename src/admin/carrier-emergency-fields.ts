import { z } from '@hono/zod-openapi'
import type { CarrierSettings } from '../voice/carriers/carrier.js'

/** The settings of a carrier that calls to 911 go to. */
export const emergencyFields = {
  emergency: z
    .boolean()
    .default(false)
    .openapi({ description: 'True: calls to 911 go to it, whatever its prefixes and limits say.' }),
  emergencyTo: z.enum(['number', 'service']).default('number').openapi({
    description: 'The To of calls to 911: the number, or urn:service:sos (RFC 5031).',
  }),
}

interface EmergencyWire {
  readonly emergency: boolean
  readonly emergencyTo: CarrierSettings['emergencyTo']
}

type EmergencySettings = Pick<CarrierSettings, 'isEmergency' | 'emergencyTo'>

export function emergencyBody({ emergency, emergencyTo }: EmergencyWire): EmergencySettings {
  return { isEmergency: emergency, emergencyTo }
}

export function emergencyToWire({ isEmergency, emergencyTo }: EmergencySettings): EmergencyWire {
  return { emergency: isEmergency, emergencyTo }
}
