/** An emergency call as its carrier is asked: with the caller's location, and marked (RFC 6442). Pure. */
import { PIDF_TYPE, pidfLo } from '../../emergency/pidf-lo.js'
import type { CarrierSettings } from '../carriers/carrier.js'
import type { EmergencyPlan } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import type { DialRequest } from '../telephony/port.js'

/** The host of Content-IDs, which nobody resolves (RFC 2392, RFC 2606). */
const HOST = 'location.invalid'

export function emergencyRequest(
  request: DialRequest,
  { sid, createdAt }: Pick<CallRecord, 'sid' | 'createdAt'>,
  { number, callbackNumber, callerName, location }: EmergencyPlan,
  { emergencyTo }: Pick<CarrierSettings, 'emergencyTo'>,
): DialRequest {
  const contentId = `${sid}@${HOST}`
  const located = { number: callbackNumber, id: sid, callerName, location, at: createdAt }
  const isReal = number === '911'
  return {
    ...request,
    from: { ...request.from, displayName: callerName },
    headers: {
      ...request.headers,
      // RFC 6442 §4.1, §4.2: the location is in the body, and the call is routed by it.
      Geolocation: `<cid:${contentId}>`,
      'Geolocation-Routing': 'yes',
      // RFC 3261 §20.26. A call to the test line is none.
      ...(isReal ? { Priority: 'emergency' } : {}),
    },
    ...(isReal && emergencyTo === 'service' ? { to: 'urn:service:sos' } : {}),
    parts: [{ contentType: PIDF_TYPE, contentId, content: pidfLo(located) }],
  }
}
