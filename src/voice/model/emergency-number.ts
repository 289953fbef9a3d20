/** The numbers of emergency services (47 CFR 64.3001), which are no telephone numbers. Pure. */
import { withoutSeparators } from '../../platform/sip-grammar/plain-uri.js'

/** `911` reaches the emergency service; `933` reads the caller's address back. */
export type EmergencyNumber = '911' | '933'

/** The emergency number that a person or a telephone has written; undefined for any other text. */
export function emergencyNumberOf(text: string | undefined): EmergencyNumber | undefined {
  const [number = ''] = (text ?? '').trim().split(';')
  const digits = /^\+?1?(911|933)$/.exec(withoutSeparators(number))?.[1]
  return digits === '911' || digits === '933' ? digits : undefined
}

/** RFC 5031 §4.2 and its sub-services, such as `sos.police`, which 911 serves as well. */
const SERVICE = /^urn:service:(test\.)?sos(?:\.[a-z0-9.-]{1,64})?$/i

/** True for the URI of an emergency service, which names no host. */
export function isEmergencyService(uri: string): boolean {
  return SERVICE.test(uri)
}

/** The emergency number that a request is for. The test of the service (RFC 6881 §15) is the test line. */
export function emergencyNumberIn({
  uri,
  user,
}: {
  readonly uri: string
  readonly user?: string | undefined
}): EmergencyNumber | undefined {
  const service = SERVICE.exec(uri)
  if (service === null) return emergencyNumberOf(user)
  return service[1] === undefined ? '911' : '933'
}
